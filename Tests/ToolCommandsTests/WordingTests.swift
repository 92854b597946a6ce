import CommandInterface
import Foundation
import JSONText
import ModelNotations
import ObjectModel
import PropertyLists
import Testing

@testable import ToolCommands

@Suite("Models in words")
struct WordingTests {
  @Test("Every part of a model is described in text and in JSON")
  func everyPart() throws {
    let model = try Sample.model

    try expectSnapshot(Wording.text(model, on: Console.Stream { _ in }), "wording.txt")
    try expectSnapshot(ModelJSON.json(model).text + "\n", "wording.json")
  }

  @Test("The output for programs is JSON")
  func json() throws {
    let text = ModelJSON.json(try Sample.model).text

    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]

    #expect((object?["entities"] as? [Any])?.count == 2)
  }

  @Test(
    "Dates have all their digits, and dates without a text form are numbers of seconds",
    arguments: [
      (.nan, "@nan"), (.infinity, "@inf"), (-.infinity, "@-inf"), (1e300, "@1e+300"),
      (-1e12, "@-1000000000000.0"), (-2e11, "@-200000000000.0"),
      (0.5, "2001-01-01T00:00:00.5Z"), (0.123456789, "2001-01-01T00:00:00.123456789Z"),
    ])
  func moments(_ seconds: Double, _ text: String) {
    #expect(Wording.text(.date(Date(timeIntervalSinceReferenceDate: seconds))) == text)
  }

  @Test(
    "Values are written for people in text and as JSON values in JSON",
    arguments: [
      (.null, "null", .null),
      (.boolean(true), "true", .boolean(true)),
      (.integer(-7), "-7", .number("-7")),
      (.float(0.1), "0.1", .number("0.1")),
      (.double(.infinity), "inf", .string("inf")),
      (.decimal(Decimal(string: "12.50")!), "12.5", .string("12.5")),
      (.string("a\"b\\\n"), #""a\"b\\\n""#, .string("a\"b\\\n")),
      (
        .date(Date(timeIntervalSinceReferenceDate: 0)), "2001-01-01T00:00:00Z",
        .string("2001-01-01T00:00:00Z")
      ),
      (
        .date(Date(timeIntervalSinceReferenceDate: 0.5)), "2001-01-01T00:00:00.5Z",
        .string("2001-01-01T00:00:00.5Z")
      ),
      (.uri("a:b"), "a:b", .string("a:b")),
      (.binary(Data([1])), "1 byte", .string("AQ==")),
      (.object(ObjectKey(entity: 3, number: 17)), "3/p17", .string("3/p17")),
    ] as [(Value, String, JSON)])
  func values(_ value: Value, _ text: String, _ json: JSON) {
    #expect(Wording.text(value) == text)
    #expect(ValueText.exchange.json(value) == json)
  }

  @Test("Columns are aligned, and a line break in a name does not break the table")
  func table() {
    var table = Table()
    table.add("a", "", "long", "")
    table.add("bbb\n", "", "c", "d")

    #expect(table.text(indent: 1) == " a      long\n bbb\\n  c     d\n")
  }

  @Test(
    "Bytes that programs store for Codable values are shown as JSON",
    arguments: [
      (Data(#"{"b": [1, 2.50], "a": null}"#.utf8), #"{"b":[1,2.50],"a":null}"#),
      (Data("[]".utf8), "[]"), (Data("{}".utf8), "{}"),
      (Data("{".utf8), "1 byte"), (Data(), "0 bytes"), (Data("[1] [2]".utf8), "7 bytes"),
      (Data([0x7B, 0xFF, 0x7D]), "3 bytes"), (Data("text".utf8), "4 bytes"),
      (Data(String(repeating: "[", count: 4000).utf8), "4000 bytes"),
      (
        Data(BinaryPropertyList.write(.array([.string("a"), .integer(-1), .boolean(true)]))),
        #"["a",-1,true]"#
      ),
      (Data(BinaryPropertyList.write(.dictionary(["x": .real(0.5)]))), #"{"x":0.5}"#),
      (
        Data(BinaryPropertyList.write(.date(Date(timeIntervalSinceReferenceDate: 0)))),
        #""2001-01-01T00:00:00Z""#
      ),
    ])
  func bytes(_ data: Data, _ text: String) {
    #expect(Wording.text(.binary(data)) == text)
    #expect(ValueText.exchange.json(.binary(data)) == .string(data.base64EncodedString()))
  }
}
