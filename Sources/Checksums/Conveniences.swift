public import Foundation

// The same functions for other types of bytes.

extension CRC32C {
  /// Adds more bytes to the checksum.
  public mutating func update(_ bytes: [UInt8]) { update(bytes.span.raw) }

  /// Adds more bytes to the checksum.
  public mutating func update(_ bytes: Data) { update(bytes.bytes) }

  /// Adds more bytes to the checksum. The bytes must stay in place during the call.
  @unsafe public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe update(bytes.bytes)
  }

  /// Returns the checksum of the given bytes.
  public static func checksum(of bytes: [UInt8]) -> UInt32 { checksum(of: bytes.span.raw) }

  /// Returns the checksum of the given bytes.
  public static func checksum(of bytes: Data) -> UInt32 { checksum(of: bytes.bytes) }

  /// Returns the checksum of the given bytes, which must stay in place during the call.
  @unsafe public static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    unsafe checksum(of: bytes.bytes)
  }
}

extension HashFunction {
  public mutating func update(_ bytes: [UInt8]) { update(bytes.span.raw) }

  public mutating func update(_ bytes: Data) { update(bytes.bytes) }

  /// Adds more input: the text's UTF-8.
  public mutating func update(_ text: String) { update(Array(text.utf8)) }

  /// Adds more input, which must stay in place during the call.
  @unsafe public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe update(bytes.bytes)
  }

  /// Returns the result for the given bytes.
  public static func digest(of bytes: [UInt8]) -> Output { digest(of: bytes.span.raw) }

  /// Returns the result for the given bytes.
  public static func digest(of bytes: Data) -> Output { digest(of: bytes.bytes) }

  /// Returns the result for the given bytes, which must stay in place during the call.
  @unsafe public static func digest(of bytes: UnsafeRawBufferPointer) -> Output {
    unsafe digest(of: bytes.bytes)
  }
}

extension Span<UInt8> {
  /// The same bytes without their type.
  var raw: RawSpan {
    @_lifetime(copy self)
    get {
      // SAFETY: `bytes` is unsafe for types with padding between their bits; a byte has none.
      unsafe bytes
    }
  }
}
