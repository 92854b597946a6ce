/// Splits input of any length into the blocks of a hash function of the SHA-2 family, and pads the last block (FIPS
/// 180-4 §5.1).
struct BlockBuffer<let blockByteCount: Int>: Sendable {
  private var waiting = InlineArray<blockByteCount, UInt8>(repeating: 0)
  private var waitingByteCount = 0
  private var byteCount: UInt64 = 0

  /// Appends input and passes every full block to `take`. Whole blocks are not copied.
  mutating func append(_ bytes: RawSpan, _ take: (RawSpan) -> Void) {
    byteCount += UInt64(bytes.byteCount)
    var rest = bytes
    if waitingByteCount > 0 {
      let filling = rest.extracting(first: blockByteCount - waitingByteCount)
      keep(filling)
      rest = rest.extracting(droppingFirst: filling.byteCount)
      guard waitingByteCount == blockByteCount else { return }
      take(waiting.span.raw)
      waitingByteCount = 0
    }
    while rest.byteCount >= blockByteCount {
      take(rest.extracting(first: blockByteCount))
      rest = rest.extracting(droppingFirst: blockByteCount)
    }
    keep(rest)
  }

  /// Ends the input: a one bit, zeros, and the input's length in bits at the end of a block, as a big-endian number
  /// of `lengthByteCount` bytes.
  mutating func finish(lengthByteCount: Int, _ take: (RawSpan) -> Void) {
    let (upperBits, lowerBits) = byteCount.multipliedFullWidth(by: 8)
    waiting[waitingByteCount] = 0x80
    waitingByteCount += 1
    if waitingByteCount > blockByteCount - lengthByteCount {
      fillWithZeros()
      take(waiting.span.raw)
      waitingByteCount = 0
    }
    fillWithZeros()
    for place in 0..<8 {
      let shift = UInt64(8 * place)
      waiting[blockByteCount - 1 - place] = UInt8(truncatingIfNeeded: lowerBits >> shift)
      if lengthByteCount > 8 {
        waiting[blockByteCount - 9 - place] = UInt8(truncatingIfNeeded: upperBits >> shift)
      }
    }
    take(waiting.span.raw)
    waitingByteCount = 0
  }

  private mutating func keep(_ bytes: RawSpan) {
    for offset in 0..<bytes.byteCount {
      // SAFETY: The loop's range bounds the read.
      waiting[waitingByteCount + offset] = unsafe bytes.unsafeLoad(
        fromByteOffset: offset, as: UInt8.self)
    }
    waitingByteCount += bytes.byteCount
  }

  private mutating func fillWithZeros() {
    for offset in waitingByteCount..<blockByteCount { waiting[offset] = 0 }
  }
}

extension RawSpan {
  /// Returns the integer with its big-endian bytes at the given offset.
  func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(
    _ type: Value.Type, at offset: Int
  ) -> Value {
    precondition(offset >= 0 && offset <= byteCount - MemoryLayout<Value>.size)
    // SAFETY: The precondition bounds the read, and any bits are an integer.
    return unsafe Value(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
  }
}

extension FixedWidthInteger {
  /// Returns the value with its bits rotated to the right.
  func rotated(_ count: Self) -> Self { self &>> count | self &<< (Self(Self.bitWidth) &- count) }
}
