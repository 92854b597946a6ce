import CommandInterface

/// The command `quire completion`.
enum CompletionCommand {
  static let shell = Argument(
    "SHELL", "The shell: bash, zsh or fish.",
    choices: Shell.allCases.map { Choice($0.rawValue, "prints the script for \($0.rawValue)") })

  static let command = Command(
    "completion", "prints a script that completes command lines in a shell",
    discussion: """
      The script completes commands, their options and the values of options, paths, and the names in the \
      store or document on the command line: entities, properties and key paths. It asks the tool for all of \
      them, and reads files without changing them.
      """,
    arguments: [shell],
    examples: [
      Example("source <(quire completion bash)", "Completes command lines in this bash."),
      Example(
        "quire completion zsh > ~/.zfunc/_quire",
        "Completes command lines in each zsh with the folder ~/.zfunc in its fpath."),
      Example(
        "quire completion fish > ~/.config/fish/completions/quire.fish",
        "Completes command lines in each fish."),
    ]
  ) { invocation in
    guard let shell = Shell(rawValue: invocation[shell]) else {
      preconditionFailure("'quire completion' does not accept '\(invocation[shell])'.")
    }
    try invocation.console.output.write(shell.script)
    return .done
  }
}
