import Foundation
import StoreInterface
import Testing
import Validation

@Suite("The rules")
struct RulesTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardized

  @Test("There are at least 50 rules, each with an identifier of its own")
  func identifiers() {
    let ids = Rule.known.map(\.id)

    #expect(ids.count >= 50)
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.wholeMatch(of: #/[A-Z]{4}-[0-9]{3}/#) != nil })
  }

  @Test("Each rule cites a clause of the specification")
  func clauses() throws {
    let folder = Self.root.appending(path: "spec").path
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".md") }
      .map { try String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }
    let lines = pages.flatMap { $0.split(separator: "\n") }

    for rule in Rule.known {
      let starts = ["**\(rule.clause)**", "**\(rule.clause) ", "## \(rule.clause) "]
      #expect(
        lines.contains { line in starts.contains { line.hasPrefix($0) } },
        "\(rule.id) cites \(rule.clause).")
    }
  }

  /// `RECORD_SNAPSHOTS=1` rewrites the table.
  @Test("Clause 6.4 lists the rules with their severities")
  func table() throws {
    let page = Self.root.appending(path: "spec/6-validation.md")
    var text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "| Rule | Severity |")).lowerBound
    let end = text[start...].range(of: "\n\n")?.upperBound ?? text.endIndex
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      text.replaceSubrange(
        start..<end, with: Rule.table(Rule.known) + (end == text.endIndex ? "" : "\n"))
      try Data(text.utf8).write(to: page)
      return
    }

    let shown = text[start..<end].trimmingCharacters(in: .newlines)
    #expect(shown == Rule.table(Rule.known).trimmingCharacters(in: .newlines))
  }

  @Test("The severities are ordered from information to error")
  func severities() {
    #expect(Rule.known.map(\.severity).min() == .information)
    #expect(Rule.known.map(\.severity).max() == .error)
  }
}
