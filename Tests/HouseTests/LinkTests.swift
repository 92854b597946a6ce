import Foundation
import Testing

/// Checks that the links of pages lead to files of the repository.
@Suite("Links between pages")
struct LinkTests {
  @Test("Each link of a page leads to a file or a folder")
  func targets() {
    let pages = House.files.filter { $0.path.hasSuffix(".md") }
    let findings = pages.flatMap { deadLinks(in: $0, exists: House.exists) }

    #expect(pages.count > 20)
    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("The rule reports a dead link")
  func canFail() {
    let page = SourceFile(
      "docs/page.md",
      """
      See [a](../Sources/A.swift), [b](b.md#part), ![c](c.svg) and [d](https://example.org/x).

          [e](in-code.md)
      """)
    let there: Set = ["Sources/A.swift"]

    #expect(
      deadLinks(in: page, exists: there.contains).map(\.description) == [
        "docs/page.md:1: b.md leads nowhere.", "docs/page.md:1: c.svg leads nowhere.",
      ])
  }
}

/// Returns the links of a page that lead to no file. Blocks of code are ignored.
private func deadLinks(in page: SourceFile, exists: (String) -> Bool) -> [Finding] {
  let folder = page.folders.joined(separator: "/")
  var isCode = false
  return page.lines.enumerated().flatMap { number, line -> [Finding] in
    if line.hasPrefix("```") { isCode.toggle() }
    if isCode || line.hasPrefix("    ") { return [] }
    return line.matches(of: #/\]\(([^)\s#]+)(?:#[^)]*)?\)/#).compactMap { match in
      let target = String(match.1)
      if target.contains("://") || target.hasPrefix("mailto:") { return nil }
      let path = URL(filePath: "/" + folder + "/" + target).standardized.path.dropFirst()
      return exists(String(path)) ? nil : Finding(page, number + 1, "\(target) leads nowhere.")
    }
  }
}

extension House {
  /// Returns whether there is a file or a folder at a path.
  fileprivate static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }
}
