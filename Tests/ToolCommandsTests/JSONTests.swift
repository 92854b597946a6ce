import Foundation
import Testing

@testable import ToolCommands

@Suite("JSON output")
struct JSONTests {
  @Test("Members keep their order, and those without a value are left out")
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
    "Any text comes back as it was",
    arguments: ["", "\"\\/", "a\nb\r\t\0\u{1B}\u{7F}\u{85}", "héllo 🚀\u{2028}"])
  func strings(_ string: String) throws {
    let data = Data(JSON.strings([string]).text.utf8)

    #expect(try JSONSerialization.jsonObject(with: data) as? [String] == [string])
  }
}

extension Int {
  fileprivate var json: JSON { .number(self) }
}
