import Foundation
import PropertyLists
import Testing
import XMLEvents

@Suite("Property lists in XML")
struct XMLPropertyListTests {
  private func written(_ list: PropertyList) throws -> [UInt8] {
    var writer = XMLWriter()
    try XMLPropertyList.write(list, into: &writer)
    return writer.finish()
  }

  @Test("A written list reads back equal, also with Foundation")
  func roundTrip() throws {
    let dates: [TimeInterval] = [
      0, -1, 86_399, 86_400 * 59, -63_113_904_000, 252_423_993_599, 1e9, -1e9,
    ]
    let list = PropertyList.dictionary([
      "text": .string("<&>\"' \r\n\t ü \u{1F682}"), "": .string(""),
      "numbers": .array([
        .integer(0), .integer(.min), .integer(.max), .unsigned(.max), .real(0.1), .real(-0.0),
        .real(1e300), .real(.infinity),
      ]),
      "dates": .array(dates.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }),
      "data": .data(Data((0..<200).map { UInt8($0) })), "none": .data(Data()),
      "yes": .boolean(true), "no": .boolean(false), "empty": .array([]), "bare": .dictionary([:]),
    ])
    #expect(XMLPropertyList.canHold(list))
    let bytes = try written(list)

    #expect(try XMLPropertyList.read(bytes) == list)

    let other = try PropertyListSerialization.propertyList(
      from: Data(bytes), options: [], format: nil)
    let values = try #require(other as? [String: Any])
    #expect(values["text"] as? String == "<&>\"' \r\n\t ü \u{1F682}")
    #expect(
      (values["dates"] as? [Date])?.map(\.timeIntervalSinceReferenceDate) == dates)
    #expect((values["data"] as? Data)?.count == 200)
  }

  @Test("A text that XML would change is refused")
  func limits() {
    for list in [
      PropertyList.string("\u{0}"), .string("\u{FFFF}"), .set([]), .uid(1), .null,
      .date(Date(timeIntervalSinceReferenceDate: 0.5)), .date(.distantPast - 1e12),
      .date(Date(timeIntervalSinceReferenceDate: .nan)), .unsigned(5),
      .real(Double(bitPattern: 0x7FF8_0000_0000_0001)), .dictionary(["\u{1}": .boolean(true)]),
      .array([.array([.null])]),
    ] { #expect(!XMLPropertyList.canHold(list), "\(list)") }
  }

  @Test("A document of Apple's tools is read")
  func apple() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \t<key>hex</key> <integer>0x1F</integer>
      \t<key>data</key>
      \t<data>
      \tAAEC
      \tAw==
      \t</data>
      \t<key>when</key><date>2009-03-20T08:30:02Z</date>
      </dict>
      </plist>
      """
    let list = try XMLPropertyList.read(Array(text.utf8))
    #expect(list["hex"] == .integer(31))
    #expect(list["data"] == .data(Data([0, 1, 2, 3])))
    #expect(list["when"] == .date(Date(timeIntervalSinceReferenceDate: 259_230_602)))
  }

  @Test(
    "Text that is not a property list is refused with its line",
    arguments: [
      "<plist/>", "<dict/>", "<plist><dict><string>a</string></dict></plist>",
      "<plist><string>a</string><string>b</string></plist>", "<plist><x/></plist>",
      "<plist><integer></integer></plist>", "<plist><integer>1.5</integer></plist>",
      "<plist><integer>99999999999999999999</integer></plist>", "<plist><real>one</real></plist>",
      "<plist><date>2001-13-01T00:00:00Z</date></plist>",
      "<plist><date>2001-02-29T00:00:00Z</date></plist>",
      "<plist><date>2001-04-31T00:00:00Z</date></plist>", "<plist><data>A</data></plist>",
      "<plist><date>0000-01-01T00:00:00Z</date></plist>",
      "<plist><true>x</true></plist>", "<plist><string><b/></string></plist>",
      "<plist><dict><key>a</key><key>b</key></dict></plist>", "<plist><plist/></plist>",
      "<plist><array>text</array></plist>",
    ])
  func refused(_ text: String) {
    let error = #expect(throws: PropertyListError.self) {
      try XMLPropertyList.read(Array(("\n" + text).utf8))
    }
    #expect(error?.description.contains("line ") ?? false)
  }

  @Test("Nesting is limited")
  func depth() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array(
        ("<plist>" + String(repeating: "<array>", count: depth)
          + String(repeating: "</array>", count: depth) + "</plist>").utf8)
    }
    #expect(throws: Never.self) { try XMLPropertyList.read(nested(200)) }
    #expect(throws: (any Error).self) { try XMLPropertyList.read(nested(300)) }
    #expect(throws: (any Error).self) { try XMLPropertyList.read(nested(100_000)) }
  }
}
