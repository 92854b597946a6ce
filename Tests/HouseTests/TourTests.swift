import Foundation
import Testing

/// Checks docs/tour.md against the code: a reader follows it with the files open.
@Suite("The walk through the house")
struct TourTests {
  @Test("Every name on the page is in a file that its paragraph links")
  func names() throws {
    let findings = lostNames(in: try House.file("docs/tour.md")) { path in
      try? String(contentsOf: House.root.appending(path: path), encoding: .utf8)
    }

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("A save passes at most forty files on its way to the disk")
  func length() throws {
    let page = try House.file("docs/tour.md").lines.joined(separator: "\n")
    let parts = page.split(separator: "\n## ")
    let save = try #require(parts.first { $0.hasPrefix("One save") })

    #expect(Set(linkedFiles(in: String(save))).count <= 40)
  }

  @Test("A name that is in no linked file is found")
  func canFail() {
    let page = SourceFile(
      "docs/page.md",
      "`run` of [A](../A.swift) calls\n`stop` and `a.go()`, as `x = 1`.\n\n1. `go`\n2. `run` ([A](../A.swift))"
    )
    let texts = ["A.swift": "func run() {}\nfunc gone() {}"]

    #expect(lostNames(in: page) { texts[$0] }.map(\.line) == [1, 1, 4])
  }
}

/// Returns the names in backticks that no linked file of their paragraph contains as a word. A paragraph without links may
/// name what is in any file that the page links.
private func lostNames(in page: SourceFile, text: (String) -> String?) -> [Finding] {
  let all = linkedFiles(in: page.lines.joined(separator: "\n"))
  var findings: [Finding] = []
  for paragraph in paragraphs(of: page) {
    let linked = linkedFiles(in: paragraph.text)
    let words = Set(
      (linked.isEmpty ? all : linked).compactMap(text).flatMap { text in
        text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
      }.map(String.init))
    for match in paragraph.text.matches(of: #/`([A-Za-z_][\w.]*)(\(\))?`/#) {
      let name = match.1.split(separator: ".").last.map(String.init) ?? ""
      if !words.contains(name) {
        findings.append(
          Finding(page, paragraph.line, "`\(match.1)` is in none of the linked files."))
      }
    }
  }
  return findings
}

/// Returns the paragraphs and the items of lists outside of blocks of code, each with the number of its first line.
private func paragraphs(of page: SourceFile) -> [(line: Int, text: String)] {
  var found: [(line: Int, text: String)] = []
  // The number of the line that would continue the last paragraph.
  var next = 0
  for (number, line) in page.linesOfText where !line.isEmpty && !line.hasPrefix("#") {
    if number != next || line.contains(#/^ *(-|\d+\.) /#) {
      found.append((number, line))
    } else {
      found[found.count - 1].text += "\n" + line
    }
    next = number + 1
  }
  return found
}

/// Returns the source files that a text links, by their paths from the root.
private func linkedFiles(in text: String) -> [String] {
  text.matches(of: #/\]\(\.\./([^)#]*\.swift)\)/#).map { String($0.1) }
}
