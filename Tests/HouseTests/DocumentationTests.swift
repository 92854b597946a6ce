import Testing

@Suite("Documentation")
struct DocumentationTests {
  @Test("Every public declaration has a documentation comment")
  func documented() {
    let findings = House.swift(in: "Sources", "Plugins").flatMap(undocumented)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("The rule reports undocumented public declarations, and no other")
  func canFail() {
    let file = SourceFile(
      "Sources/A/A.swift",
      """
      public import Foundation
      /// Documented.
      @frozen
      public enum A {
        case bare
        /// Documented.
        case documented
        var hidden: Int {
          switch self {
          case .bare: 1
          }
        }
        public func bare() {}
      }
      enum B {
        case hidden
      }
      /// Documented.
      public protocol P {
        var bare: Int { get }
        /// Documented.
        func documented()
      }
      @available(*, deprecated) public let bare = 1
      /// Documented.
      @available(
        *, deprecated
      )
      @frozen
      public let documented = 1
      @available(
        *, deprecated
      )
      public let bare = 1
      """)

    #expect(undocumented(in: file).map(\.line) == [5, 13, 20, 24, 34])
  }
}

/// Returns the public declarations without a documentation comment: declarations with `public` or `open`, the cases of a
/// public enumeration, and the requirements of a public protocol.
///
/// The function reads indentation instead of braces, because the format lint keeps the indentation right.
private func undocumented(in file: SourceFile) -> [Finding] {
  var findings: [Finding] = []
  /// The innermost public enumeration or protocol: its indentation, and the words that begin its members.
  var enclosing: [(indent: Int, members: [String])] = []
  for (index, line) in file.lines.enumerated() {
    let text = line.drop { $0 == " " }
    if text.isEmpty || text.hasPrefix("//") || text.hasPrefix("#") { continue }
    let indent = line.count - text.count
    while let last = enclosing.last, last.indent >= indent { enclosing.removeLast() }

    let declaration = withoutAttributes(text)
    let isPublic =
      (declaration.hasPrefix("public ") || declaration.hasPrefix("open "))
      && !declaration.contains(" import ")
    let isMember = enclosing.last.map { scope in
      indent == scope.indent + 2 && scope.members.contains { declaration.hasPrefix($0) }
    }
    if isPublic || isMember == true, !isDocumented(file.lines, at: index) {
      findings.append(Finding(file, index + 1, "No documentation: \(declaration)"))
    }
    if isPublic, declaration.contains(" enum ") {
      enclosing.append((indent, ["case ", "indirect case "]))
    } else if isPublic, declaration.contains(" protocol ") {
      enclosing.append(
        (
          indent,
          ["func ", "mutating func ", "static ", "var ", "init", "subscript", "associatedtype "]
        ))
    }
  }
  return findings
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
