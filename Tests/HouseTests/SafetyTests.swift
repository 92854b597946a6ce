import Testing

/// Checks that each claim that the compiler can't verify has a reason beside it.
@Suite("Safety")
struct SafetyTests {
  @Test("Every unsafe expression and unchecked promise has a comment with the reason")
  func reasons() {
    let findings = House.swift(in: "Sources", "Plugins", "Fuzz").flatMap(unreasoned)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("The rule reports unsafe code without a reason, and no other code")
  func canFail() {
    let file = SourceFile(
      "Sources/A/A.swift",
      """
      final class A: @unchecked Sendable {
        func bare() {
          unsafe load()
        }

        func proved() {
          // SAFETY: The bytes are there.
          unsafe load()
          unsafe load()
        }

        /// Left to the caller.
        @unsafe func passedOn() {
          unsafe load()
        }
      }

      // SAFETY: Every pointer here is into memory the type owns.
      struct B {
        var proved: Int { unsafe load() }

        mutating func proved(
          _ count: Int
        ) {
          for _ in 0..<count {
            var byte = unsafe load()
          }
        }
      }

      struct C {
        // SAFETY: This one's own.
        var proved: Int { unsafe load() }
        var bare: Int { unsafe load() }
      }
      // One thread only.
      nonisolated(unsafe) var proved = 1

      nonisolated(unsafe) var bare = "unsafe "
      // Not a word about unsafe code here.
      """)

    #expect(unreasoned(in: file).map(\.line) == [1, 3, 34, 39])
  }
}

/// Returns the lines that leave the compiler's checks without a reason.
///
/// An `unsafe` expression needs a `SAFETY:` comment in the same declaration, or above one of the enclosing declarations. An
/// expression in an `@unsafe` declaration does not need one, because the callers of the declaration prove the safety. A
/// promise to the compiler (`@unchecked Sendable`, `nonisolated(unsafe)`) needs a comment directly above.
private func unreasoned(in file: SourceFile) -> [Finding] {
  var findings: [Finding] = []
  for (index, line) in file.lines.enumerated() where line.contains("un") {
    let text = line.drop { $0 == " " }
    if text.hasPrefix("//") { continue }
    for promise in ["@unchecked Sendable", "nonisolated(unsafe)"] where text.contains(promise) {
      if !hasComment(file.lines, above: index) {
        findings.append(Finding(file, index + 1, "\(promise) without a reason above it."))
      }
    }
    let words = text.split { !($0.isLetter || $0.isNumber || "_@(".contains($0)) }
    if words.contains("unsafe")
      || words.contains(where: { $0.hasSuffix("(unsafe") && !$0.hasPrefix("nonisolated") }),
      !isProved(file.lines, at: index)
    {
      findings.append(Finding(file, index + 1, "'unsafe' without a SAFETY: comment above it."))
    }
  }
  return findings
}

private func hasComment(_ lines: [String], above index: Int) -> Bool {
  for line in lines[..<index].reversed() {
    let text = line.drop { $0 == " " }
    if text.hasPrefix("//") { return true }
    if !text.hasPrefix("@") { return false }
  }
  return false
}

/// Returns whether a proof precedes the line: in its declaration, directly above the head of that declaration or of an
/// enclosing one, or at the head of the file.
private func isProved(_ lines: [String], at index: Int) -> Bool {
  enum Place {
    case inBody, aboveHead, elsewhere
  }
  var place = Place.inBody
  var indent = indentation(of: lines[index])
  if isHead(lines[index]) { place = .aboveHead }
  for line in lines[..<index].reversed() {
    let text = line.drop { $0 == " " }
    if place != .elsewhere, text.contains("SAFETY:") || text.contains("@unsafe") { return true }
    if text.isEmpty || text.hasPrefix("//") || text.hasPrefix("@") || text.hasPrefix("}") {
      if text.isEmpty, place == .aboveHead { place = .elsewhere }
      continue
    }
    // The lines before a statement lead up to the head of its body. Beyond the head, only enclosing declarations count.
    if indentation(of: line) < indent, place != .inBody || isHead(line) {
      place = .aboveHead
      indent = indentation(of: line)
    } else if place == .aboveHead {
      place = .elsewhere
    }
  }
  let header = lines.prefix { $0.hasPrefix("//") || $0.isEmpty }
  return header.contains { $0.contains("SAFETY:") }
}

private func indentation(of line: String) -> Int { line.prefix { $0 == " " }.count }

/// Returns whether a function, or a property with a body, begins on the line.
private func isHead(_ line: String) -> Bool {
  line.contains(#/^ *(?:@\w+ )*(?:\w+(?:\(\w+\))? )*(?:func |init[(<?]|deinit|subscript|var .*\{)/#)
}
