import Foundation
import Testing

/// Checks that the links of pages refer to files of the repository, and to headings of pages.
@Suite("Links between pages")
struct LinkTests {
  @Test("Each link of a page leads to a file, a folder or a heading")
  func targets() {
    let pages = Dictionary(
      uniqueKeysWithValues: House.files.filter { $0.path.hasSuffix(".md") }.map { ($0.path, $0) })
    let findings = pages.values.sorted { $0.path < $1.path }.flatMap {
      deadLinks(in: $0, among: pages, exists: House.exists)
    }

    #expect(pages.count > 20)
    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("The rule reports a dead link")
  func canFail() {
    let page = SourceFile(
      "docs/page.md",
      """
      See [a](../Sources/A.swift), [b](b.md#part), ![c](c.svg) and [d](https://example.org/x).
      See [part](other.md#a-b-1), [none](other.md#a), [here](#there) and [nowhere](#here).

          [e](in-code.md)

      ### There
      """)
    let other = SourceFile("docs/other.md", "# A `b`\n\n```\n# A\n```\n\n## [A](x.md) b")
    let pages = ["docs/page.md": page, "docs/other.md": other]
    let there: Set = ["Sources/A.swift", "docs/other.md"]

    #expect(
      deadLinks(in: page, among: pages, exists: there.contains).map(\.description) == [
        "docs/page.md:1: b.md#part leads nowhere.", "docs/page.md:1: c.svg leads nowhere.",
        "docs/page.md:2: other.md#a leads nowhere.", "docs/page.md:2: #here leads nowhere.",
      ])
  }

  @Test("Anchors are named as on GitHub")
  func names() {
    let page = SourceFile(
      "docs/page.md", "# 4.8 Limits\n## Where it differs from Apple's\n## What `undo` does, and_how"
    )

    #expect(
      anchors(of: page) == [
        "48-limits", "where-it-differs-from-apples", "what-undo-does-and_how",
      ])
  }
}

/// Returns the links of a page to a missing file, or to a missing heading of another page. Blocks of code are ignored.
private func deadLinks(
  in page: SourceFile, among pages: [String: SourceFile], exists: (String) -> Bool
) -> [Finding] {
  let folder = page.folders.joined(separator: "/")
  return page.linesOfText.flatMap { number, line -> [Finding] in
    line.matches(of: #/\]\(([^)\s#]*)(?:#([^)\s]*))?[^)]*\)/#).compactMap { match in
      let target = String(match.1)
      if target.contains("://") || target.hasPrefix("mailto:") { return nil }
      let path =
        target.isEmpty
        ? page.path
        : String(URL(filePath: "/" + folder + "/" + target).standardized.path.dropFirst())
      var isAlive = target.isEmpty || exists(path)
      if let anchor = match.2, let aim = pages[path] {
        isAlive = isAlive && anchors(of: aim).contains(String(anchor))
      }
      let link = target + (match.2.map { "#\($0)" } ?? "")
      return isAlive ? nil : Finding(page, number, "\(link) leads nowhere.")
    }
  }
}

/// Returns the anchors of a page's headings, as GitHub and `./run docs` name them.
private func anchors(of page: SourceFile) -> Set<String> {
  var counts: [String: Int] = [:]
  return Set(
    page.linesOfText.compactMap { _, line -> String? in
      guard let heading = line.wholeMatch(of: /#{1,6} +(.*)/) else { return nil }
      let shown = heading.1.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.1 }
      let name = shown.lowercased()
        .filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
        .replacing(" ", with: "-")
      let count = counts[name, default: 0]
      counts[name] = count + 1
      return count == 0 ? name : "\(name)-\(count)"
    })
}

extension House {
  /// Returns whether there is a file or a folder at a path.
  fileprivate static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }
}
