import Testing

@Suite("Documentation")
struct DocumentationTests {
  @Test("Public types, and public functions that throw, have a documentation comment")
  func documented() {
    let findings = House.swift(in: "Sources", "Plugins").flatMap(undocumented)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("A documentation comment of a few words is on a type or a function that throws")
  func longEnough() {
    let findings = House.swift(in: "Sources", "Plugins").flatMap(wordless)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("The rules report what they should, and no more")
  func canFail() {
    let file = SourceFile(
      "Sources/A/A.swift",
      """
      public import Foundation
      /// Documented.
      @frozen
      public enum A {
        case bare
        /// The case.
        case documented
        public func plain() {}
        public func bare() throws(Failure) -> Int { 1 }
        /// Runs it.
        public func documented(
          _ number: Int
        ) throws {}
      }
      enum B {
        case hidden
        /// The number of objects that the context counts.
        case counted
      }
      @available(*, deprecated) public struct C {}
      /// Documented.
      @available(
        *, deprecated
      )
      @frozen
      public protocol P {
        /// One.
        var one: Int { get }
      }
      @available(
        *, deprecated
      )
      public class D {
        public func bare(
          _ number: Int
        ) throws {}
      }
      """)

    #expect(undocumented(in: file).map(\.line) == [9, 20, 33, 34])
    #expect(wordless(in: file).map(\.line) == [6, 27])
  }
}

/// Returns the public types and the public throwing functions that lack a documentation comment.
private func undocumented(in file: SourceFile) -> [Finding] {
  file.lines.indices.compactMap { index in
    let declaration = declaration(in: file.lines, at: index)
    guard declaration.hasPrefix("public ") || declaration.hasPrefix("open "),
      !declaration.hasPrefix("public import "),
      mustBeExplained(declaration), !isDocumented(file.lines, at: index)
    else { return nil }
    return Finding(file, index + 1, "No documentation: \(declaration)")
  }
}

/// Returns the documentation comments of at most four words, except those of types and functions that throw.
private func wordless(in file: SourceFile) -> [Finding] {
  var findings: [Finding] = []
  var start: Int?
  var words = 0
  var isInAttribute = false
  for (index, line) in file.lines.enumerated() {
    let text = line.drop { $0 == " " }
    if text.hasPrefix("///") {
      start = start ?? index
      words += text.dropFirst(3).split(separator: " ").count
      continue
    }
    guard let begin = start else { continue }
    // Attributes may be between the comment and the declaration. One of several lines ends with a parenthesis alone.
    if isInAttribute || text.hasPrefix("@") && withoutAttributes(text).isEmpty {
      isInAttribute = text != ")" && (isInAttribute || text.hasSuffix("("))
      continue
    }
    let declaration = declaration(in: file.lines, at: index)
    if words <= 4, !declaration.isEmpty, !mustBeExplained(declaration) {
      findings.append(Finding(file, begin + 1, "The comment says no more than the name: \(line)"))
    }
    (start, words) = (nil, 0)
  }
  return findings
}

/// Returns the declaration that begins in a line, up to its body and without attributes on its first line.
private func declaration(in lines: [String], at index: Int) -> String {
  let first = withoutAttributes(lines[index].drop { $0 == " " })
  guard first.contains("func ") || first.contains("init"), !first.contains("{") else {
    return String(first.prefix { $0 != "{" })
  }
  var whole = String(first)
  for line in lines[(index + 1)...].prefix(12) {
    whole += " " + line.drop { $0 == " " }
    if line.contains("{") { break }
    // A requirement of a protocol ends without a body.
    if line.allSatisfy({ $0 == " " }) || line.drop(while: { $0 == " " }).hasPrefix("///") { break }
  }
  return String(whole.prefix { $0 != "{" })
}

/// Whether a declaration is a type or a function that throws. The names of other declarations usually say enough.
private func mustBeExplained(_ declaration: String) -> Bool {
  if declaration.contains(" throws") || declaration.contains(" rethrows") { return true }
  return !declaration.contains(" func ") && !declaration.contains(" var ")
    && !declaration.contains(" let ")
    && declaration.contains(#/\b(struct|class|enum|protocol|actor) \w/#)
}

/// Returns the declaration without the attributes on its own line.
private func withoutAttributes(_ text: Substring) -> Substring {
  var text = text
  while text.hasPrefix("@") {
    var depth = 0
    guard
      let end = text.firstIndex(where: {
        depth += $0 == "(" ? 1 : $0 == ")" ? -1 : 0
        return $0 == " " && depth == 0
      })
    else { return "" }
    text = text[end...].drop { $0 == " " }
  }
  return text
}

/// Returns whether a documentation comment precedes the line. Lines with attributes may be between the two.
private func isDocumented(_ lines: [String], at index: Int) -> Bool {
  var isInAttribute = false
  for line in lines[..<index].reversed() {
    let text = line.drop { $0 == " " }
    // An attribute of several lines ends with a line that contains only a parenthesis.
    if text == ")" { isInAttribute = true }
    if isInAttribute {
      isInAttribute = !text.hasPrefix("@")
      continue
    }
    if text.hasPrefix("///") { return true }
    if !text.hasPrefix("@") && !text.hasPrefix("#") && !text.hasPrefix("// swift-format") {
      return false
    }
  }
  return false
}
