import CommandInterface
import Documents

/// The command `quire redo`.
enum RedoCommand {
  /// Returns the command. It opens documents through `reader`.
  static func command(_ reader: StoreReader) -> Command {
    Command(
      "redo", "restores the version that undo has taken back last",
      discussion: """
        The command adds a version with the content of the version that 'quire undo' took back, and prints the changes \
        that this makes. Redo again restores the version after that one. Any other save ends this: the versions \
        that were taken back before it are reached with 'quire revert'.
        """,
      arguments: [.document],
      options: [UndoCommand.steps, FetchCommand.all, .dryRun, .message, .author, .format],
      changing: [.document],
      examples: [
        Example(
          "quire undo Trip.quire && quire redo Trip.quire",
          "Takes back the last version, and restores it.")
      ]
    ) { invocation in
      try UndoCommand.run(
        invocation, reader, done: "The version is restored.",
        target: { try $0.versionToRedo(steps: $1) },
        change: { try $0.redo(steps: $1, author: $2.author, message: $2.message) })
    }
  }
}
