import Testing

@testable import ToolCommands

@Suite("quire help")
struct HelpCommandTests {
  @Test("The overview equals its golden file")
  func overview() throws {
    let run = RecordedRun(["help"])

    #expect(run.exitCode == .done)
    try expectSnapshot(run.output, "help.txt")
  }

  @Test(
    "The help of each command equals its golden file",
    arguments: Tool.quire.commands.map(\.name))
  func commands(_ name: String) throws {
    try expectSnapshot(RecordedRun(["help", name]).output, "help-\(name).txt")
  }

  @Test("All ways to ask for help print the same text")
  func ways() {
    let answer = RecordedRun(["help", "version"]).output

    #expect(RecordedRun(["version", "--help"]).output == answer)
    #expect(RecordedRun(["version", "-h"]).output == answer)
    #expect(RecordedRun(["--help", "version"]).output == answer)
    #expect(RecordedRun(["version", "--colour", "--help"]).output == answer)
  }

  @Test("Help for an unknown command suggests a known one")
  func unknown() {
    let run = RecordedRun(["help", "versoin"])

    #expect(run.exitCode == .wrongUsage)
    #expect(
      run.messages
        == "error: Unknown command 'versoin' for 'quire'.\nhint: Did you mean 'version'?\n")
  }

  @Test("No line is wider than the terminal", arguments: [60, 80, 120])
  func width(_ width: Int) {
    for name in Tool.quire.commands.map(\.name) {
      let lines = RecordedRun(["help", name], width: width).output.split(separator: "\n")
      #expect(lines.filter { $0.count > width && !$0.hasPrefix("  quire") } == [])
    }
  }
}
