import Testing
import XMLEvents

/// Records the events of a parser.
private struct Recorder: XMLEventHandler {
  var events: [String] = []

  mutating func start(_ tag: borrowing XMLStartTag) throws {
    var attributes: [String] = []
    for index in 0..<tag.attributeCount {
      attributes.append("\(tag.attributeNameString(index))=\(tag.attributeString(index))")
    }
    events.append(([tag.nameString] + attributes).joined(separator: " "))
  }

  mutating func end(_ name: XMLNameID) throws { events.append("/") }

  mutating func text(_ bytes: Span<UInt8>) throws {
    var text = ""
    for index in bytes.indices { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    events.append("'\(text)'")
  }
}

private func events(_ text: String, limits: XMLLimits = XMLLimits()) throws -> [String] {
  let bytes = Array(text.utf8)
  return try XMLPushParser.parse(bytes.span, handler: Recorder(), limits: limits).events
}

@Suite("XML is parsed in pieces")
struct ParsingTests {
  @Test("Elements, attributes and text are reported in order")
  func order() throws {
    #expect(
      try events("<a x='1' y='&lt;&#65;'><b>t&amp;u</b><!-- c --><?p?></a>").filter { $0 != "''" }
        .joined(separator: " ").replacing("' '", with: "") == "a x=1 y=<A b 't&u' / /")
  }

  @Test("The text may be cut into pieces at any place")
  func pieces() throws {
    let bytes = Array("<?xml version=\"1.0\"?><a x=\"é\"><b/>text</a>".utf8)
    for cut in 0...bytes.count {
      var parser = XMLPushParser(handler: Recorder())
      try parser.parse(Array(bytes[..<cut]).span)
      try parser.parse(Array(bytes[cut...]).span)
      let events = try parser.finish().events
      #expect(events.first == "a x=é" && events.filter { $0 == "/" }.count == 2, "cut at \(cut)")
    }
  }

  @Test(
    "Malformed text is an error with a place",
    arguments: [
      "", "x", "<?xml version='1.'?><a/>", "<\0\0\0a", "\0\0\0<a", "\0<\0\0a", "<a>", "<a></b>",
      "<a><b></a>", "<a/>x",
      "<a x=1/>", "<a x='1' x='2'/>",
      "<a>&b;</a>",
      "<a>\u{1}</a>", "<a", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<1/>", "<a>]]></a>",
    ])
  func malformed(_ text: String) {
    let error = #expect(throws: XMLError.self) { try events(text) }
    #expect(error?.position != nil)
  }

  @Test("A document type that names a file is ignored, and the file is never opened")
  func documentType() throws {
    #expect(
      try events("<!DOCTYPE a SYSTEM \"file:///no/such/file.dtd\"><a/>") == ["a", "/"])
    #expect(
      try events(
        "<!DOCTYPE plist PUBLIC \"-//X//Y\" \"http://www.apple.com/x.dtd\"><a/>"
      ) == [
        "a", "/",
      ])
  }

  @Test(
    "Entities are refused, internal and external",
    arguments: [
      "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/hostname\">]><a>&b;</a>",
      "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;&b;\">]><a>&c;&c;</a>",
      "<!DOCTYPE a [<!ENTITY % p SYSTEM \"file:///etc/hostname\"> %p;]><a/>",
      "<!DOCTYPE a [<!ATTLIST a x CDATA \"y\">]><a/>",
    ])
  func entities(_ text: String) {
    let error = #expect(throws: XMLError.self) { try events(text) }
    #expect(error?.code == .entityRefused)
  }

  @Test("Depth, attributes and text are limited")
  func limits() {
    let deep = String(repeating: "<a>", count: 600) + String(repeating: "</a>", count: 600)
    let wide = "<a " + (0..<50).map { "x\($0)=''" }.joined(separator: " ") + "/>"
    for (text, limits) in [
      (deep, XMLLimits()), (wide, XMLLimits(attributeCount: 49)),
      ("<a>" + String(repeating: "x", count: 101) + "</a>", XMLLimits(textByteCount: 100)),
    ] {
      let error = #expect(throws: XMLError.self) { try events(text, limits: limits) }
      #expect(error?.code == .limitExceeded)
    }
  }

  @Test("Several parsers can run at once")
  func concurrency() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for count in 1...20 {
        group.addTask {
          try events("<a>" + String(repeating: "<b c='d'/>", count: count * 50) + "</a>").count
        }
      }
      var counts: [Int] = []
      for try await one in group { counts.append(one) }
      #expect(counts.sorted() == (1...20).map { $0 * 100 + 2 })
    }
  }

  @Test("Written text reads back equal")
  func writing() throws {
    let nasty = "<>&\"'\t\n\r ü 🚂 ]]>"
    var writer = XMLWriter()
    writer.declaration(isStandalone: true)
    try writer.start("a", [("x", nasty), ("y", "")])
    try writer.start("b")
    try writer.text("<&>")
    writer.end()
    try writer.element("c")
    writer.end()
    let bytes = writer.finish()

    let read = try XMLPushParser.parse(bytes.span, handler: Recorder()).events

    #expect(read.first == "a x=\(nasty) y=")
    #expect(read.contains("b") && read.contains("c"))
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("</b>\n    <c/>\n</a>"))
  }

  @Test("Characters that XML can't contain are refused", arguments: ["\0", "\u{B}", "\u{FFFF}"])
  func unwritable(_ text: String) {
    var writer = XMLWriter()
    #expect(throws: XMLError.self) { try writer.start("a", [("x", text)]) }
    #expect(throws: XMLError.self) { try writer.start("a b") }
  }
}
