import BlockFileFormat
import Deflate
import DurableFiles
import ObjectModel
import Rows
import StoreInterface

extension BlockFileCheck {
  /// Checks the objects of the newest commit, as far as their blocks are sound.
  func checkObjects(_ contents: Contents, _ record: CommitRecord) throws {
    guard let tables = try tables(of: record) else {
      passedOver.append(
        "The objects were not checked, since the segments that contain them are damaged.")
      return
    }
    checkUsedKeys(tables, record, contents.metadata?.lanes ?? StoreLanes())
    guard findings.counts[.lowestSegment] == nil else {
      passedOver.append("The objects were not checked, since the lowest segment has changes.")
      return
    }
    guard let model = contents.model, let schema = contents.schema else {
      passedOver.append("The objects were not checked, since the model or schema can't be read.")
      return
    }
    let harmless: Set<Rule> = [.givenModel, .modelOddities]
    guard
      findings.counts.keys.allSatisfy({ !Rule.models.contains($0) || harmless.contains($0) })
    else {
      passedOver.append("The objects were not checked, since the schema does not fit the model.")
      return
    }
    let rowCount = tables.reduce(0) { $0 + $1.rowCount }
    guard rowCount <= max(BlockFileCheck.leastRowLimit, 8 * byteCount) else {
      unchecked.append(
        "The objects were not checked: \(rowCount) rows are more than 8 rows for each byte of the file."
      )
      return
    }
    let graph = GraphCheck(tables, model, schema, findings) { [progress] done in
      progress(0.7 + 0.3 * done)
    }
    do {
      try graph.run()
      if try !IndexCheck(tables, schema, findings).run() {
        passedOver.append("The indexes were not checked, since there are \(tables.count) segments.")
      }
    } catch let error as DiskError {
      throw error
    } catch {
      unchecked.append("The objects can't be read to the end: \(error)")
    }
    checked.objectCount = graph.objectCount
    unchecked += graph.unchecked
    for entity in graph.unsoundEntities {
      passedOver.append(
        "Objects of '\(entity)' were not checked, since some of their blocks are damaged.")
    }
  }

  /// The number of rows that are checked in any file, however small. Equal rows take hardly any bytes in the file,
  /// but each takes memory in the check.
  static let leastRowLimit = 1 << 24

  /// Returns the segments of a commit, the lowest first; `nil` if their entries can't be read.
  private func tables(of record: CommitRecord) throws -> [SegmentTable]? {
    var listed: Set<BlockEntry> = []
    var tables: [SegmentTable] = []
    for segment in record.segments {
      guard segments[segment]?.isSound ?? false else { return nil }
      var entries: [BlockEntry] = []
      switch segment.contents {
      case .entries(let inline): entries = inline
      case .pages(let pages):
        for page in pages {
          var reader = ByteReader(try bytes(of: page.section), at: page.section.offset)
          for _ in 0..<page.entryCount {
            let entry = try BlockEntry(unchecked: &reader)
            guard listed.insert(entry).inserted else { return twice(entry, record) }
            entries.append(entry)
          }
        }
        tables.append(
          SegmentTable(
            file, entries, sound: soundBlocks, highestIndex: segment.highestIndex))
        continue
      }
      for entry in entries where !listed.insert(entry).inserted { return twice(entry, record) }
      tables.append(
        SegmentTable(
          file, entries, sound: soundBlocks, highestIndex: segment.highestIndex))
    }
    return tables
  }

  private func twice(_ entry: BlockEntry, _ record: CommitRecord) -> [SegmentTable]? {
    findings.add(
      .sharedBytes, Place("block", at: entry.offset, commit: record.number),
      "The commit lists this change twice.")
    return nil
  }

  /// Checks that keys from the next key to the end of the lane are free (spec §4.4.3), by the first and the last key of
  /// each block.
  private func checkUsedKeys(
    _ tables: [SegmentTable], _ record: CommitRecord, _ lanes: StoreLanes
  ) {
    // Errors of the next keys themselves were reported already.
    guard findings.counts[.nextKeyOrder] == nil else { return }
    let counted = lanes.countedNumbers
    var highest: [UInt16: UInt64] = [:]
    for table in tables {
      for entry in table.entries where entry.run == .put {
        if indexNumbers.contains(entry.entity) { continue }
        for key in [entry.minimumKey, entry.maximumKey] where counted.contains(key) {
          highest[entry.entity] = max(highest[entry.entity] ?? 0, key)
        }
      }
    }
    for (entity, key) in highest.sorted(by: { $0.key < $1.key }) {
      let next = lanes.firstFreeNumber(after: record.nextKeys[entity])
      if key >= next {
        findings.add(
          .usedKeys, Place("record", commit: record.number),
          "The next key of entity \(entity) is \(next), but an object has the key \(key).")
      }
    }
  }
}

/// A segment of a block file as a table of rows.
final class SegmentTable: RowTable {
  let entries: [BlockEntry]
  var rowCount: Int { entries.reduce(0) { $0 + Int($1.rowCount) } }
  private let file: DurableFile
  private let places: [UInt16: Range<Int>]
  /// The numbers of the entities with rows in the segment.
  var entities: some Collection<UInt16> { places.keys }
  /// The numbers of entities with damaged blocks.
  let unsound: Set<UInt16>
  /// The highest index number. The segment contains the entries of all indexes up to this number.
  let highestIndex: UInt16

  /// Creates the table of the given entries, sorted by entity.
  init(
    _ file: DurableFile, _ entries: [BlockEntry], sound: Set<BlockEntry>, highestIndex: UInt16
  ) {
    self.file = file
    self.highestIndex = highestIndex
    self.entries = entries
    var places: [UInt16: Range<Int>] = [:]
    var unsound: Set<UInt16> = []
    for (index, entry) in entries.enumerated() {
      if !sound.contains(entry) { unsound.insert(entry.entity) }
      if index > 0, !entries[index - 1].precedes(entry) {
        unsound.formUnion([entry.entity, entries[index - 1].entity])
      }
      places[entry.entity] = (places[entry.entity]?.lowerBound ?? index)..<index + 1
    }
    self.places = places
    self.unsound = unsound
  }

  /// Returns the entry of a row.
  func entry(of key: ObjectKey) throws -> RowEntry {
    try changes(ofEntity: key.entity)?.entry(of: key.number) ?? .absent
  }

  /// Returns the changes of the segment for an entity; `nil` if the entity has damaged blocks or no rows.
  func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? {
    guard let range = places[number], !unsound.contains(number) else { return nil }
    func run(_ kind: RunKind) throws -> BlockRun {
      BlockRun(try entries[range].filter { $0.run == kind }.map(block))
    }
    return Layer.EntityChanges(
      entityNumber: number, put: try run(.put), changed: try run(.changed),
      removed: try run(.removed))
  }

  private func block(_ entry: BlockEntry) throws -> Block {
    try Block(
      EntryBytes(file, entry), byteCount: Int(entry.blockByteCount), version: entry.version)
  }
}

/// The bytes of a block and of the values outside of it, read on demand.
private final class EntryBytes: BlockSource, OutsideValues {
  private let file: DurableFile
  private let entry: BlockEntry

  init(_ file: DurableFile, _ entry: BlockEntry) {
    self.file = file
    self.entry = entry
  }

  func bytes(_ range: Range<Int>) throws -> BlockSlice {
    if entry.codec != .plain { return try BlockSlice(memory: expanded(), range: range) }
    return BlockSlice(
      BlockMemory(
        try file.read(byteCount: range.count, at: Int(entry.offset) + range.lowerBound)))
  }

  var outsideValues: (any OutsideValues)? { self }

  func read(_ reference: OutsideReference, into memory: inout MutableRawSpan) throws {
    let offset = Int(clamping: reference.offset)
    guard reference.codec == .zlib else { return try file.read(into: &memory, at: offset) }
    let kept = try file.read(byteCount: reference.storedByteCount, at: offset)
    try Deflate.expandStrictly(kept.rawSpan, into: &memory)
  }

  private func expanded() throws -> BlockMemory {
    let kept = try file.read(byteCount: Int(entry.byteCount), at: Int(entry.offset))
    // SAFETY: The memory is this call's alone until it returns.
    let memory = unsafe try BlockMemory(byteCount: Int(entry.blockByteCount)) { buffer in
      var span = unsafe MutableRawSpan(_unsafeBytes: buffer)
      try Deflate.expandStrictly(kept.rawSpan, into: &span)
    }
    return try Block.untransposed(memory)
  }
}
