import Testing

/// What the compiler takes on trust has its reason beside it.
@Suite("Safety")
struct SafetyTests {
  @Test("Every step outside the compiler's checks says why it is right")
  func reasons() {
    let findings = House.swift(in: "Sources", "Plugins", "Fuzz").flatMap(unreasoned)

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("The rule can fail, and only where it should")
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
      // One thread only.
      nonisolated(unsafe) var proved = 1

      nonisolated(unsafe) var bare = "unsafe "
      // Not a word about unsafe code here.
      """)

    #expect(unreasoned(in: file).map(\.line) == [1, 3, 20])
  }
}

/// Lines that leave the compiler's checks without a reason.
///
/// An `unsafe` expression needs a `SAFETY:` comment above it in the same declaration, or stands in a
/// declaration that is itself `@unsafe`, whose callers carry the proof. A promise to the compiler
/// (`@unchecked Sendable`, `nonisolated(unsafe)`) needs a comment directly above.
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

/// Whether a proof stands between the line and the head of the declaration around it.
private func isProved(_ lines: [String], at index: Int) -> Bool {
  let indent = lines[index].prefix { $0 == " " }.count
  for (offset, line) in lines[...index].reversed().enumerated() {
    if line.contains("SAFETY:") || line.contains("@unsafe") { return true }
    let isOuter = line.prefix { $0 == " " }.count < indent || offset == 0
    let heads = ["func ", "init(", "init<", "init?", "deinit", "subscript", "var "]
    if isOuter, heads.contains(where: { line.contains($0) }), line.contains("{") || offset > 0 {
      return hasProof(lines, above: index - offset)
    }
  }
  return false
}

/// Whether the comments and attributes directly above a declaration hold its proof.
private func hasProof(_ lines: [String], above index: Int) -> Bool {
  for line in lines[..<index].reversed() {
    let text = line.drop { $0 == " " }
    if text.hasPrefix("@unsafe") || text.contains("SAFETY:") { return true }
    if !text.hasPrefix("//") && !text.hasPrefix("@") { return false }
  }
  return false
}
