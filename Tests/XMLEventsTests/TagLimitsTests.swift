import Testing

@testable import XMLEvents

@Suite("Limits of tags")
struct TagLimitsTests {
  /// Returns the limit that a tag of a text exceeds, read in pieces; `nil` if there is none.
  private static func excess(
    _ text: String, attributes: Int = 3, nameBytes: Int = 20, pieces: Int = .max
  ) -> TagLimits.Excess? {
    var scanner = TagLimits(XMLLimits(nameByteCount: nameBytes, attributeCount: attributes))
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(pieces))
      rest = rest.dropFirst(pieces)
      if let found = scanner.scan(piece.span) { return found }
    }
    return nil
  }

  private static let filler = String(repeating: "x", count: 100)

  @Test(
    "Only the attributes of start tags count",
    arguments: [
      "<a b='1' c='2' d='3'>= = = = = \(filler)</a>",
      "<a b='= = = = =' c=\"= '= = = =\" d='\(filler)'/>",
      "<a b='>= = = ='/><!-- <a b='1' c='2' d='3' e='4' f='5'> \(filler) --><c/>",
      "<!-- ' --><a/><!--- = --><b c='\"'/><!-- \" = = = = --><d/>",
      "<a><![CDATA[<a b='1' c='2' d='3' e='4'>\(filler)]]]]>&gt;]]></a>",
      "<?a b='1' c='2' d='3' e='4' \(filler) ? > ??><a/>",
      "<!DOCTYPE a SYSTEM \"<a b='\"><a b='1' c='2'/>",
      "<!DOCTYPE a [<!-- ]> ' --><?p ]> ' ?><!ELEMENT a (b)> ]><a b='1'/>",
      "<a></a b='1' c='2' d='3' e='4' \(filler)><b/>",
      "<a\n\tb\n=\n'1'\n c = '2'/>",
    ])
  func exact(_ text: String) {
    for pieces in [1, 2, 3, 5, 8, 13, .max] {
      #expect(Self.excess(text, pieces: pieces) == nil, "pieces of \(pieces)")
    }
  }

  @Test(
    "A tag with too many attributes is found after any other markup",
    arguments: [
      "", "<!-- \(filler) -->", "<![CDATA[ ]] > ]]]>", "<?p ' ?>", "<!DOCTYPE a SYSTEM \"<b c='\">",
      "<!DOCTYPE a [<!-- ' --><!ATTLIST a b CDATA #IMPLIED>]>", "<a b='\"'>", "<a b=\"'\">", "</a>",
      "= ' \" ",
      "<a b='<",
    ])
  func found(_ before: String) {
    let text = before + "<a b='1' c='2' d='3' e='\(Self.filler)'/>"
    for pieces in [1, 2, 3, 5, 8, 13] {
      #expect(Self.excess(text, pieces: pieces)?.isName == false, "pieces of \(pieces)")
    }
    #expect(Self.excess(text)?.offset == before.utf8.count || before.hasSuffix("<"))
  }

  @Test("A name that is too long is found")
  func names() {
    let long = String(repeating: "n", count: 21)
    let short = String(repeating: "n", count: 20)
    for pieces in [1, 7, .max] {
      #expect(Self.excess("<\(short) \(short)='\(Self.filler)'/>", pieces: pieces) == nil)
      #expect(Self.excess("<\(long) a='\(Self.filler)'/>", pieces: pieces)?.isName == true)
      #expect(Self.excess("<a \(long)='\(Self.filler)'/>", pieces: pieces)?.isName == true)
    }
  }

  /// Counts elements.
  private struct Counter: XMLEventHandler {
    var count = 0
    mutating func start(_ tag: borrowing XMLStartTag) throws { count += 1 }
    mutating func end(_ name: XMLNameID) throws {}
    mutating func text(_ bytes: Span<UInt8>) throws {}
  }

  @Test("A tag with many attributes is refused where it begins, before libxml2 compares them")
  func manyAttributes() throws {
    var text = "<a>\n<b/>\n<c\n"
    for number in 0..<200_000 { text += "x\(number)=''\n" }
    text += "/></a>"
    let bytes = Array(text.utf8)
    var parser = XMLPushParser(handler: Counter())

    var found: XMLError?
    do { try parser.parse(bytes.span) } catch let error as XMLError { found = error }
    let count = parser.abandoned().count

    #expect(found?.code == .limitExceeded)
    // The position lies before the tag, which ends on line 200,004.
    #expect(found?.position.map { $0.line <= 3 } == true)
    #expect(count == 2)
  }

  @Test("The number of open namespaces is limited")
  func namespaces() throws {
    func nested(_ depth: Int) -> [UInt8] {
      var text = ""
      for level in 0..<depth { text += "<a xmlns:n\(level)='u' xmlns:m\(level)='v'>" }
      return Array((text + String(repeating: "</a>", count: depth)).utf8)
    }
    let limits = XMLLimits(attributeCount: 20)

    _ = try XMLPushParser.parse(nested(10).span, handler: Counter(), limits: limits)
    let error = #expect(throws: XMLError.self) {
      try XMLPushParser.parse(nested(11).span, handler: Counter(), limits: limits)
    }

    #expect(error?.code == .limitExceeded)
  }
}
