import CommandInterface
import Testing

@testable import ToolCommands

@Suite("docs/commands.md")
struct CommandPageTests {
  @Test("The page equals the help of the commands")
  func page() throws {
    try expectSnapshot(page(of: .quire), "commands.md", in: "docs")
  }

  private func page(of tool: Tool) -> String {
    let commands = tool.commands.map { command in
      """
      ## quire \(command.name)

      ```text
      \(command.help())```

      """
    }
    return """
      # Commands

      The tests compare this page with the help of the tool. `RECORD_SNAPSHOTS=1 ./run test` renews it.

      Scripts may depend on the names, arguments, output and exit codes: they do not change. Results go to
      standard output, and messages to standard error as `error: …` and `hint: …`. Every command that prints
      results accepts `--format json`. JSON objects omit members without a value, and later versions may add
      members. Colours appear only on a terminal, and never if `NO_COLOR` is set.

      Every command accepts `--quiet`, which prints no notes and no progress, and `--verbose`, which prints the
      messages of plug-ins to standard error as `NAME: level: message`. The levels are debug, info, warning and
      error.

      Write the value of an option after a space or after =: `--format json`, `--format=json`. If an option is
      given twice, the last value applies. `--` ends the options.

      ## Exit codes

      | Code | Means |
      |---|---|
      \(ExitCode.allCases.map { "| \($0.rawValue) | \($0.meaning) |" }.joined(separator: "\n"))

      \(commands.joined(separator: "\n"))
      """
  }
}
