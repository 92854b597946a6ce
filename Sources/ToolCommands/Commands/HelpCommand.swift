import CommandInterface

/// The command `quire help`.
enum HelpCommand {
  static let name = Argument(
    "COMMAND", "The command to explain. Without it, all commands are listed.", isRequired: false,
    kind: .command)

  static let command = Command(
    "help", "explains a command, or lists all commands", arguments: [name],
    examples: [
      Example("quire help", "Lists all commands and the exit codes."),
      Example("quire help version", "Explains 'quire version', as 'quire version --help' does."),
    ]
  ) { invocation in
    let tool = Tool.quire
    let help = try invocation.value(of: name).map { try tool.command(named: $0).help } ?? tool.help
    try invocation.console.writeHelp(help)
    return .done
  }
}
