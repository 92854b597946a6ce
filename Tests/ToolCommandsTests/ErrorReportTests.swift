import CommandInterface
import Foundation
import JSONText
import Testing

@testable import ToolCommands

@Suite("Errors and progress for people and programs")
struct ErrorReportTests {
  private static func read(_ text: String) throws -> JSON { try JSON.read(Array(text.utf8)) }

  @Test("With --format json an error is JSON with its code, file and place")
  func json() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "Trips.model").path
    try Data("entity Trip\n  name: Sting\n".utf8).write(to: URL(filePath: path))

    for words in [["--format", "json"], ["--format=json"]] {
      let run = quire(["model", path] + words)
      #expect(run.exitCode == .unreadable && run.output == "")
      let error = try #require(try Self.read(run.messages)["error"])
      #expect(error["code"] == .string("unreadable"))
      #expect(error["exitCode"] == .number("4"))
      #expect(error["file"] == .string(path))
      #expect(error["place"] == .string("2:9"))
    }
    let missing = try Self.read(quire(["info", "/none.store", "--format", "json"]).messages)
    #expect(missing["error"]?["code"] == .string("input-output"))
    #expect(missing["error"]?["file"] == .string("/none.store"))
    let wrong = try Self.read(quire(["fetch", "--format", "jsonl"]).messages)
    #expect(wrong["error"]?["code"] == .string("wrong-usage"))
    #expect(wrong["error"]?["hint"] != nil)
    // After -- the words are not options.
    #expect(quire(["info", "--", "--format", "json"]).messages.hasPrefix("error: "))
  }

  @Test(
    "Progress contains the share, the rate and the time that is left",
    arguments: [
      (0, 1, nil, "importing: 0 %"), (0.005, 1, nil, "importing: 0 %"),
      (0.5, 10, nil, "importing: 50 %, 10 s left"),
      (0.25, 100, nil, "importing: 25 %, 5 min 0 s left"),
      (0.01, 120, nil, "importing: 1 %, 3 h 18 min left"),
      (0.5, 10, 1_000_000_000, "importing: 50 %, 50 MB/s, 10 s left"),
      (0.5, 10, 50_000_000, "importing: 50 %, 2.5 MB/s, 10 s left"),
      (1, 10, nil, "importing: 100 %, 0 s left"),
    ] as [(Double, Double, Int?, String)])
  func progress(_ share: Double, _ seconds: Double, _ byteCount: Int?, _ line: String) {
    #expect(ProgressLine.line("importing", share, after: seconds, byteCount) == line)
  }
}
