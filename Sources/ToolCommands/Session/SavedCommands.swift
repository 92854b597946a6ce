import CommandInterface
import StoreInterface

/// The commands of the tool that a session runs on the saved state of its document or store.
struct SavedCommands {
  private let readingCommands: [Command]
  private let importCommand: Command
  private let opened: OpenStores

  /// - Parameter reader: The reader of the session, whose stores stay open as long as the session does.
  init(_ reader: StoreReader, _ models: ModelReader) {
    let opened = OpenStores()
    let reader = reader.noting(in: opened)
    self.opened = opened
    readingCommands = [
      TreeCommand.command(reader, models), HistoryCommand.command(reader, models),
      DiffCommand.command(reader, models), ExportCommand.command(reader, models),
    ]
    importCommand = ImportCommand.command(reader, models)
  }

  /// Returns the commands as commands of a session at a path. They take the same arguments without the store.
  ///
  /// - Parameter run: Runs a command: it is called with a closure that does so, and with whether the command changes
  ///   objects.
  func actions(
    at path: String,
    _ run: @escaping (Invocation, _ changes: Bool, () throws -> ExitCode) throws -> ExitCode
  ) -> [Session.Action] {
    (readingCommands + [importCommand]).map { command in
      let part = Command(
        command.name, command.summary, discussion: command.discussion,
        arguments: Array(command.arguments.dropFirst()), options: command.options
      ) { _ in .done }
      return Session.Action(command: part) { invocation in
        try run(invocation, command.name == importCommand.name) {
          defer { try? opened.close() }
          let whole = invocation.adding(command.arguments[0], path, for: command)
          return try command.run(whole.readingVersionInPath())
        }
      }
    }
  }
}
