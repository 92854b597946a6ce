import Foundation
import ProgramRuns
import Testing

/// The program of docs/implementing-the-format.md, which reads a store by the specification alone.
@Suite("docs/implementing-the-format.md")
struct FormatPageTests {
  @Test("The program of the page prints what the page shows")
  func program() throws {
    let page = try House.file("docs/implementing-the-format.md").lines.joined(separator: "\n")
    func block(_ language: String) throws -> String {
      let parts = page.components(separatedBy: "```\(language)\n")
      #expect(parts.count == 2)
      return try #require(parts.last).components(separatedBy: "```")[0]
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).py")
    try Data(block("python").utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }

    let run = try ProgramRun("python3", [file.path, "Examples/Trips.store"], in: House.root)

    #expect(run.status == 0)
    #expect("$ python3 newest.py Examples/Trips.store\n" + run.text == (try block("text")))
  }
}
