import BlockFileFormat
import ObjectModel
import Rows
import StoreInterface
import Synchronization

/// One layer of a file: the changes of a commit, or of several that were merged. Its blocks are
/// looked for when they are asked for.
final class Segment: RowTable {
  let record: SegmentRecord
  private let file: StoreFile
  private let limit: UInt64
  private let allowance: BlockAllowance

  private struct Cache {
    var pages: [Int: [BlockEntry]] = [:]
    /// How many bytes of values the blocks of these pages refer to.
    var outsideByteCount: UInt64 = 0
    var blocks: [UInt64: (entry: BlockEntry, block: Block)] = [:]
    var changes: [UInt16: Layer.EntityChanges] = [:]
    var ranges: [UInt16: KeyRanges] = [:]
  }
  private let cache: Mutex<Cache>

  /// The segment of a record in a file, all of which lies before `limit`.
  init(
    _ record: SegmentRecord, in file: StoreFile, before limit: UInt64,
    within allowance: BlockAllowance
  ) {
    self.record = record
    self.file = file
    self.limit = limit
    self.allowance = allowance
    cache = Mutex(Cache())
  }

  // MARK: - Entries

  private var pageCount: Int {
    switch record.contents {
    case .entries: 1
    case .pages(let pages): pages.count
    }
  }

  /// The entries of a page.
  private func entries(ofPage index: Int) throws -> [BlockEntry] {
    guard case .pages(let pages) = record.contents else {
      guard case .entries(let entries) = record.contents else { return [] }
      return entries
    }
    if let known = cache.withLock({ $0.pages[index] }) { return known }
    let page = pages[index]
    let bytes = try file.bytes(of: page.section)
    let entries = try file.reading {
      let entries = try BlockEntry.all(
        Int(page.entryCount), in: bytes, at: page.section.offset, before: limit)
      guard entries[0].place == page.first else {
        throw FormatFault("The page at \(page.section.offset) begins with another block.")
      }
      return entries
    }
    try file.reading {
      try cache.withLock { cache in
        guard cache.pages[index] == nil else { return }
        try record.checkValues(of: entries, besides: cache.outsideByteCount)
        cache.outsideByteCount += entries.outsideByteCount
        cache.pages[index] = entries
      }
    }
    return entries
  }

  /// All entries, in order.
  func allEntries() throws -> [BlockEntry] {
    var all: [BlockEntry] = []
    for page in 0..<pageCount { all += try entries(ofPage: page) }
    try file.reading { try all.checkOrder() }
    return all
  }

  /// The entry that a key of a run would be in; `nil` when there is none.
  private func entry(_ run: RunKind, _ key: ObjectKey) throws -> BlockEntry? {
    let place = BlockEntry.Place(entity: key.entity, run: run.rawValue, key: key.number)
    guard let entry = try entries(around: place).before else { return nil }
    return entry.entity == key.entity && entry.run == run && entry.maximumKey >= key.number
      ? entry : nil
  }

  /// The last entry that does not stand behind a place, and where the one behind it stands.
  private func entries(
    around place: BlockEntry.Place
  ) throws -> (before: BlockEntry?, behind: BlockEntry.Place?) {
    var page = 0
    var behind: BlockEntry.Place?
    if case .pages(let pages) = record.contents {
      // The last page that does not begin behind the place.
      let next = pages.firstPosition { $0.first > place }
      behind = next < pages.count ? pages[next].first : nil
      guard next > 0 else { return (nil, behind) }
      page = next - 1
    }
    let entries = try entries(ofPage: page)
    let next = entries.firstPosition { $0.place > place }
    return (
      next > 0 ? entries[next - 1] : nil, next < entries.count ? entries[next].place : behind
    )
  }

  func block(_ entry: BlockEntry) throws -> Block {
    if let known = cache.withLock({ $0.blocks[entry.offset] }) { return try block(entry, known) }
    let read = try file.block(entry)
    let known = try file.reading {
      try cache.withLock { cache in
        // Another thread may have been as quick: a block counts once, and only when it is kept.
        if let known = cache.blocks[entry.offset] { return known }
        try allowance.take(entry)
        cache.blocks[entry.offset] = (entry, read)
        return (entry, read)
      }
    }
    return try block(entry, known)
  }

  /// The block of an entry, where the one that was read at its place is that of the same entry.
  private func block(
    _ entry: BlockEntry, _ known: (entry: BlockEntry, block: Block)
  ) throws -> Block {
    guard known.entry == entry else {
      throw StoreError(
        .damaged, "A segment has two entries for the block at \(entry.offset).", path: file.path)
    }
    return known.block
  }

  // MARK: - Rows

  /// What the segment says of one object.
  func entry(of key: ObjectKey) throws -> RowEntry {
    // Most objects that are looked for are there, and put: then no page of other rows is read.
    if let location = try location(.put, key) { return .put(location) }
    if let location = try location(.changed, key) { return .changed(location) }
    if let location = try location(.removed, key) { return .removed(location) }
    return .absent
  }

  private func location(_ run: RunKind, _ key: ObjectKey) throws -> RowLocation? {
    guard let entry = try entry(run, key) else { return nil }
    let block = try block(entry)
    return try file.reading { try block.row(of: key.number) }
      .map { RowLocation(block: block, row: $0) }
  }

  /// The lowest and the highest keys of the rows of an entity, from a page or two.
  func keyRanges(ofEntity number: UInt16) throws -> KeyRanges {
    if let known = cache.withLock({ $0.ranges[number] }) { return known }
    func range(_ run: RunKind) throws -> ClosedRange<UInt64>? {
      func place(_ key: UInt64) -> BlockEntry.Place {
        BlockEntry.Place(entity: number, run: run.rawValue, key: key)
      }
      // Keys begin with 1, so nothing of the run stands there.
      let first = try entries(around: place(0)).behind
      guard let first, first.entity == number, first.run == run.rawValue,
        let last = try entries(around: place(.max)).before
      else { return nil }
      // Pages that are not what the record says of them are damaged, and found out where they are read.
      return first.key <= last.maximumKey ? first.key...last.maximumKey : nil
    }
    let ranges = KeyRanges(
      put: try range(.put), changed: try range(.changed), removed: try range(.removed))
    cache.withLock { $0.ranges[number] = ranges }
    return ranges
  }

  /// Everything the segment says of the objects of an entity.
  func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? {
    if let known = cache.withLock({ $0.changes[number] }) { return known }
    var runs: [RunKind: [Block]] = [:]
    for page in 0..<pageCount {
      if case .pages(let pages) = record.contents {
        // Pages that end before the entity, or begin behind it, are passed over.
        if pages[page].first.entity > number { break }
        if page + 1 < pages.count, pages[page + 1].first.entity < number { continue }
      }
      let entries = try entries(ofPage: page).filter { $0.entity == number }
      // What has to be expanded is, on several cores.
      let isCompressed = entries.contains { $0.codec != .plain }
      let blocks = isCompressed ? try entries.concurrentMap(block) : try entries.map(block)
      for (entry, block) in zip(entries, blocks) {
        if let last = runs[entry.run]?.last, last.maximumKey >= block.minimumKey {
          throw StoreError(
            .damaged, "The blocks of entity \(number) are not in the order of their keys.",
            path: file.path)
        }
        runs[entry.run, default: []].append(block)
      }
    }
    guard !runs.isEmpty else { return nil }
    let changes = Layer.EntityChanges(
      entityNumber: number, put: BlockRun(runs[.put] ?? []),
      changed: BlockRun(runs[.changed] ?? []), removed: BlockRun(runs[.removed] ?? []))
    cache.withLock { $0.changes[number] = changes }
    return changes
  }

  /// Whether another table is this segment.
  func isSame(as other: any RowTable) -> Bool { (other as? Segment) === self }

  /// The entries of an index, if the segment was written with them.
  func entries(of index: IndexLayout) throws -> IndexRun? {
    guard index.number > 0, index.number <= record.highestIndex else { return nil }
    return IndexRun(index, try changes(ofEntity: index.number)?.put.blocks ?? [])
  }

  /// The segment's rows as a layer, and where their blocks are in the file. What the schema does not
  /// know any more is left out, and so are entries of indexes.
  func layer(_ schema: Schema) throws -> (layer: Layer, entries: [ObjectIdentifier: BlockEntry]) {
    let all = try allEntries().filter { schema[$0.entity] != nil }
    var places: [ObjectIdentifier: BlockEntry] = [:]
    var entities: [Layer.EntityChanges] = []
    for entry in all { places[ObjectIdentifier(try block(entry))] = entry }
    for number in Set(all.map(\.entity)) {
      if let changes = try changes(ofEntity: number) { entities.append(changes) }
    }
    return (Layer(entities), places)
  }
}

/// How many more bytes of blocks may be read for a commit.
///
/// Blocks do not overlap, so together they have no more bytes than lie before the record. Were that not
/// held to, a small file could have the same large block in thousands of segments (spec §4.5.9).
final class BlockAllowance: Sendable {
  private let byteCount: Mutex<UInt64>

  /// The allowance of a commit whose blocks lie before `limit`.
  init(before limit: UInt64) { byteCount = Mutex(limit) }

  func take(_ entry: BlockEntry) throws {
    try byteCount.withLock { left in
      guard left >= UInt64(entry.byteCount) else {
        throw FormatFault("The block at \(entry.offset) overlaps others: there are too many bytes.")
      }
      left -= UInt64(entry.byteCount)
    }
  }
}
