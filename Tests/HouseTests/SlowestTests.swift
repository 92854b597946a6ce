import Foundation
import ProgramRuns
import Testing

/// `./run test` prints the modules and suites that took longest, so that growth is seen.
@Suite("The slowest modules and suites")
struct SlowestTests {
  private func table(of folder: String) throws -> String {
    let run = try ProgramRun("python3", ["scripts/lib/slowest.py", folder], in: House.root)
    #expect(run.status == 0, "\(run.text)")
    return run.text
  }

  @Test("A module's jobs are added up, and a suite is charged with the time until its tests end")
  func sums() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "slowest-\(UUID())")
    let stats = folder.appending(path: "stats")
    try FileManager.default.createDirectory(at: stats, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, seconds) in [("1-swift-frontend-Rows-all", 2.5), ("2-swift-frontend-Rows-A", 1.5)] {
      try Data(#"{"time.swift-frontend.Rows.user": \#(seconds), "time.swift.SILGen.user": 9}"#.utf8)
        .write(to: stats.appending(path: "stats-\(name)-x86_64.json"))
    }
    try Data("cut of".utf8)
      .write(to: stats.appending(path: "stats-3-swift-frontend-Rows-B-x86_64.json"))
    let cases = ["A": 0.5, "B": 3.0].map {
      "<testcase classname=\"RowsTests.\($0)\" name=\"one\" time=\"\($1)\"/>"
    }
    try Data("<testsuites><testsuite>\(cases.sorted().joined())</testsuite></testsuites>".utf8)
      .write(to: folder.appending(path: "tests-swift-testing.xml"))

    let lines = try table(of: folder.path).split(separator: "\n").map(String.init)

    #expect(
      lines == [
        "The slowest modules of this build (4 s in all):", "     4.0 s  Rows",
        "The slowest suites of this run (3 s in all):", "     2.5 s  RowsTests.B",
        "     0.5 s  RowsTests.A",
      ])
  }

  @Test("The times of the last run can be printed")
  func last() throws { print(try table(of: ".build")) }
}
