// SAFETY: The creator of a raw column has verified or written its bytes, and the reader has checked the row.

import ObjectModel

/// The layout of a column's values in memory. The first seven cases are the encodings of blocks (spec §3.4).
@usableFromInline
package enum ColumnEncoding: UInt8, Sendable {
  /// `base + step * i + u[i]`, with `u` of 0, 1, 2, 4 or 8 bytes.
  case integer = 1
  /// An integer encoded in the same way, divided by a power of ten.
  case scaled = 2
  /// The bit patterns of floating-point numbers.
  case real = 3
  /// One bit for each row.
  case bits = 4
  /// Offsets into a heap of bytes.
  case bytes = 5
  /// Codes into a sorted dictionary of byte strings.
  case dictionary = 6
  /// Sixteen bytes for each row.
  case fixed = 7
  /// An offset and a length for each row, into a heap that still grows. Used only in drafts and never written.
  case slots = 8
}

/// One column's values in memory: their addresses and their encoding.
///
/// The same structure reads a verified column of a block and a column of a draft, so readers of objects treat both
/// alike. The structure owns nothing: its user must also retain the memory. Reads are not checked; ``Column`` is
/// the safe interface.
@unsafe
@usableFromInline
package struct RawColumn {
  /// Integers, codes, bits or bit patterns; `nil` when `width` is 0.
  @usableFromInline package var data: UnsafeRawPointer?
  @usableFromInline package var base: Int64 = 0
  @usableFromInline package var step: Int64 = 0
  /// One bit for each row, 1 where the row has a value; `nil` when every row has a value.
  @usableFromInline package var presence: UnsafeRawPointer?
  /// One bit for each row, 1 where a change gives the value; `nil` when every row's value is given.
  @usableFromInline package var given: UnsafeRawPointer?
  /// One bit for each row, 1 where the value lies outside of the block; `nil` when every value lies in the block.
  @usableFromInline package var outside: UnsafeRawPointer?
  /// Offsets into the heap, encoded like integers.
  @usableFromInline package var offsets: UnsafeRawPointer?
  @usableFromInline package var offsetBase: Int64 = 0
  @usableFromInline package var offsetStep: Int64 = 0
  @usableFromInline package var heap: UnsafeRawPointer?
  @usableFromInline package var rowCount: UInt32 = 0
  @usableFromInline package var dictionaryCount: UInt32 = 0
  @usableFromInline package var encoding: ColumnEncoding = .integer
  @usableFromInline package var width: UInt8 = 0
  @usableFromInline package var offsetWidth: UInt8 = 0
  @usableFromInline package var scale: UInt8 = 0
  /// Ten to the power of `scale`, for scaled floating-point numbers.
  @usableFromInline package var divisor: Double = 1
  @usableFromInline package var kind: ColumnKind = .int64
  /// Whether no row has a value. The column then has no data.
  @usableFromInline package var isNothing = false

  @inlinable package init() {}

  private static let noBytes = BlockMemory([])
  /// The heap of a column whose byte strings are all empty: an address that may be read, because readers of other
  /// languages get it too.
  static var emptyHeap: UnsafeRawPointer { unsafe UnsafeRawPointer(noBytes.start) }
}

extension RawColumn {
  /// Returns `base + step * i + u[i]`, modulo 2^64.
  @inlinable @inline(__always)
  package static func decode(
    _ data: UnsafeRawPointer?, width: UInt8, base: Int64, step: Int64, _ i: Int
  ) -> Int64 {
    let line = base &+ step &* Int64(truncatingIfNeeded: i)
    // SAFETY: Verification has checked that `data` contains `width` bytes for each row. The caller has checked that
    // `i` is a row.
    switch width {
    case 0: return line
    case 1:
      return unsafe line &+ Int64(data.unsafelyUnwrapped.load(fromByteOffset: i, as: UInt8.self))
    case 2:
      return unsafe line
        &+ Int64(data.unsafelyUnwrapped.loadUnaligned(fromByteOffset: i &* 2, as: UInt16.self))
    case 4:
      return unsafe line
        &+ Int64(data.unsafelyUnwrapped.loadUnaligned(fromByteOffset: i &* 4, as: UInt32.self))
    default:
      return unsafe line
        &+ data.unsafelyUnwrapped.loadUnaligned(fromByteOffset: i &* 8, as: Int64.self)
    }
  }

  @inlinable @inline(__always)
  package static func bit(_ bits: UnsafeRawPointer, _ i: Int) -> Bool {
    // SAFETY: Bitmaps have a bit for every row.
    unsafe bits.load(fromByteOffset: i &>> 3, as: UInt8.self) &>> UInt8(truncatingIfNeeded: i & 7)
      & 1
      != 0
  }

  /// Returns whether row `i` has no value.
  @inlinable @inline(__always)
  package func isNull(_ i: Int) -> Bool {
    if unsafe isNothing { return true }
    guard let presence = unsafe presence else { return false }
    return unsafe !RawColumn.bit(presence, i)
  }

  /// Returns whether the change that this column belongs to gives row `i`'s value.
  @inlinable @inline(__always)
  package func isGiven(_ i: Int) -> Bool {
    guard let given = unsafe given else { return true }
    return unsafe RawColumn.bit(given, i)
  }

  /// Returns the integer of row `i`: a whole number, 0 or 1 for a boolean, a reference, or a dictionary code.
  @inlinable @inline(__always)
  package func integer(_ i: Int) -> Int64 {
    if unsafe encoding == .bits {
      return unsafe RawColumn.bit(data.unsafelyUnwrapped, i) ? 1 : 0
    }
    return unsafe RawColumn.decode(data, width: width, base: base, step: step, i)
  }

  /// Returns the number of row `i` of a floating-point or date column.
  @inlinable @inline(__always)
  package func double(_ i: Int) -> Double {
    if unsafe encoding == .scaled {
      let number = unsafe Double(RawColumn.decode(data, width: width, base: base, step: step, i))
      let quotient = unsafe number / divisor
      return unsafe kind == .float ? Double(Float(quotient)) : quotient
    }
    // SAFETY: As in `decode`.
    if unsafe width == 4 {
      return unsafe Double(
        data.unsafelyUnwrapped.loadUnaligned(fromByteOffset: i &* 4, as: Float.self))
    }
    return unsafe data.unsafelyUnwrapped.loadUnaligned(fromByteOffset: i &* 8, as: Double.self)
  }

  /// Returns the number of row `i` of a column of 32-bit floating-point numbers, bit for bit.
  @inlinable @inline(__always)
  package func float(_ i: Int) -> Float {
    if unsafe encoding == .scaled { return unsafe Float(double(i)) }
    // SAFETY: As in `decode`; a float column's patterns have 4 bytes.
    return unsafe data.unsafelyUnwrapped.loadUnaligned(fromByteOffset: i &* 4, as: Float.self)
  }

  /// Returns the bytes of entry `i` of a dictionary, or of row `i` of a heap.
  @inlinable @inline(__always)
  package func heapBytes(_ i: Int) -> UnsafeRawBufferPointer {
    let start = unsafe RawColumn.decode(
      offsets, width: offsetWidth, base: offsetBase, step: offsetStep, i)
    let end = unsafe RawColumn.decode(
      offsets, width: offsetWidth, base: offsetBase, step: offsetStep, i &+ 1)
    // SAFETY: Verification has checked that offsets ascend and end within the heap. Even an empty heap has an address
    // that may be read.
    return unsafe UnsafeRawBufferPointer(
      start: heap.unsafelyUnwrapped + Int(start), count: Int(end &- start))
  }

  /// Returns the bytes of row `i`: text, bytes, a decimal in canonical form, or a UUID.
  @inlinable @inline(__always)
  package func bytes(_ i: Int) -> UnsafeRawBufferPointer {
    // SAFETY: As in `heapBytes`. A draft's slots lie within its heap, except for empty slots: they may have any offset,
    // and no byte is read there.
    switch unsafe encoding {
    case .dictionary:
      return unsafe heapBytes(Int(RawColumn.decode(data, width: width, base: base, step: 0, i)))
    case .slots:
      let slot = unsafe data.unsafelyUnwrapped.load(fromByteOffset: i &* 8, as: Slot.self)
      guard let heap = unsafe heap else {
        return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
      }
      return unsafe UnsafeRawBufferPointer(
        start: heap + slot.offset, count: slot.byteCount)
    case .fixed:
      return unsafe UnsafeRawBufferPointer(start: data.unsafelyUnwrapped + i &* 16, count: 16)
    default: return unsafe heapBytes(i)
    }
  }

  /// Returns the text of row `i` of a column of texts.
  @inlinable @inline(__always)
  package func text(_ i: Int) -> String {
    unsafe String(decoding: bytes(i), as: UTF8.self)
  }
}

/// The place of one row's bytes in a draft's heap: 34 bits of offset and 30 bits of length.
@usableFromInline
struct Slot: BitwiseCopyable {
  @usableFromInline var bits: UInt64

  /// The byte count of the longest byte string in a slot.
  @usableFromInline static let maximumByteCount = (1 << 30) - 1
  /// The byte count of the largest heap for slots.
  static let maximumHeapByteCount = (1 << 34) - 1

  init(offset: Int, byteCount: Int) {
    bits = UInt64(truncatingIfNeeded: offset) << 30 | UInt64(truncatingIfNeeded: byteCount)
  }

  @inlinable @inline(__always) var offset: Int { Int(truncatingIfNeeded: bits >> 30) }
  @inlinable @inline(__always) var byteCount: Int {
    Int(truncatingIfNeeded: bits) & Slot.maximumByteCount
  }
}
