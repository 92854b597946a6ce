import Foundation
import Testing

@testable import ModelCode

@Suite("Names in Swift")
struct NameTests {
  @Test(
    "Identifiers are kept, and any other name is changed into an identifier",
    arguments: [
      ("name", "name"), ("_a1", "_a1"), ("größe", "größe"), ("名前", "名前"), ("a b-c", "aBC"),
      ("1st", "_1st"), ("", "x"), ("  ", "x"), ("_", "_x"), ("a\nb", "aB"), ("a`b", "aB"),
      ("\u{202E}evil", "evil"), ("e\u{301}", "e\u{301}"), ("\u{301}e", "_\u{301}e"),
      ("😀", "x"), ("a;b", "aB"), ("class", "class"),
    ])
  func identifiers(_ name: String, _ expected: String) {
    let found = SwiftNames.identifier(name, otherwise: "x")

    #expect(Array(found.unicodeScalars) == Array(expected.unicodeScalars))
  }

  @Test(
    "A type from a model is used only if its text is a plain type",
    arguments: [
      ("Colour", "Colour"), ("UIKit.UIColor", "UIKit.UIColor"), ("[String]", "[String]"),
      ("[String:[Int]]", "[String: [Int]]"), ("Set<Pair<A,B>>", "Set<Pair<A, B>>"),
      ("", nil), ("a b()", nil), ("A; let x", nil), ("[A", nil), ("A?", nil), ("any P", nil),
      ("A.", nil), ("(A) -> B", nil), ("class", nil), ("A\n.self", nil),
    ])
  func types(_ text: String, _ expected: String?) {
    #expect(SwiftNames.type(text) == expected)
  }

  @Test("A type that is nested too deep, or is too long, is refused")
  func deepType() {
    #expect(SwiftNames.type(String(repeating: "[", count: 90) + "A") == nil)
    #expect(SwiftNames.type(String(repeating: "A", count: 10_000)) == nil)
  }

  @Test(
    "Variables in capitals become parameters in lower camel case",
    arguments: [
      ("DATE", "date"), ("FIRST_NAME", "firstName"), ("name", "name"), ("theDate", "theDate"),
      ("X", "X"), ("IN", "in"), ("A1", "a1"), ("_", "_value"), ("名", "名"),
    ])
  func parameters(_ variable: String, _ expected: String) {
    #expect(SwiftNames.parameter(variable) == expected)
  }

  @Test("No property can have the name of a member of managed objects")
  func reserved() throws {
    let folder = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Sources/ObjectGraph/Objects")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasPrefix("ManagedObject") }
    #expect(files.count > 3)

    for file in files {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      // The full name of a function with arguments differs from each property's name.
      let members = text.matches(
        of: #/\n  (?:public|open)(?: final| class| override)* (?:var (\w+)|func (\w+)\(\))/#)
      for member in members {
        let name = String(member.1 ?? member.2 ?? "")
        #expect(ReservedNames.members.contains(name), "\(file): \(name)")
      }
    }
  }

  @Test("Each of several equal names after the first is changed")
  func scope() {
    var scope = NameScope(["taken"])

    #expect(
      scope.names(for: ["taken", "a", "taken_", "a", "b"]) == ["taken_2", "a", "taken_", "a_", "b"])
  }

  @Test("Many equal names take time in proportion to their number")
  func manyAlike() {
    var scope = NameScope()

    let names = scope.names(for: Array(repeating: "a", count: 50_000))

    #expect(Set(names).count == names.count && names[2] == "a_2")
  }

  @Test("A raw literal has more number signs than follow any quote or backslash in it")
  func fences() {
    #expect(CodeText.fence(for: "") == "#")
    #expect(CodeText.fence(for: "a\"\"\"#b") == "##")
    #expect(CodeText.fence(for: "\\###(x) ####") == "####")
  }
}
