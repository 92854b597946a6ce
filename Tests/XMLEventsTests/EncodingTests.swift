import Testing
import XMLEvents

@Suite("Encodings of XML texts")
struct EncodingTests {
  /// Collects the events as text.
  private struct Recorder: XMLEventHandler {
    var text = ""

    mutating func start(_ tag: borrowing XMLStartTag) throws {
      text += "<" + tag.nameString
      for index in 0..<tag.attributeCount { text += " " + tag.attributeString(index) }
      text += ">"
    }
    mutating func end(_ name: XMLNameID) throws { text += "</>" }
    mutating func text(_ bytes: Span<UInt8>) throws {
      text += bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// A way to write a text as bytes.
  enum Form: String, CaseIterable, Sendable {
    case utf8, utf8WithMark, utf16BigEndian, utf16LittleEndian, utf16BigEndianWithMark,
      utf16LittleEndianWithMark, latin1

    func bytes(_ text: String) -> [UInt8] {
      let units = Array(text.utf16)
      switch self {
      case .utf8: return Array(text.utf8)
      case .utf8WithMark: return [0xEF, 0xBB, 0xBF] + text.utf8
      case .utf16BigEndian: return units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      case .utf16LittleEndian: return units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      case .utf16BigEndianWithMark: return [0xFE, 0xFF] + Form.utf16BigEndian.bytes(text)
      case .utf16LittleEndianWithMark: return [0xFF, 0xFE] + Form.utf16LittleEndian.bytes(text)
      case .latin1: return text.unicodeScalars.map { UInt8($0.value) }
      }
    }

    /// The encoding names that a declaration in this form may use; `nil` stands for a declaration without a name.
    var names: [String?] {
      switch self {
      case .utf8, .utf8WithMark: [nil, "UTF-8", "utf-8"]
      case .utf16BigEndian, .utf16BigEndianWithMark: [nil, "UTF-16", "utf-16be"]
      case .utf16LittleEndian, .utf16LittleEndianWithMark: [nil, "utf-16", "UTF-16LE"]
      case .latin1: ["ISO-8859-1", "iso-8859-1", "Latin1"]
      }
    }
  }

  private static func read(_ bytes: [UInt8], pieces: Int = .max) throws -> String {
    var parser = XMLPushParser(handler: Recorder())
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(pieces))
      rest = rest.dropFirst(pieces)
      try parser.parse(piece.span)
    }
    return try parser.finish().text
  }

  private static func declaration(_ name: String?) -> String {
    "<?xml version=\"1.0\"\(name.map { " encoding='\($0)'" } ?? "")?>\n"
  }

  @Test(
    "A text has the same events in every encoding and in pieces of any size",
    arguments: Form.allCases)
  func reading(_ form: Form) throws {
    let characters = form == .latin1 ? "é>?ÿ" : "é>?ÿ ‰ 日本 🚂"
    for name in form.names {
      let bytes = form.bytes(Self.declaration(name) + "<a b='\(characters)'>\(characters)</a>")
      for pieces in [1, 2, 3, 7, .max] {
        #expect(
          try Self.read(bytes, pieces: pieces) == "<a \(characters)>\(characters)</>",
          "\(name ?? "no name"), pieces of \(pieces)")
      }
    }
    if form != .latin1 {
      #expect(try Self.read(form.bytes("<a>\(characters)</a>")) == "<a>\(characters)</>")
    }
  }

  @Test(
    "Another encoding is an error that names it",
    arguments: [
      ("Shift_JIS", Form.utf8), ("UTF-7", .utf8), ("windows-1252", .utf8), ("UTF-16", .utf8),
      ("UTF-8", .utf16BigEndianWithMark), ("UTF-16LE", .utf16BigEndian),
      ("ISO-8859-1", .utf16LittleEndian),
      ("ISO-8859-1", .utf8WithMark), ("UCS-4", .utf8),
    ])
  func refusing(_ name: String, _ form: Form) {
    let bytes = form.bytes(Self.declaration(name) + "<a/>")
    for pieces in [1, .max] {
      let error = #expect(throws: XMLError.self) { try Self.read(bytes, pieces: pieces) }
      #expect(error?.code == .encodingRefused)
      #expect(error?.message.contains("'\(name)'") == true, "\(error!)")
    }
  }

  @Test("UTF-32 is refused by its name")
  func fourBytes() {
    for bytes: [UInt8] in [
      [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x3C], [0xFF, 0xFE, 0, 0, 0x3C, 0, 0, 0],
      [0, 0, 0, 0x3C, 0, 0, 0, 0x61],
      [0x3C, 0, 0, 0, 0x61, 0, 0, 0],
    ] {
      let error = #expect(throws: XMLError.self) { try Self.read(bytes) }
      #expect(error?.message.contains("UTF-32") == true)
    }
  }

  @Test("Bytes that are invalid in their encoding are an error")
  func badBytes() {
    let big = Form.utf16BigEndianWithMark.bytes("<a>")
    let end = Form.utf16BigEndian.bytes("</a>")
    let bad: [[UInt8]] = [
      big + [0xD8, 0x3D] + end, big + [0xDE, 0x82] + end, big + end + [0],
      big + Form.utf16BigEndian.bytes("x</a>").dropLast(), big + [0xD8, 0x3D],
      Array(Self.declaration("US-ASCII").utf8) + "<a>".utf8 + [0xE9] + "</a>".utf8,
      Array("<a>".utf8) + [0xE9] + "</a>".utf8,
    ]
    for bytes in bad {
      for pieces in [1, .max] {
        let error = #expect(throws: XMLError.self) { try Self.read(bytes, pieces: pieces) }
        #expect(error?.code == .malformed, "\(bytes)")
      }
    }
  }
}
