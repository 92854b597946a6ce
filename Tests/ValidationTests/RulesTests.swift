import Foundation
import Testing
import Validation

@Suite("The rules")
struct RulesTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardized

  @Test("There are many, each with an identifier of its own")
  func identifiers() {
    let ids = Rule.all.map(\.id)

    #expect(ids.count >= 50)
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.wholeMatch(of: #/[A-Z]{4}-[0-9]{3}/#) != nil })
  }

  @Test("Each cites a clause that is there")
  func clauses() throws {
    let folder = Self.root.appending(path: "spec").path
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".md") }
      .map { try String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }
    let lines = pages.flatMap { $0.split(separator: "\n") }

    for rule in Rule.all {
      let starts = ["**\(rule.clause)**", "**\(rule.clause) ", "## \(rule.clause) "]
      #expect(
        lines.contains { line in starts.contains { line.hasPrefix($0) } },
        "\(rule.id) cites \(rule.clause).")
    }
  }

  @Test("The list in docs/ is that of the rules")
  func page() throws {
    let file = Self.root.appending(path: "docs/validation-rules.md")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try Data(Rule.page.utf8).write(to: file)
    }

    #expect(try String(contentsOf: file, encoding: .utf8) == Rule.page)
  }

  @Test("Severities are in order")
  func severities() {
    #expect(Rule.all.map(\.severity).min() == .information)
    #expect(Rule.all.map(\.severity).max() == .error)
  }
}
