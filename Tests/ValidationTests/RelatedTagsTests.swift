import Foundation
import SQLText
import Testing

@Suite("The small SQLite store with tags that are related to tags")
struct RelatedTagsTests {
  @Test("Its statements and reports are written")
  func record() throws {
    let folder = URL(filePath: "/tmp/q/wc-vectors")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text = try SmallFile.shelfText(related: true)
    try Data(text.utf8).write(to: folder.appending(path: "sqlite-store.sql"))
    var all: [(rule: String, text: String, valueFiles: [String])] = []
    for broken in BrokenFile.databases {
      guard let statements = try broken.statements?() else { continue }
      all.append((broken.rule, statements, broken.valueFiles))
    }
    all.append(("SQLS-034", "DELETE FROM Z_4RELATED WHERE rowid = 2;\n", []))
    for (rule, statements, files) in all {
      let bytes = try SQLText.database("PRAGMA page_size=512", text, statements)
      let report = try BrokenFile.report(bytes, as: "\(rule).store", valueFiles: files)
      try Data(report.text.utf8).write(to: folder.appending(path: "\(rule).txt"))
      try Data(statements.utf8).write(to: folder.appending(path: "\(rule).sql"))
    }
  }
}
