import CommandInterface
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

  @Test("No line is wider than the terminal", arguments: [40, 60, 80, 120, 300])
  func width(_ width: Int) throws {
    for words in [["help"]] + Tool.quire.commands.map({ ["help", $0.name] }) {
      let lines = RecordedRun(words, terminal: true, width: width).output.split(separator: "\n")
      // A word of an example may be longer than a narrow terminal is wide.
      let wide = lines.filter { $0.count > width && !(width < 80 && isExample($0)) }
      #expect(wide == [], "\(words)")
    }
    let unused = RecordedRun([], terminal: true, width: width).messages
    #expect(unused == RecordedRun(["help"], terminal: true, width: width).output)
  }

  /// Returns whether a line is a part of an example's command line.
  private func isExample(_ line: Substring) -> Bool {
    line.hasPrefix("  quire") || line.hasPrefix("        ") || line.hasPrefix("  source")
  }

  @Test("A wide terminal is used")
  func wideTerminal() {
    let lines = RecordedRun(["help", "fetch"], terminal: true, width: 300).output.split(
      separator: "\n")
    #expect(lines.contains { $0.count > 150 })
  }

  @Test("Without a terminal a line has at most 100 columns, however wide the console is")
  func widthOfFiles() {
    for words in [["help"]] + Tool.quire.commands.map({ [$0.name, "--help"] }) {
      let text = RecordedRun(words, width: 300).output
      #expect(text == RecordedRun(words, width: 100).output)
      #expect(!text.split(separator: "\n").contains { $0.count > 100 }, "\(words)")
    }
    #expect(RecordedRun([], width: 300).messages == RecordedRun(["help"], width: 100).output)
  }

  @Test("A long command line of an example is broken as a shell reads it, and not within quotes")
  func examples() {
    let line = "quire fetch Trips.store Trip --where 'name CONTAINS \"lis bon\"' --sort=-start"
    let text = HelpText.commandLine(line, width: 44)

    #expect(
      text == """
          quire fetch Trips.store Trip \\
                --where 'name CONTAINS "lis bon"' \\
                --sort=-start
        """)
    let joined = text.replacing(#/ \\\n +/#, with: " ")
    #expect(joined == "  " + line)
    #expect(HelpText.commandLine(line, width: 200) == "  " + line)
  }

  @Test("A long word of a usage is broken at its bars")
  func bars() {
    let text = HelpText.wrapped("[--format text|table|line|markdown]", width: 20, indent: 2)

    #expect(text == "  [--format\n  text|table|line\n  |markdown]")
  }
}
