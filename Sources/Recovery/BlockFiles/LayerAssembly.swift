import BlockFileFormat
import Foundation
import ObjectModel
import Rows
import StoreInterface

/// Assembles the rows of a damaged file into layers, the lowest first.
struct LayerAssembly {
  private let recovery: BlockFileRecovery
  private let schema: Schema
  private(set) var layers: [Layer] = []
  /// Blocks of the head commit that can't be read.
  private var damaged: [BlockEntry] = []
  /// The number of rows in pages that can't be read, minus the rows that other blocks contain.
  private var unlistedRowCount = 0
  /// The number of older rows that may still be searched for substitutes. It bounds the time.
  private var substituteAllowance = 20_000_000

  /// The number of rows of each entity that the model lacks, by the name of the entity in the schema.
  private var unknownCounts: [String: Int] = [:]

  init(_ recovery: BlockFileRecovery, _ schema: Schema) {
    self.recovery = recovery
    self.schema = schema
  }

  // MARK: - Blocks of the commit

  /// Adds the segments that a commit lists, as far as they can be read.
  mutating func add(_ head: BlockFileRecovery.ReadCommit) {
    var live: Set<UInt64> = []
    for segment in head.record.segments {
      for entry in recovery.segmentEntries(segment).flatMap({ $0 ?? [] }) {
        live.insert(entry.offset)
      }
    }
    let older =
      (recovery.entries.values.map { $0 } + recovery.found.map(\.entry))
      .filter { $0.offset < head.end && !live.contains($0.offset) && schema[$0.entity] != nil }
      .sorted { $0.offset < $1.offset }
    for segment in head.record.segments {
      let (entries, missing) = entries(of: segment, older)
      let known = entries.filter { schema[$0.entity] != nil }
      for entry in entries where entry.run == .put {
        guard let name = recovery.unknownEntities[entry.entity] else { continue }
        unknownCounts[name, default: 0] += Int(entry.rowCount)
      }
      let lost = known.filter { recovery.block($0) == nil }
      let layer = layer(known)
      if !layer.isEmpty { layers.append(layer) }
      unlistedRowCount += missing
      damaged += lost
      if !lost.isEmpty { substitute(lost, older) }
    }
  }

  /// Returns the entries of a segment. In place of a page that can't be read, returns the entries of `older` that lie
  /// between the page's first key and the next page.
  private mutating func entries(
    of segment: SegmentRecord, _ older: [BlockEntry]
  ) -> (entries: [BlockEntry], missing: Int) {
    let pages = recovery.segmentEntries(segment)
    var entries = pages.flatMap { $0 ?? [] }
    guard case .pages(let references) = segment.contents, pages.contains(where: { $0 == nil })
    else { return (entries, 0) }
    for (index, page) in pages.enumerated() where page == nil {
      // Searching all older blocks for each of many pages would take too long.
      substituteAllowance -= older.count
      guard substituteAllowance > 0 else { break }
      let first = references[index].first
      let next = index + 1 < references.count ? references[index + 1].first : nil
      // If two blocks overlap, the later one was merged from the earlier one.
      var chosen: [BlockEntry] = []
      for entry in older.reversed()
      where entry.place >= first && (next.map { entry.place < $0 } ?? true) {
        guard chosen.count < Int(references[index].entryCount),
          !chosen.contains(where: { $0.overlaps(entry) })
        else { continue }
        chosen.append(entry)
      }
      entries += chosen
    }
    entries.sort { $0.place < $1.place }
    let rows = entries.reduce(0) { $0 + (isIndex($1) ? 0 : Int($1.rowCount)) }
    return (entries, max(0, Int(clamping: segment.rowCount) - rows))
  }

  private func isIndex(_ entry: BlockEntry) -> Bool {
    schema.indexes.contains { $0.number == entry.entity }
  }

  /// Returns a layer of the entries' blocks. A block that overlaps the previous one of its run is left out.
  private func layer(_ entries: [BlockEntry]) -> Layer {
    var runs: [UInt16: [RunKind: [Block]]] = [:]
    for entry in entries {
      for block in recovery.block(entry) ?? [] {
        if let last = runs[entry.entity]?[entry.run]?.last, last.maximumKey >= block.minimumKey {
          continue
        }
        runs[entry.entity, default: [:]][entry.run, default: []].append(block)
      }
    }
    return Layer(
      runs.map { number, runs in
        Layer.EntityChanges(
          entityNumber: number, put: BlockRun(runs[.put] ?? []),
          changed: BlockRun(runs[.changed] ?? []), removed: BlockRun(runs[.removed] ?? []))
      })
  }

  // MARK: - Older blocks

  /// Substitutes rows of older blocks for the rows of blocks that can't be read.
  ///
  /// A merge leaves the blocks that it has read in the file until the file is written again. Their rows are
  /// equal or older.
  private mutating func substitute(_ lost: [BlockEntry], _ older: [BlockEntry]) {
    let builder = LayerBuilder(schema)
    let beneath = View(layers)
    var seen: Set<ObjectKey> = []
    for entry in lost {
      guard let layout = schema[entry.entity] else { continue }
      let others = older.filter { $0.entity == entry.entity && $0.reaches(into: entry) }
      substituteAllowance -= older.count + others.reduce(0) { $0 + Int($1.rowCount) }
      guard substituteAllowance > 0 else { return }
      var stack = RowStack(schema)
      var keys: Set<UInt64> = []
      for other in others {
        for block in recovery.block(other) ?? [] {
          stack.add(block, other.run)
          guard let column = try? block.keys else { continue }
          for row in 0..<block.rowCount {
            let key = UInt64(bitPattern: column.integer(at: row))
            if key >= entry.minimumKey, key <= entry.maximumKey { keys.insert(key) }
          }
        }
      }
      let before = View(stack.layers)
      for number in keys.sorted() {
        let key = ObjectKey(entity: entry.entity, number: number)
        guard seen.insert(key).inserted else { continue }
        try? substitute(key, layout, before, beneath, entry.run, builder)
      }
    }
    let made = builder.freeze()
    guard !made.isEmpty else { return }
    recovery.report.olderRowCount += made.count
    layers.append(made)
  }

  private func substitute(
    _ key: ObjectKey, _ layout: Layout, _ before: View, _ beneath: View, _ run: RunKind,
    _ builder: LayerBuilder
  ) throws {
    guard let row = try beneath.row(of: key) else {
      if run == .put, let older = try before.row(of: key) {
        let values = try layout.columns.map { try older.value($0) }
        guard LayerAssembly.fit(values) else { return }
        builder.insert(key)
        for (column, value) in values.enumerated() {
          builder.set(value, column: column, of: key)
        }
      }
      return
    }
    let version = try row.version
    for table in before.tables {
      switch try table.entry(of: key) {
      case .absent: continue
      case .removed(let location):
        guard try location.version > version else { continue }
        return builder.remove(key, basis: version)
      case .put(let location), .changed(let location):
        guard try location.version > version else { continue }
        let values = try layout.columns.map { try location.block.value($0, row: location.row) }
        guard LayerAssembly.fit(values.compactMap { $0 }) else { return }
        for (column, value) in values.enumerated() {
          guard let value else { continue }
          builder.set(value, column: column, of: key, basis: version)
        }
      }
    }
  }

  /// Returns whether the values of a row fit into a block, including values that the file stores outside of it.
  private static func fit(_ values: [Value]) -> Bool {
    values.reduce(0) { $0 + $1.byteStringByteCount }
      <= Draft.fullRowByteCount(columnCount: values.count)
  }

  // MARK: - Blocks that no record lists

  /// Adds the blocks behind an offset as the highest layers, in the order of their offsets.
  mutating func addFound(behind end: UInt64, version: Int64) {
    let later =
      (recovery.found.map(\.entry) + recovery.entries.values)
      .filter { $0.offset >= end && schema[$0.entity] != nil }
      .sorted { $0.offset < $1.offset }
    var stack = RowStack(schema)
    for entry in later {
      for block in recovery.block(entry) ?? [] {
        recovery.report.laterRowCount += block.rowCount
        stack.add((try? block.stamped(version)) ?? block, entry.run)
      }
    }
    layers += stack.layers
  }

  // MARK: - Losses

  /// Counts the rows that are certainly lost, and the rows that may be out of date. The first count is a lower
  /// bound, the second an upper bound.
  func countLosses(_ report: inout RecoveryReport) {
    report.lostRowCount = unlistedRowCount
    report.lostCounts.merge(unknownCounts, uniquingKeysWith: +)
    let view = View(layers)
    var keys: [UInt16: [UInt64]] = [:]
    for entry in damaged {
      guard let layout = schema[entry.entity] else { continue }
      if !schema.layouts.contains(where: { $0.entityNumber == entry.entity }) {
        report.cutLinkRowCount(entry.rowCount)
        continue
      }
      guard entry.run == .put else {
        report.uncertainCounts[layout.entity, default: 0] += Int(entry.rowCount)
        continue
      }
      if keys[entry.entity] == nil {
        keys[entry.entity] = (try? view.keys(ofEntity: entry.entity)) ?? []
      }
      let all = keys[entry.entity]!
      let first = all.firstPosition { $0 >= entry.minimumKey }
      let last = all.firstPosition { $0 > entry.maximumKey }
      let removed = removedCount(entry)
      let lost = Int(entry.rowCount) - (last - first) - removed
      if lost > 0 { report.lostCounts[layout.entity, default: 0] += lost }
      if last > first { report.uncertainCounts[layout.entity, default: 0] += last - first }
    }
  }

  /// Returns the greatest number of objects of a damaged block that upper layers have removed.
  private func removedCount(_ entry: BlockEntry) -> Int {
    layers.reduce(0) { sum, layer in
      (layer[entry.entity]?.removed.blocks ?? []).reduce(sum) { sum, block in
        block.maximumKey >= entry.minimumKey && block.minimumKey <= entry.maximumKey
          ? sum + block.rowCount : sum
      }
    }
  }
}

extension RecoveryReport {
  /// Counts lost links, which belong to no entity.
  fileprivate mutating func cutLinkRowCount(_ count: UInt32) { lostRowCount += Int(count) }
}

extension BlockEntry {
  /// Returns whether two blocks of the same run may have rows of the same objects.
  fileprivate func overlaps(_ other: BlockEntry) -> Bool {
    run == other.run && reaches(into: other)
  }

  /// Returns whether two blocks may have rows of the same objects.
  fileprivate func reaches(into other: BlockEntry) -> Bool {
    entity == other.entity && minimumKey <= other.maximumKey && maximumKey >= other.minimumKey
  }
}

/// A stack of blocks. A block that shares keys with earlier blocks goes into a new layer above them.
struct RowStack {
  private let schema: Schema
  private var closed: [Layer] = []
  private var touched: [UInt16: [(run: RunKind, block: Block)]] = [:]

  init(_ schema: Schema) { self.schema = schema }

  /// Adds a block on top.
  mutating func add(_ block: Block, _ run: RunKind) {
    let touches = (touched[block.entityNumber] ?? []).contains {
      $0.block.minimumKey <= block.maximumKey && $0.block.maximumKey >= block.minimumKey
    }
    if touches || (touched[block.entityNumber]?.count ?? 0) >= 1024 { close() }
    touched[block.entityNumber, default: []].append((run, block))
  }

  private mutating func close() {
    let layer = RowStack.layer(touched)
    touched = [:]
    guard !layer.isEmpty else { return }
    closed.append(layer)
    // Merging small layers keeps the number of layers low, so that looking up a row stays fast.
    guard closed.count >= 32, let count = SegmentTiers.mergeCount(sizes: closed.map(\.count)),
      count > 1,
      let merged = try? Layer.merged(
        closed.suffix(count), schema: schema, keepingVersions: true)
    else { return }
    closed.replaceSubrange((closed.count - count)..., with: [merged])
  }

  private static func layer(_ blocks: [UInt16: [(run: RunKind, block: Block)]]) -> Layer {
    Layer(
      blocks.map { number, blocks in
        func run(_ kind: RunKind) -> BlockRun {
          BlockRun(
            blocks.filter { $0.run == kind }.map(\.block)
              .sorted { $0.minimumKey < $1.minimumKey })
        }
        return Layer.EntityChanges(
          entityNumber: number, put: run(.put), changed: run(.changed), removed: run(.removed))
      })
  }

  /// The layers, the lowest first.
  var layers: [Layer] {
    let last = RowStack.layer(touched)
    return last.isEmpty ? closed : closed + [last]
  }
}
