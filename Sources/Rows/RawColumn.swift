// SAFETY: Whoever makes one has verified its bytes or wrote them itself, and whoever reads one has
// checked the row.

import ObjectModel

/// How a column's values lie in memory. The first seven are the encodings of blocks (spec §3.4).
@usableFromInline
package enum ColumnEncoding: UInt8, Sendable {
  /// `base + step * i + u[i]`, with `u` of 0, 1, 2, 4 or 8 bytes.
  case integer = 1
  /// Such an integer divided by a power of ten.
  case scaled = 2
  /// The bit patterns of floating-point numbers.
  case real = 3
  /// One bit a row.
  case bits = 4
  /// Offsets into a heap of bytes.
  case bytes = 5
  /// Codes into a sorted dictionary of byte strings.
  case dictionary = 6
  /// Sixteen bytes a row.
  case fixed = 7
  /// Offset and length a row into a heap that still grows. Only in drafts, never written.
  case slots = 8
}

/// One column's values in memory: where they are and how they are encoded.
///
/// The same structure reads a column of a block, which was verified, and a column of a draft, so
/// whoever reads an object need not ask which it is. It owns nothing: whoever holds one holds the
/// memory too. Reads are not checked; ``Column`` is the safe face of it.
@unsafe
@usableFromInline
package struct RawColumn {
  /// Integers, codes, bits or bit patterns; `nil` when `width` is 0.
  @usableFromInline package var data: UnsafeRawPointer?
  @usableFromInline package var base: Int64 = 0
  @usableFromInline package var step: Int64 = 0
  /// A bit a row, 1 where the row has a value; `nil` when every row has one.
  @usableFromInline package var presence: UnsafeRawPointer?
  /// A bit a row, 1 where a change gives the value; `nil` when every row's is given.
  @usableFromInline package var given: UnsafeRawPointer?
  /// A bit a row, 1 where the value lies outside of the block; `nil` when every value is in it.
  @usableFromInline package var outside: UnsafeRawPointer?
  /// Offsets into the heap, integers encoded as the data are.
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
  /// Ten to the power of `scale`, of scaled floating-point numbers.
  @usableFromInline package var divisor: Double = 1
  @usableFromInline package var kind: ColumnKind = .int64
  /// Whether no row has a value; there are no data then.
  @usableFromInline package var isNothing = false

  @inlinable package init() {}
}

extension RawColumn {
  /// `base + step * i + u[i]`, modulo 2^64.
  @inlinable @inline(__always)
  package static func decode(
    _ data: UnsafeRawPointer?, width: UInt8, base: Int64, step: Int64, _ i: Int
  ) -> Int64 {
    let line = base &+ step &* Int64(truncatingIfNeeded: i)
    // SAFETY: Verification has checked that `data` holds `width` bytes for each row, and the caller
    // that `i` is a row.
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

  /// Whether row `i` has no value.
  @inlinable @inline(__always)
  package func isNull(_ i: Int) -> Bool {
    if unsafe isNothing { return true }
    guard let presence = unsafe presence else { return false }
    return unsafe !RawColumn.bit(presence, i)
  }

  /// Whether the change that this column belongs to gives row `i`'s value.
  @inlinable @inline(__always)
  package func isGiven(_ i: Int) -> Bool {
    guard let given = unsafe given else { return true }
    return unsafe RawColumn.bit(given, i)
  }

  /// The integer of row `i`: a whole number, 0 or 1 of a boolean, a reference, a dictionary code.
  @inlinable @inline(__always)
  package func integer(_ i: Int) -> Int64 {
    if unsafe encoding == .bits {
      return unsafe RawColumn.bit(data.unsafelyUnwrapped, i) ? 1 : 0
    }
    return unsafe RawColumn.decode(data, width: width, base: base, step: step, i)
  }

  /// The number of row `i` of a floating-point or date column.
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

  /// The number of row `i` of a column of 32-bit floating-point numbers, every bit of it.
  @inlinable @inline(__always)
  package func float(_ i: Int) -> Float {
    if unsafe encoding == .scaled { return unsafe Float(double(i)) }
    // SAFETY: As in `decode`; a float column's patterns have 4 bytes.
    return unsafe data.unsafelyUnwrapped.loadUnaligned(fromByteOffset: i &* 4, as: Float.self)
  }

  /// The bytes of entry `code` of a dictionary, or of row `i` of a heap.
  @inlinable @inline(__always)
  package func heapBytes(_ i: Int) -> UnsafeRawBufferPointer {
    let start = unsafe RawColumn.decode(
      offsets, width: offsetWidth, base: offsetBase, step: offsetStep, i)
    let end = unsafe RawColumn.decode(
      offsets, width: offsetWidth, base: offsetBase, step: offsetStep, i &+ 1)
    // SAFETY: Verification has checked that offsets ascend and end within the heap.
    return unsafe UnsafeRawBufferPointer(
      start: heap.unsafelyUnwrapped + Int(start), count: Int(end &- start))
  }

  /// The bytes of row `i`: text, bytes, a decimal in canonical form, a UUID.
  @inlinable @inline(__always)
  package func bytes(_ i: Int) -> UnsafeRawBufferPointer {
    // SAFETY: As in `heapBytes`. A draft keeps its slots within its heap.
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

  /// The text of row `i` of a column of texts.
  @inlinable @inline(__always)
  package func text(_ i: Int) -> String {
    unsafe String(decoding: bytes(i), as: UTF8.self)
  }
}

/// Where one row's bytes are in a draft's heap: 34 bits of offset and 30 bits of length.
@usableFromInline
struct Slot: BitwiseCopyable {
  @usableFromInline var bits: UInt64

  /// The longest byte string a slot can hold.
  @usableFromInline static let maximumByteCount = (1 << 30) - 1
  /// The largest heap slots can lead into.
  static let maximumHeapByteCount = (1 << 34) - 1

  init(offset: Int, byteCount: Int) {
    bits = UInt64(truncatingIfNeeded: offset) << 30 | UInt64(truncatingIfNeeded: byteCount)
  }

  @inlinable @inline(__always) var offset: Int { Int(truncatingIfNeeded: bits >> 30) }
  @inlinable @inline(__always) var byteCount: Int {
    Int(truncatingIfNeeded: bits) & Slot.maximumByteCount
  }
}
