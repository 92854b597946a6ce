import Foundation
import Testing

/// Compiles the programs on pages for readers of the first hour. Each block of Swift on these pages is a whole program.
@Suite("Programs on pages")
struct PageProgramTests {
  @Test(
    "Each program compiles without a warning",
    arguments: ["README.md": 1, "docs/writing-a-program.md": 4])
  func compiles(_ page: String, _ count: Int) throws {
    let text = try String(contentsOf: Compiler.root.appending(path: page), encoding: .utf8)
    let programs = text.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "\n```")[0] + "\n" }

    #expect(programs.count == count)
    for program in programs {
      #expect(try Compiler().check(["main.swift": program]) == "")
    }
  }
}
