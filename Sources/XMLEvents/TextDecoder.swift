/// Converts the bytes of an XML text to UTF-8, in pieces of any size.
struct TextDecoder {
  private enum Stage {
    /// The first bytes, collected until they determine the encoding.
    case start([UInt8])
    case text(XMLEncoding)
  }

  private var stage = Stage.start([])
  /// The first byte of an incomplete 16-bit unit.
  private var half: UInt8?
  /// The first unit of an incomplete surrogate pair.
  private var lead: UInt16?

  /// The maximum length of an XML declaration.
  private static let declarationByteLimit = 4096

  /// Calls `body` with the next piece of the text in UTF-8. If no conversion is needed, this is the given piece
  /// itself.
  ///
  /// - Throws: ``XMLError`` if the encoding is not supported, or the bytes are invalid in it.
  mutating func decode(
    _ bytes: Span<UInt8>, at position: @autoclosure () -> XMLPosition,
    _ body: (Span<UInt8>) throws -> Void
  ) throws {
    guard case .start(var start) = stage else {
      return try decodeText(bytes, at: position(), body)
    }
    let taken = min(bytes.count, TextDecoder.declarationByteLimit - start.count)
    for index in 0..<taken { start.append(bytes[index]) }
    stage = .start(start)
    guard TextDecoder.isDecided(start) else { return }
    try begin(at: position(), body)
    try decodeText(bytes.extracting(droppingFirst: taken), at: position(), body)
  }

  /// Ends the text.
  ///
  /// - Throws: ``XMLError`` if the text ends within a character.
  mutating func finish(
    at position: @autoclosure () -> XMLPosition, _ body: (Span<UInt8>) throws -> Void
  ) throws {
    if case .start = stage { try begin(at: position(), body) }
    guard half == nil, lead == nil else {
      throw XMLError.badBytes(of: .utf16(isBigEndian: true), at: position())
    }
  }

  /// Whether the encoding can be determined from the first bytes, or more bytes would not help.
  private static func isDecided(_ start: [UInt8]) -> Bool {
    // A byte order mark and the first two characters fit into eight bytes.
    guard start.count >= 8 else { return false }
    // In every supported encoding, the declaration ends with the first byte of this value.
    return start.count >= declarationByteLimit || start.contains(UInt8(ascii: ">"))
      || !start.contains(UInt8(ascii: "?"))
  }

  /// Determines the encoding, and decodes the collected bytes.
  private mutating func begin(
    at position: @autoclosure () -> XMLPosition, _ body: (Span<UInt8>) throws -> Void
  ) throws {
    guard case .start(let start) = stage else { return }
    if XMLEncoding.isUTF32(start) { throw XMLError.encoding("UTF-32") }
    let found = XMLEncoding.ofFirstBytes(start)
    let mark = found?.markByteCount ?? 0
    var text = start[mark...]
    if case .utf16(let isBigEndian)? = found?.encoding {
      // A declaration is ASCII, so every second byte contains its characters.
      text = ArraySlice(
        stride(from: mark + (isBigEndian ? 1 : 0), to: start.count, by: 2).map { start[$0] })
    }
    // libxml2 accepts a version without a number behind the point.
    if let version = XMLEncoding.declared("version", in: text), version.hasSuffix(".") {
      throw XMLError.version(version)
    }
    var encoding = found?.encoding ?? .utf8
    if let name = XMLEncoding.declared("encoding", in: text) {
      guard let named = XMLEncoding.named(name, found: found?.encoding) else {
        throw XMLError.encoding(name, butIs: found?.encoding)
      }
      encoding = named
    }
    stage = .text(encoding)
    try decodeText(start.span.extracting(droppingFirst: mark), at: position(), body)
  }

  private mutating func decodeText(
    _ bytes: Span<UInt8>, at position: @autoclosure () -> XMLPosition,
    _ body: (Span<UInt8>) throws -> Void
  ) throws {
    guard case .text(let encoding) = stage, !bytes.isEmpty else { return }
    switch encoding {
    case .utf8: try body(bytes)
    case .ascii:
      for index in bytes.indices where bytes[index] >= 0x80 {
        // The text before the invalid byte is delivered, as in UTF-8.
        if index > 0 { try body(bytes.extracting(0..<index)) }
        throw XMLError.badBytes(of: .ascii, at: position())
      }
      try body(bytes)
    case .latin1:
      var text: [UInt8] = []
      text.reserveCapacity(bytes.count + bytes.count / 8)
      for index in bytes.indices { TextDecoder.append(UInt32(bytes[index]), to: &text) }
      try body(text.span)
    case .utf16(let isBigEndian):
      var text: [UInt8] = []
      text.reserveCapacity(bytes.count)
      for index in bytes.indices {
        guard let first = half else {
          half = bytes[index]
          continue
        }
        half = nil
        let (high, low) = isBigEndian ? (first, bytes[index]) : (bytes[index], first)
        guard append(UInt16(high) << 8 | UInt16(low), to: &text) else {
          if !text.isEmpty { try body(text.span) }
          throw XMLError.badBytes(of: encoding, at: position())
        }
      }
      if !text.isEmpty { try body(text.span) }
    }
  }

  /// Appends a unit of UTF-16, or keeps the first unit of a surrogate pair until the second comes.
  ///
  /// - Returns: Whether the unit is valid after the previous unit.
  private mutating func append(_ unit: UInt16, to text: inout [UInt8]) -> Bool {
    let isTrail = unit & 0xFC00 == 0xDC00
    if let lead {
      guard isTrail else { return false }
      self.lead = nil
      let scalar = 0x1_0000 + (UInt32(lead & 0x3FF) << 10 | UInt32(unit & 0x3FF))
      TextDecoder.append(scalar, to: &text)
    } else if unit & 0xFC00 == 0xD800 {
      lead = unit
    } else {
      guard !isTrail else { return false }
      TextDecoder.append(UInt32(unit), to: &text)
    }
    return true
  }

  /// Appends a character in UTF-8.
  @inline(__always)
  private static func append(_ scalar: UInt32, to text: inout [UInt8]) {
    func byte(_ value: UInt32) { text.append(UInt8(truncatingIfNeeded: value)) }
    switch scalar {
    case ..<0x80: byte(scalar)
    case ..<0x800:
      byte(0xC0 | scalar >> 6)
      byte(0x80 | scalar & 0x3F)
    case ..<0x1_0000:
      byte(0xE0 | scalar >> 12)
      byte(0x80 | scalar >> 6 & 0x3F)
      byte(0x80 | scalar & 0x3F)
    default:
      byte(0xF0 | scalar >> 18)
      byte(0x80 | scalar >> 12 & 0x3F)
      byte(0x80 | scalar >> 6 & 0x3F)
      byte(0x80 | scalar & 0x3F)
    }
  }
}
