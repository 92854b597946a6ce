// SAFETY: The draft has checked the row and reserved room for it. Bitmaps and values have `capacity` places. Slots lie
// within the heap, except for empty slots: they may have any offset, and no byte is read there.

import Foundation
import ObjectModel

/// One column of a draft: the structure that also reads a block's column, and the memory behind the structure,
/// which grows.
///
/// Values lie at their kind's natural width; byte strings lie in one heap for the column. A row that was never set
/// contains the default. Defaults are written for many rows at a time when the memory grows.
@safe
struct DraftColumn: ~Copyable {
  private(set) var raw: RawColumn
  private let defaultValue: Value
  private var capacity = 0
  private var heapByteCount = 0
  private var heapCapacity = 0
  private var garbageByteCount = 0
  /// The byte count of the default at the heap's start. Rows share these bytes until they are set.
  private var sharedByteCount = 0

  /// Creates a column without memory.
  init(_ column: LayoutColumn, tracksGiven: Bool) {
    unsafe raw = RawColumn()
    unsafe raw.kind = column.kind
    // In a draft of changes, a row that was not set has no value.
    defaultValue = tracksGiven ? .null : column.defaultValue
    switch column.kind {
    case .boolean: unsafe raw.encoding = .bits
    case .int16: unsafe (raw.width, raw.base) = (2, Int64(Int16.min))
    case .int32: unsafe (raw.width, raw.base) = (4, Int64(Int32.min))
    case .int64, .reference: unsafe raw.width = 8
    case .float: unsafe (raw.encoding, raw.width) = (.real, 4)
    case .double, .date: unsafe (raw.encoding, raw.width) = (.real, 8)
    case .uuid: unsafe (raw.encoding, raw.width) = (.fixed, 16)
    case .decimal, .string, .uri, .binary: unsafe (raw.encoding, raw.width) = (.slots, 8)
    }
    self.tracksGiven = tracksGiven
  }

  private let tracksGiven: Bool

  deinit {
    unsafe raw.data?.deallocate()
    unsafe raw.presence?.deallocate()
    unsafe raw.given?.deallocate()
    unsafe raw.heap?.deallocate()
  }

  /// Whether the column has memory. A column of a draft of changes gets memory when a row is first set.
  var exists: Bool { capacity > 0 }

  /// The byte count of all byte strings, without garbage.
  var liveByteCount: Int { heapByteCount - garbageByteCount }

  /// The number of bytes of memory in use.
  var memoryByteCount: Int {
    guard exists else { return 0 }
    return rowByteCount(capacity) + bitByteCount(capacity) * (tracksGiven ? 2 : 1) + heapCapacity
  }

  private func rowByteCount(_ rows: Int) -> Int {
    unsafe raw.encoding == .bits ? bitByteCount(rows) : rows * Int(raw.width)
  }

  /// Returns the byte count of a bitmap. A bitmap takes whole words, so that it can be cleared and compared by
  /// words.
  private func bitByteCount(_ rows: Int) -> Int { (rows + 63) / 64 * 8 }

  /// Reserves memory for `rows` rows and writes the default into the new rows.
  mutating func reserve(_ rows: Int) {
    guard rows > capacity else { return }
    // SAFETY: Each part is replaced by a larger part that begins with the same bytes.
    unsafe raw.data = UnsafeRawPointer(
      DraftColumn.grow(raw.data, from: rowByteCount(capacity), to: rowByteCount(rows)))
    unsafe raw.presence = UnsafeRawPointer(
      DraftColumn.grow(raw.presence, from: bitByteCount(capacity), to: bitByteCount(rows)))
    if tracksGiven {
      unsafe raw.given = UnsafeRawPointer(
        DraftColumn.grow(raw.given, from: bitByteCount(capacity), to: bitByteCount(rows)))
    }
    let first = capacity
    capacity = rows
    fillDefault(first..<rows)
  }

  private static func grow(
    _ old: UnsafeRawPointer?, from oldByteCount: Int, to byteCount: Int
  ) -> UnsafeMutableRawPointer {
    // SAFETY: `realloc` returns memory of `byteCount` bytes that begins with the old bytes. The rest is cleared
    // here.
    guard let new = unsafe realloc(UnsafeMutableRawPointer(mutating: old), max(byteCount, 8)) else {
      fatalError("The process has no memory for \(byteCount) bytes of a draft.")
    }
    unsafe (new + oldByteCount).initializeMemory(
      as: UInt8.self, repeating: 0, count: byteCount - oldByteCount)
    return unsafe new
  }

  private mutating func fillDefault(_ rows: Range<Int>) {
    // New memory is zero: null, and 0 or an empty value to code that ignores the null.
    guard defaultValue != .null else { return }
    if rows.lowerBound > 0, unsafe raw.encoding == .slots {
      // Later rows share the bytes of the first row.
      let slot = Slot(offset: 0, byteCount: sharedByteCount)
      for row in rows {
        unsafe storeRow(slot, row)
        setPresent(row, true)
      }
      return
    }
    for row in rows {
      set(defaultValue, row)
      if row == 0, unsafe raw.encoding == .slots {
        sharedByteCount = heapByteCount
        return fillDefaultSlots(1..<rows.upperBound)
      }
    }
  }

  private mutating func fillDefaultSlots(_ rows: Range<Int>) {
    let slot = Slot(offset: 0, byteCount: sharedByteCount)
    for row in rows {
      unsafe storeRow(slot, row)
      setPresent(row, true)
    }
  }
}

// Functions that set one row. The draft has checked the row and reserved room.
extension DraftColumn {
  @inline(__always)
  @unsafe private func storeRow<T: BitwiseCopyable>(_ value: T, _ row: Int) {
    // SAFETY: The column has `capacity` rows of the size of `T`, and `row` is one of them.
    unsafe UnsafeMutableRawPointer(mutating: raw.data.unsafelyUnwrapped)
      .storeBytes(of: value, toByteOffset: row &* MemoryLayout<T>.size, as: T.self)
  }

  @inline(__always)
  private static func setBit(_ bits: UnsafeRawPointer?, _ row: Int, _ value: Bool) {
    // SAFETY: Bitmaps have a bit for every row.
    let byte =
      unsafe UnsafeMutableRawPointer(mutating: bits.unsafelyUnwrapped)
      .assumingMemoryBound(to: UInt8.self) + row &>> 3
    let mask: UInt8 = 1 &<< UInt8(truncatingIfNeeded: row & 7)
    unsafe byte.pointee = unsafe value ? byte.pointee | mask : byte.pointee & ~mask
  }

  @inline(__always)
  private mutating func setPresent(_ row: Int, _ isPresent: Bool) {
    unsafe DraftColumn.setBit(raw.presence, row, isPresent)
    if tracksGiven { unsafe DraftColumn.setBit(raw.given, row, true) }
  }

  @inline(__always)
  mutating func setNull(_ row: Int) {
    // A number stays behind the null and is never read; bytes become garbage.
    switch unsafe raw.encoding {
    case .slots: releaseSlot(row)
    case .bits: unsafe DraftColumn.setBit(raw.data, row, false)
    default: break
    }
    setPresent(row, false)
  }

  /// Restores a row to its state before it was set.
  mutating func unset(_ row: Int) {
    setNull(row)
    if tracksGiven { unsafe DraftColumn.setBit(raw.given, row, false) }
  }

  @inline(__always)
  mutating func setInteger(_ value: Int64, _ row: Int) {
    switch unsafe raw.kind {
    case .boolean: unsafe DraftColumn.setBit(raw.data, row, value != 0)
    case .int16:
      unsafe storeRow(UInt16(truncatingIfNeeded: value &- raw.base), row)
    case .int32:
      unsafe storeRow(UInt32(truncatingIfNeeded: value &- raw.base), row)
    default: unsafe storeRow(value, row)
    }
    setPresent(row, true)
  }

  @inline(__always)
  mutating func setDouble(_ value: Double, _ row: Int) {
    unsafe storeRow(value, row)
    setPresent(row, true)
  }

  @inline(__always)
  mutating func setFloat(_ value: Float, _ row: Int) {
    unsafe storeRow(value, row)
    setPresent(row, true)
  }

  mutating func setUUID(_ value: UUID, _ row: Int) {
    unsafe storeRow(value.uuid, row)
    setPresent(row, true)
  }

  /// Sets text, bytes or a canonical decimal.
  @unsafe mutating func setBytes(_ bytes: UnsafeRawBufferPointer, _ row: Int) {
    precondition(
      bytes.count <= Slot.maximumByteCount, "A value of a draft must have less than one gibibyte.")
    let old = slot(row)
    // The old bytes are overwritten when the new bytes fit, unless the old bytes are the shared default.
    if bytes.count <= old.byteCount, old.offset >= sharedByteCount {
      garbageByteCount += old.byteCount - bytes.count
      unsafe place(bytes, at: old.offset, row)
      return
    }
    releaseSlot(row)
    makeRoom(bytes.count)
    unsafe place(bytes, at: heapByteCount, row)
    heapByteCount += bytes.count
  }

  @unsafe private mutating func place(_ bytes: UnsafeRawBufferPointer, at offset: Int, _ row: Int) {
    if let source = bytes.baseAddress, bytes.count > 0 {
      // SAFETY: The heap has room for the bytes at `offset`, and the source lies outside of the heap.
      unsafe (UnsafeMutableRawPointer(mutating: raw.heap.unsafelyUnwrapped) + offset)
        .copyMemory(from: source, byteCount: bytes.count)
    }
    unsafe storeRow(Slot(offset: offset, byteCount: bytes.count), row)
    setPresent(row, true)
  }

  private func slot(_ row: Int) -> Slot {
    // SAFETY: As in `storeRow`.
    unsafe raw.data.unsafelyUnwrapped.load(fromByteOffset: row &* 8, as: Slot.self)
  }

  private mutating func releaseSlot(_ row: Int) {
    let old = slot(row)
    if old.offset >= sharedByteCount { garbageByteCount += old.byteCount }
    unsafe storeRow(Slot(offset: 0, byteCount: 0), row)
  }

  private mutating func makeRoom(_ byteCount: Int) {
    guard heapByteCount + byteCount > heapCapacity else { return }
    if garbageByteCount > max(4096, heapByteCount / 2) { compact() }
    let needed = heapByteCount + byteCount
    guard needed > heapCapacity else { return }
    precondition(
      needed <= Slot.maximumHeapByteCount, "The column of a draft must have less than 16 gibibytes."
    )
    heapCapacity = max(needed, heapCapacity + heapCapacity / 2, 256)
    // SAFETY: The memory from `realloc` begins with the old bytes.
    guard let new = unsafe realloc(UnsafeMutableRawPointer(mutating: raw.heap), heapCapacity) else {
      fatalError("The process has no memory for \(heapCapacity) bytes of a draft.")
    }
    unsafe raw.heap = UnsafeRawPointer(new)
  }

  /// Copies the heap without its garbage.
  private mutating func compact() {
    let live = sharedByteCount + heapByteCount - garbageByteCount
    let newCapacity = max(live, 256)
    // SAFETY: Every slot that is not empty lies within the old heap, and together the slots take at most `live` bytes.
    // Empty slots keep their offsets and are not copied.
    guard let heap = unsafe raw.heap, let new = unsafe malloc(newCapacity) else { return }
    unsafe new.copyMemory(from: heap, byteCount: sharedByteCount)
    var end = sharedByteCount
    for row in 0..<capacity {
      let slot = slot(row)
      guard slot.byteCount > 0, slot.offset >= sharedByteCount else { continue }
      unsafe (new + end).copyMemory(from: heap + slot.offset, byteCount: slot.byteCount)
      unsafe storeRow(Slot(offset: end, byteCount: slot.byteCount), row)
      end += slot.byteCount
    }
    unsafe UnsafeMutableRawPointer(mutating: heap).deallocate()
    unsafe raw.heap = UnsafeRawPointer(new)
    heapCapacity = newCapacity
    heapByteCount = end
    garbageByteCount = 0
  }

  /// Sets a value of the column's kind.
  ///
  /// - Precondition: The value is of the column's kind, or null.
  mutating func set(_ value: Value, _ row: Int) {
    switch (value, unsafe raw.kind) {
    case (.null, _): setNull(row)
    case (.boolean(let value), .boolean): setInteger(value ? 1 : 0, row)
    case (.integer(let value), let kind) where kind.content == .integer:
      precondition(
        kind.integerRange.contains(value), "\(value) does not fit the column.")
      setInteger(value, row)
    case (.object(let key), .reference): setInteger(Int64(bitPattern: key.rawValue), row)
    case (.float(let value), .float): setFloat(value, row)
    case (.double(let value), .double): setDouble(value, row)
    case (.date(let value), .date): setDouble(value.timeIntervalSinceReferenceDate, row)
    case (.uuid(let value), .uuid): setUUID(value, row)
    case (.string(var text), .string), (.uri(var text), .uri):
      text.withUTF8 { unsafe setBytes(UnsafeRawBufferPointer($0), row) }
    case (.binary(let data), .binary): unsafe data.withUnsafeBytes { unsafe setBytes($0, row) }
    case (.decimal(let decimal), .decimal):
      var bytes: [UInt8] = []
      DecimalParts(decimal)?.write(into: &bytes)
      unsafe bytes.withUnsafeBytes { unsafe setBytes($0, row) }
    default:
      preconditionFailure("The value \(value) is not of the column's kind, \(unsafe raw.kind).")
    }
  }
}
