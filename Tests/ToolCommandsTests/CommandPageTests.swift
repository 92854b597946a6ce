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

      Made from the tool's own help; `RECORD_SNAPSHOTS=1 ./run test` makes it anew.

      Names, arguments, output and exit codes are a promise, because scripts depend on them. Results go to
      standard output, messages to standard error as `error: …` and `hint: …`. Every command that prints
      takes `--format json`; members that have nothing to say are left out, and new ones may be added.
      Colours are written to a terminal only, and never when `NO_COLOR` is set.

      An option's value follows it or is attached: `--format json`, `--format=json`. Of an option given
      twice the last counts. `--` ends the options.

      ## Exit codes

      | Code | Means |
      |---|---|
      \(ExitCode.allCases.map { "| \($0.rawValue) | \($0.meaning) |" }.joined(separator: "\n"))

      \(commands.joined(separator: "\n"))
      """
  }
}
