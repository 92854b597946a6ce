import Foundation
import JSONText
import Testing

@Suite("JSON output")
struct JSONTests {
  @Test("Members keep their order, and members without a value are left out")
  func order() {
    let json = JSON.object([
      "z": 1.json, "a": .array([.boolean(true), .null]), "gone": nil, "empty": .array([]),
      "none": .object([:]),
    ])

    #expect(
      json.text == """
        {
          "z": 1,
          "a": [
            true,
            null
          ],
          "empty": [],
          "none": {}
        }
        """)
  }

  @Test(
    "Any text comes back equal",
    arguments: ["", "\"\\/", "a\nb\r\t\0\u{1B}\u{7F}\u{85}", "héllo 🚀\u{2028}"])
  func strings(_ string: String) throws {
    let data = Data(JSON.strings([string]).text.utf8)

    #expect(try JSONSerialization.jsonObject(with: data) as? [String] == [string])
  }
}

extension Int {
  fileprivate var json: JSON { .number(self) }
}

@Suite("Reading JSON")
struct JSONReadingTests {
  private func read(_ text: String) throws -> JSON { try JSON.read(Array(text.utf8)) }

  @Test("Written JSON reads back equal")
  func roundTrip() throws {
    let value = JSON.object([
      "a": .array([.number(-1), .number("2.5e10"), .null, .boolean(true), .boolean(false)]),
      "b": .object(["c\"\\\n": .string("é \u{1F600} \u{1} /"), "empty": .array([])]),
    ])
    #expect(try JSON.read(Array(value.text.utf8)) == value)
    #expect(try JSON.read(Array(value.line.utf8)) == value)
    #expect(try read(#"  "\u00e9\ud83d\ude00\/\b\f" "#) == .string("é\u{1F600}/\u{8}\u{C}"))
    #expect(
      try read("[0, -0.5, 1E+2]") == .array([.number("0"), .number("-0.5"), .number("1E+2")]))
  }

  @Test(
    "Text that is not JSON is refused with its place",
    arguments: [
      ("", 1, 1), ("{", 1, 2), ("[1,]", 1, 4), ("[1 2]", 1, 4), ("{\"a\" 1}", 1, 6),
      ("{\"a\":1,\n \"a\":2}", 2, 2), ("01", 1, 1), ("1.", 1, 1), ("-", 1, 1), ("nul", 1, 1),
      ("\"\\ud800\"", 1, 2), ("\"\\x\"", 1, 2), ("\"\n\"", 1, 2), ("\"a", 1, 3), ("1 1", 1, 3),
      ("{a:1}", 1, 2), ("+1", 1, 1), ("\"\\u12g4\"", 1, 2),
    ])
  func refused(_ text: String, _ line: Int, _ column: Int) {
    let error = #expect(throws: JSONError.self) { try JSON.read(Array(text.utf8)) }
    #expect(error?.line == line && error?.column == column, "\(String(describing: error))")
  }

  @Test("Depth is limited, and bytes that are not valid text are refused")
  func hostile() {
    let deep = Array(String(repeating: "[", count: 100_000).utf8)
    #expect(throws: JSONError.self) { try JSON.read(deep) }
    #expect(throws: JSONError.self) { try JSON.read([0x22, 0xFF, 0x22]) }
  }
}
