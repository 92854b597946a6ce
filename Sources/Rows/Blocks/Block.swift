// SAFETY: Columns are verified before they are published, and rows stay below their count. The length of each slice is
// compared with the request, and the header is checked before use.

import ObjectModel
import Synchronization

/// Rows of one entity, column by column, sorted by key: the unit that is stored, read and shared.
///
///     let block = try Block(bytes)
///     let names = try block.column(layout.columns[name].number)
///     if let row = try block.row(of: 42) { print(names?.string(at: row) ?? "") }
///
/// Immutable, and safe to read from any thread. Opening a block reads and checks its header and directory alone.
/// Each column is read and checked once, at its first use. After that, any row's value is read in place in constant
/// time.
public final class Block: Sendable {
  /// The number of the rows' entity.
  public let entityNumber: UInt16
  /// The number of rows, at least 1.
  public let rowCount: Int
  /// The lowest key, as a number within the entity.
  public let minimumKey: UInt64
  public let maximumKey: UInt64
  /// The kind of the rows: whole rows, changes or removals.
  public let flags: BlockFlags
  /// The number of bytes of the block.
  public let byteCount: Int
  /// The version of rows without their own version: the commit that wrote the block, or 0.
  public let version: Int64

  let entries: [ColumnEntry]
  let source: any BlockSource
  /// Whether values of some column may lie outside of the block.
  let hasOutsideValues: Bool
  /// The changed rows above the block's own rows; `nil` if the block is exactly its bytes.
  let overlay: BlockOverlay?
  private let loaded: LoadedColumns

  /// Opens the block with the bytes of `source`.
  ///
  /// - Parameter version: The version of rows without their own version.
  /// - Throws: ``BlockError`` when header or directory are damaged, or the error of the source.
  public init(_ source: any BlockSource, byteCount: Int, version: Int64 = 0) throws {
    guard byteCount >= BlockFormat.headerByteCount else {
      throw BlockError.truncated(needed: BlockFormat.headerByteCount, available: byteCount)
    }
    let first = try source.exactBytes(0..<min(byteCount, BlockFormat.usualHeaderByteCount))
    let header = try unsafe BlockHeader(checking: first, available: byteCount)
    let directory =
      header.headerByteCount <= first.range.count
      ? first.prefix(header.headerByteCount) : try source.exactBytes(0..<header.headerByteCount)
    try unsafe header.checkChecksum(of: directory)
    entries = try unsafe header.entries(in: directory)
    entityNumber = header.entityNumber
    rowCount = header.rowCount
    minimumKey = header.minimumKey
    maximumKey = header.maximumKey
    flags = header.flags
    self.byteCount = header.blockByteCount
    self.version = version
    self.source = source
    hasOutsideValues = entries.contains { $0.flags.contains(.outside) }
    overlay = nil
    loaded = LoadedColumns(count: entries.count)
  }

  /// Creates a block of the base's rows with changes applied, column by column when a column is read.
  ///
  /// The block is for reading only: it has no bytes that a store could write.
  init(overlaying overlay: BlockOverlay) {
    let base = overlay.base
    self.overlay = overlay
    entityNumber = base.entityNumber
    rowCount = base.rowCount
    minimumKey = base.minimumKey
    maximumKey = base.maximumKey
    flags = base.flags
    byteCount = base.byteCount
    version = 0
    source = base.source
    entries = overlay.entries()
    hasOutsideValues = entries.contains { $0.flags.contains(.outside) }
    loaded = LoadedColumns(count: entries.count)
  }

  /// Opens the block in the given memory.
  public convenience init(_ memory: BlockMemory) throws {
    try self.init(memory, byteCount: memory.byteCount)
  }

  /// Opens the block in a copy of the given bytes.
  public convenience init(_ bytes: [UInt8]) throws {
    try self.init(BlockMemory(bytes))
  }

  /// Creates a block that was just written, so that its header and directory need no check.
  ///
  /// - Parameter outsideValues: The source of the values outside of the block.
  init(
    written memory: BlockMemory, _ entries: [ColumnEntry], entity: UInt16,
    keys: UnsafeBufferPointer<UInt64>, flags: BlockFlags, outsideValues: (any OutsideValues)?
  ) {
    assert((try? Block(memory)) != nil, "A newly written block can't be opened.")
    precondition(
      unsafe memory.byteCount <= BlockFormat.maximumByteCount
        && keys[keys.count - 1] <= ObjectKey.highestNumber, "A block is beyond the limits.")
    overlay = nil
    entityNumber = entity
    rowCount = keys.count
    minimumKey = unsafe keys[0]
    maximumKey = unsafe keys[keys.count - 1]
    self.flags = flags
    byteCount = memory.byteCount
    version = 0
    source = outsideValues.map { WrittenBlock(memory, $0) } ?? memory
    self.entries = entries
    hasOutsideValues = entries.contains { $0.flags.contains(.outside) }
    loaded = LoadedColumns(count: entries.count)
  }

  /// Creates a block with the bytes of another one, whose header and directory were checked.
  init(_ block: Block, from source: any BlockSource, version: Int64) {
    overlay = nil
    entityNumber = block.entityNumber
    rowCount = block.rowCount
    minimumKey = block.minimumKey
    maximumKey = block.maximumKey
    flags = block.flags
    byteCount = block.byteCount
    self.version = version
    self.source = source
    entries = block.entries
    hasOutsideValues = block.hasOutsideValues
    loaded = LoadedColumns(count: entries.count)
  }

  /// Returns a block with the same rows that has no column in memory.
  ///
  /// A walk over many blocks reads such copies, so that memory holds the columns of one block and not of all.
  package func withoutLoadedColumns() -> Block {
    overlay.map { Block(overlaying: $0.withoutLoadedColumns()) }
      ?? Block(self, from: source, version: version)
  }
}

extension Block {
  /// The numbers of the block's columns, ascending. The columns of keys, versions and bases come last.
  public var columnNumbers: [UInt16] { entries.map(\.number) }

  /// Returns the byte count of the given column's values; 0 when the block lacks the column.
  public func chunkByteCount(of number: UInt16) -> Int {
    position(of: number).map { entries[$0].chunkByteCount } ?? 0
  }

  /// Returns the position of the column with the given number; `nil` when the block lacks the column.
  @inline(__always)
  func position(of number: UInt16) -> Int? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low &+ high) >> 1
      if entries[middle].number < number { low = middle &+ 1 } else { high = middle }
    }
    return low < entries.count && entries[low].number == number ? low : nil
  }

  /// Returns the column with the given number; `nil` when the block lacks the column. A missing column means the
  /// default value in whole rows, and the value of the row below in changes.
  ///
  /// Each call reads all of the column's values that lie outside of the block; ``value(_:row:)`` reads one.
  ///
  /// - Throws: ``BlockError`` when the column is damaged, or the error of the source. Undamaged columns stay
  ///   readable.
  public func column(_ number: UInt16) throws -> Column? {
    guard let position = position(of: number) else { return nil }
    return try column(at: position)
  }

  /// Returns whether a column is in memory.
  func isLoaded(_ position: Int) -> Bool { loaded.has(position) }

  /// Counts a read of a single value, and returns whether single reads still are cheaper than whole columns.
  func mayReadPoint() -> Bool { loaded.countPointRead() <= Block.mostPointReads * entries.count }

  private static let mostPointReads = 8

  func column(at position: Int) throws -> Column {
    let stored = try storedColumn(at: position)
    return unsafe stored.raw.outside == nil ? stored : try withValuesInside(stored)
  }

  /// Returns the column as it lies in the block, with references in place of outside values.
  func storedColumn(at position: Int) throws -> Column {
    try loaded[position] ?? loaded.publish(readColumn(at: position), at: position)
  }

  /// Reads and checks a column.
  func readColumn(at position: Int) throws -> Column {
    try explaining { try verifiedColumn(at: position) }
  }

  /// Calls `body`, and lets the source explain any damage that `body` finds.
  func explaining<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as BlockError {
      throw source.explained(error, in: self)
    }
  }

  private func verifiedColumn(at position: Int) throws -> Column {
    let entry = entries[position]
    if let overlay { return try overlay.column(entry.number) }
    let chunk: BlockSlice?
    if entry.bodyByteCount > 0 {
      let start = Int(entry.chunkOffset)
      chunk = try source.exactBytes(start..<start + entry.chunkByteCount)
    } else {
      chunk = nil
    }
    let column = try unsafe ColumnVerifier(entry, rowCount: rowCount).verify(chunk)
    if entry.number == LayoutColumn.Number.key {
      try checkKeys(column)
    }
    if entry.flags.contains(.outside) {
      try source.check(column.outsideReferences(entry.number))
    }
    return column
  }

  /// Reads and checks every column, and every value outside of the block.
  ///
  /// - Throws: The first ``BlockError`` found.
  public func verify() throws {
    for position in entries.indices {
      let column = try storedColumn(at: position)
      for reference in try column.outsideReferences(entries[position].number) {
        _ = try memory(of: reference)
      }
    }
  }

  /// Whether the keys have no gaps.
  package var isConsecutive: Bool { maximumKey &- minimumKey == UInt64(rowCount - 1) }

  public var keys: Column {
    get throws {
      // A directory without keys was refused, and keys come last.
      try column(at: entries.count - 1)
    }
  }

  private func checkKeys(_ keys: Column) throws {
    var last = unsafe UInt64(bitPattern: keys.raw.integer(0))
    guard last == minimumKey else { throw BlockError.badKeys() }
    for row in 1..<max(rowCount, 1) {
      let key = unsafe UInt64(bitPattern: keys.raw.integer(row))
      guard key > last else { throw BlockError.badKeys() }
      last = key
    }
    guard last == maximumKey, last <= ObjectKey.highestNumber else { throw BlockError.badKeys() }
  }

  /// Returns the row with the given key; `nil` when the block lacks the key.
  ///
  /// Takes constant time if keys are consecutive, and otherwise an estimate and a few steps.
  public func row(of key: UInt64) throws -> Int? {
    guard key >= minimumKey, key <= maximumKey else { return nil }
    // The position follows from the bounds, so no key is read.
    if isConsecutive { return Int(key - minimumKey) }
    return unsafe try keys.raw.row(ofKey: key, minimum: minimumKey, maximum: maximumKey)
  }

  /// Returns the bytes of the whole block.
  ///
  /// - Throws: The error of the source.
  public func bytes() throws -> BlockSlice { try bytes(0..<byteCount) }

  /// Returns the block's bytes in a range.
  ///
  /// - Throws: The error of the source.
  package func bytes(_ range: Range<Int>) throws -> BlockSlice {
    precondition(overlay == nil, "A block with changes above it has no bytes of its own.")
    return try source.exactBytes(range)
  }
}

extension BlockSource {
  /// Returns the bytes at the given offsets, exactly as many as requested.
  ///
  /// - Throws: ``BlockError`` when the source returns more or fewer bytes, or the error of the source.
  func exactBytes(_ range: Range<Int>) throws -> BlockSlice {
    let slice = try bytes(range)
    guard slice.range.count == range.count else {
      throw BlockError(
        code: .truncated, column: nil,
        message:
          "The source of the block returned \(slice.range.count) bytes in place of \(range.count).")
    }
    return slice
  }
}

extension RawColumn {
  /// Returns the row with `key` in a column of ascending keys. The key must lie between `minimum` and `maximum`.
  @inline(__always)
  package func row(ofKey key: UInt64, minimum: UInt64, maximum: UInt64) -> Int? {
    let n = unsafe Int(rowCount)
    if maximum &- minimum == UInt64(n &- 1) { return Int(key &- minimum) }
    var low = 0
    var high = n
    // Keys with gaps are spread nearly evenly: begin at the expected position, then halve the range.
    let span = Double(maximum &- minimum)
    var guess = Int(Double(key &- minimum) / span * Double(n &- 1))
    var reach = 8
    while low < high {
      let found = unsafe UInt64(bitPattern: integer(guess))
      if found == key { return guess }
      if found < key {
        low = guess &+ 1
        guess = min(low &+ reach, (low &+ high) >> 1)
      } else {
        high = guess
        guess = max(high &- reach, (low &+ high) >> 1)
      }
      reach = reach &* 4
      if guess >= high { guess = high &- 1 }
      if guess < low { guess = low }
    }
    return nil
  }
}

/// The loaded columns of a block. No lock is taken: when two threads load the same column, the first result is
/// kept, and the second thread uses it.
@safe
private final class LoadedColumns: Sendable {
  private final class Box: Sendable {
    let column: Column
    init(_ column: Column) { self.column = column }
  }

  // SAFETY: The pointer is set once here and freed in `deinit`. The places are atomic, and each holds nothing or a
  // retained box.
  private nonisolated(unsafe) let places: UnsafeMutablePointer<Atomic<UInt>>
  private let count: Int
  private let pointReads = Atomic<Int>(0)

  init(count: Int) {
    self.count = count
    unsafe places = .allocate(capacity: count)
    for i in 0..<count { unsafe (places + i).initialize(to: Atomic(0)) }
  }

  deinit {
    for i in 0..<count {
      if let box = unsafe LoadedColumns.box(places[i].load(ordering: .acquiring)) {
        unsafe box.release()
      }
      unsafe (places + i).deinitialize(count: 1)
    }
    unsafe places.deallocate()
  }

  private static func box(_ bits: UInt) -> Unmanaged<Box>? {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
    // SAFETY: A place contains either no bits or the address of a retained box.
    return unsafe Unmanaged.fromOpaque(pointer)
  }

  func has(_ index: Int) -> Bool { unsafe places[index].load(ordering: .relaxed) != 0 }

  /// Counts a read of a single value.
  func countPointRead() -> Int { pointReads.add(1, ordering: .relaxed).newValue }

  @inline(__always)
  subscript(index: Int) -> Column? {
    // SAFETY: The box stays retained as long as `self` lives.
    unsafe LoadedColumns.box(places[index].load(ordering: .acquiring))?
      ._withUnsafeGuaranteedRef { $0.column }
  }

  func publish(_ column: Column, at index: Int) -> Column {
    let box = unsafe Unmanaged.passRetained(Box(column))
    let (exchanged, original) = unsafe places[index].compareExchange(
      expected: 0, desired: UInt(bitPattern: box.toOpaque()), ordering: .acquiringAndReleasing)
    if exchanged { return column }
    unsafe box.release()
    return unsafe LoadedColumns.box(original)?._withUnsafeGuaranteedRef { $0.column } ?? column
  }
}
