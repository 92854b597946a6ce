import ObjectModel

// The canonical bytes (spec §3.4.6): no bytes for "not a number". Otherwise the exponent, the sign (0 or 1), and
// the magnitude in little-endian order without zero bytes at its end.
extension DecimalParts {
  /// The byte count of the longest canonical form.
  static let maximumByteCount = 18

  func write(into buffer: inout [UInt8]) {
    buffer.append(UInt8(bitPattern: exponent))
    buffer.append(isNegative ? 1 : 0)
    var rest = magnitude
    while rest != 0 {
      buffer.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// Parses canonical bytes; `nil` when the bytes are not canonical or represent no number. The caller must
  /// recognize an empty buffer, which means "not a number".
  @unsafe init?(canonicalBytes bytes: UnsafeRawBufferPointer) {
    self.init(0, exponent: 0)
    guard bytes.count >= 2, bytes.count <= DecimalParts.maximumByteCount else { return nil }
    // SAFETY: The count was checked above, and every subscript below stays under it.
    exponent = unsafe Int8(bitPattern: bytes[0])
    guard unsafe bytes[1] <= 1 else { return nil }
    isNegative = unsafe bytes[1] == 1
    for i in stride(from: bytes.count - 1, through: 2, by: -1) {
      magnitude = unsafe magnitude << 8 | UInt128(bytes[i])
    }
    if bytes.count > 2 {
      guard unsafe bytes[bytes.count - 1] != 0 else { return nil }
      guard magnitude % 10 != 0 || exponent == Int8.max else { return nil }
    } else {
      guard exponent == 0, !isNegative else { return nil }
    }
  }
}
