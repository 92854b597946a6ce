import BlockFileFormat
import ObjectModel
import Rows
import StoreInterface
import Synchronization

/// One layer of a file: the changes of one commit, or of several merged ones. Its blocks are read on first use.
final class Segment: RowTable {
  let record: SegmentRecord
  private let file: StoreFile
  private let limit: UInt64
  private let allowance: BlockAllowance

  /// A block in memory, and its entry in the file.
  typealias KnownBlock = (entry: BlockEntry, block: Block)

  private struct Cache {
    var pages: [Int: [BlockEntry]] = [:]
    /// The number of bytes of outside values that the blocks of these pages refer to.
    var outsideByteCount: UInt64 = 0
    var blocks: [UInt64: KnownBlock] = [:]
    var changes: [UInt16: Layer.EntityChanges] = [:]
    var ranges: [UInt16: KeyRanges] = [:]
    /// The segment as this process has written it.
    var made: MadeSegment?

    init(made: MadeSegment?) { self.made = made }

    /// Returns the block at an offset; `nil` if it was not read yet.
    mutating func block(at offset: UInt64) -> KnownBlock? {
      if let known = blocks[offset] { return known }
      // Fill the blocks on the first look-up, because most segments are merged before one happens.
      guard blocks.isEmpty, let made else { return nil }
      for block in made.layer.blocks {
        guard let entry = made.entries[ObjectIdentifier(block)] else { continue }
        blocks[entry.offset] = (entry, block)
      }
      return blocks[offset]
    }
  }
  private let cache: Mutex<Cache>

  /// Creates the segment of a record in a file. All parts of the segment must lie before `limit`.
  ///
  /// - Parameter made: The segment as this process has just written it, so that its blocks need not be read.
  init(
    _ record: SegmentRecord, in file: StoreFile, before limit: UInt64,
    within allowance: BlockAllowance, knowing made: MadeSegment? = nil
  ) {
    self.record = record
    self.file = file
    self.limit = limit
    self.allowance = allowance
    cache = Mutex(Cache(made: made))
  }

  // MARK: - Entries

  private var pageCount: Int {
    switch record.contents {
    case .entries: 1
    case .pages(let pages): pages.count
    }
  }

  /// Returns the entries of a page.
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
        throw FormatFault(
          "The page at \(page.section.offset) does not begin with the block that its segment gives."
        )
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

  /// Returns all entries, in order.
  func allEntries() throws -> [BlockEntry] {
    var all: [BlockEntry] = []
    for page in 0..<pageCount { all += try entries(ofPage: page) }
    try file.reading { try all.checkOrder() }
    return all
  }

  /// Returns the entry whose range of keys contains a key of a run, or `nil`.
  private func entry(_ run: RunKind, _ key: ObjectKey) throws -> BlockEntry? {
    let place = BlockEntry.Place(entity: key.entity, run: run.rawValue, key: key.number)
    guard let entry = try entries(around: place).before else { return nil }
    return entry.entity == key.entity && entry.run == run && entry.maximumKey >= key.number
      ? entry : nil
  }

  /// Returns the last entry that is not behind a place, and the place of the entry that follows it.
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
    if let known = cache.withLock({ $0.block(at: entry.offset) }) {
      return try block(entry, known)
    }
    let read = try file.block(entry)
    let known = try file.reading {
      try cache.withLock { cache in
        // Another thread may have read the same block first. Only the block that is kept counts against the allowance.
        if let known = cache.blocks[entry.offset] { return known }
        try allowance.take(entry)
        cache.blocks[entry.offset] = (entry, read)
        return (entry, read)
      }
    }
    return try block(entry, known)
  }

  /// Returns the block that was read at an entry's offset, after checking that it belongs to the same entry.
  private func block(_ entry: BlockEntry, _ known: KnownBlock) throws -> Block {
    guard known.entry == entry else {
      throw StoreError(
        .damaged, "A segment has two entries for the block at \(entry.offset).", path: file.path)
    }
    return known.block
  }

  // MARK: - Rows

  /// Returns the segment's entry for one object.
  func entry(of key: ObjectKey) throws -> RowEntry {
    // Most lookups find an object in the put rows, so no page of other rows is read.
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

  /// Returns the lowest and the highest keys of the rows of an entity. Reads a page or two.
  func keyRanges(ofEntity number: UInt16) throws -> KeyRanges {
    if let known = cache.withLock({ $0.ranges[number] }) { return known }
    func range(_ run: RunKind) throws -> ClosedRange<UInt64>? {
      func place(_ key: UInt64) -> BlockEntry.Place {
        BlockEntry.Place(entity: number, run: run.rawValue, key: key)
      }
      // Keys begin at 1, so no row of the run has key 0.
      let first = try entries(around: place(0)).behind
      guard let first, first.entity == number, first.run == run.rawValue,
        let last = try entries(around: place(.max)).before
      else { return nil }
      // A page that does not match the record is damaged. The damage is detected when the page is read.
      return first.key <= last.maximumKey ? first.key...last.maximumKey : nil
    }
    let ranges = KeyRanges(
      put: try range(.put), changed: try range(.changed), removed: try range(.removed))
    cache.withLock { $0.ranges[number] = ranges }
    return ranges
  }

  /// Returns all changes of the segment for an entity.
  func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? {
    if let known = cache.withLock({ $0.made?.layer[number] ?? $0.changes[number] }) { return known }
    var runs: [RunKind: [Block]] = [:]
    for page in 0..<pageCount {
      if case .pages(let pages) = record.contents {
        // Pages that end before the entity, or begin behind it, are skipped.
        if pages[page].first.entity > number { break }
        if page + 1 < pages.count, pages[page + 1].first.entity < number { continue }
      }
      let entries = try entries(ofPage: page).filter { $0.entity == number }
      // Compressed blocks are expanded on several cores.
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

  /// Returns whether another table is this segment.
  func isSame(as other: any RowTable) -> Bool { (other as? Segment) === self }

  /// Returns the entries of an index, if the segment was written with them.
  func entries(of index: IndexLayout) throws -> IndexRun? {
    guard index.number > 0, index.number <= record.highestIndex else { return nil }
    return IndexRun(index, try changes(ofEntity: index.number)?.put.blocks ?? [])
  }

  /// Returns the segment's rows as a layer, with the entries of their blocks in the file. Entities that the schema
  /// lacks, and entries of indexes, are left out.
  func layer(_ schema: Schema) throws -> (layer: Layer, entries: [ObjectIdentifier: BlockEntry]) {
    if let made = cache.withLock({ $0.made }),
      made.layer.entities.allSatisfy({ schema[$0.entityNumber] != nil })
    {
      return (made.layer, made.entries)
    }
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

/// The number of bytes of blocks that may still be read for a commit.
///
/// Blocks do not overlap, so all of them together have at most as many bytes as lie before the record. Without this
/// limit, a small file could use the same large block in thousands of segments (spec §4.5.9).
final class BlockAllowance: Sendable {
  private let byteCount: Mutex<UInt64>

  /// Creates the allowance of a commit whose blocks lie before `limit`.
  init(before limit: UInt64) { byteCount = Mutex(limit) }

  func take(_ entry: BlockEntry) throws {
    try byteCount.withLock { left in
      guard left >= UInt64(entry.byteCount) else {
        throw FormatFault(
          "The block at \(entry.offset) overlaps other blocks: the blocks have too many bytes.")
      }
      left -= UInt64(entry.byteCount)
    }
  }
}
