public import Foundation

// The same over the other types that bytes come in.

extension CRC32C {
  /// Goes on over more bytes.
  public mutating func update(_ bytes: [UInt8]) { update(bytes.span.raw) }

  /// Goes on over more bytes.
  public mutating func update(_ bytes: Data) { update(bytes.bytes) }

  /// Goes on over more bytes, which must stay in place during the call.
  @unsafe public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe update(bytes.bytes)
  }

  /// The checksum of the given bytes.
  public static func checksum(of bytes: [UInt8]) -> UInt32 { checksum(of: bytes.span.raw) }

  /// The checksum of the given bytes.
  public static func checksum(of bytes: Data) -> UInt32 { checksum(of: bytes.bytes) }

  /// The checksum of the given bytes, which must stay in place during the call.
  @unsafe public static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    unsafe checksum(of: bytes.bytes)
  }
}

extension HashFunction {
  /// Takes more input.
  public mutating func update(_ bytes: [UInt8]) { update(bytes.span.raw) }

  /// Takes more input.
  public mutating func update(_ bytes: Data) { update(bytes.bytes) }

  /// Takes more input: the text's UTF-8.
  public mutating func update(_ text: String) { update(Array(text.utf8)) }

  /// Takes more input, which must stay in place during the call.
  @unsafe public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe update(bytes.bytes)
  }

  /// What comes of the given bytes.
  public static func digest(of bytes: [UInt8]) -> Output { digest(of: bytes.span.raw) }

  /// What comes of the given bytes.
  public static func digest(of bytes: Data) -> Output { digest(of: bytes.bytes) }

  /// What comes of the given bytes, which must stay in place during the call.
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
