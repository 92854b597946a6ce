import CommandInterface
import DurableFiles
import Foundation
import ObjectModel
import StoreInterface

/// The command `quire open`.
enum OpenCommand {
  static let keepGoing = Option(
    "keep-going",
    "Continues a script after a line that fails. The exit code is that of the first failure.")
  static let discard = Option(
    "discard", "Discards the unsaved changes at the end of a script without an error.")

  /// Returns the command. It opens stores through `reader`.
  static func command(
    _ reader: StoreReader, _ models: ModelReader = .files,
    historyPath: String? = LineHistory.usualPath()
  ) -> Command {
    Command(
      "open", "opens a store for a series of commands",
      discussion: """
        On a terminal the session has line editing, a history and completion. 'help' lists the commands: \
        fetch, count, insert, set, delete, undo, redo, save, revert, info, model, tree, history, diff, export, import, \
        help, quit. They take the same arguments as the commands of the tool, without the store. Only 'save' saves \
        changes; 'save -m MESSAGE' keeps a message about them. 'tree', 'history', 'diff' and 'export' read the last \
        save, and 'import' saves at once. Ctrl-C interrupts the running command, and the session continues.

        Other programs may change a document between two saves of the session. A save that meets a change of the \
        same objects is an error; 'revert' then reads their state.

        A command goes on in the next line if a quote is open, or if the line ends with a backslash. \
        '> FILE' at the end of a command writes its output to a new file, '>| FILE' also replaces a file, and \
        '>> FILE' appends. '| PROGRAM' sends the output to a program such as a pager. A line that begins with \
        ! runs a command of the shell.

        A store without write permission is open for reading only. A session with a packed document packs it at each save, \
        and no other program can change the document until the session ends.

        Input from a pipe is a script of commands; # begins a comment. The script stops at the first command \
        that fails, and the error gives the number of its line. A 'set' or 'delete' that finds no object does \
        not stop the script, and the exit code is 1 then, as it is for 'quire set'. Unsaved changes at the end \
        of a script are an error.
        """,
      arguments: [.store], options: [keepGoing, discard, .author, .storeName, .storeModel],
      changing: [.store],
      examples: [
        Example("quire open Trips.store", "Begins a session."),
        Example(
          "quire open Trips.store < changes.txt", "Runs the commands in a file, one on each line."),
      ]
    ) { invocation in
      let (store, obstacle) = try reader.openToEdit(invocation[.store], invocation, models)
      let session = try Session(
        store, at: invocation[.store], on: reader.disk, readOnlyReason: obstacle,
        author: invocation.saveOrigin().author,
        keepsMessages: reader.keepsMessages(store, at: invocation[.store]),
        savedCommands: SavedCommands(reader, models))
      defer { try? session.close() }
      let console = invocation.console
      if let obstacle {
        try console.messages.writeLine("note: Open for reading only. \(printable(obstacle))")
      }
      if console.input.isTerminal, console.output.isTerminal,
        let descriptor = console.input.descriptor
      {
        let prompt = invocation[.store].split(separator: "/").last.map(String.init) ?? "quire"
        return try Conversation(
          session, console, Terminal(descriptor), prompt: oneLine(prompt),
          LineHistory(historyPath, on: reader.disk)
        ).run()
      }
      return try runScript(session, invocation)
    }
  }

  private static func runScript(
    _ session: Session, _ invocation: Invocation
  ) throws -> ExitCode {
    let console = invocation.console
    var lines = InputText(console.input)
    var first: ExitCode?
    while !session.isOver, let line = try lines.next() {
      let number = lines.number
      var command = GrowingCommand()
      var text = command.add(line)
      while text == nil { text = try lines.next().map { command.add($0) } ?? command.finish() }
      do {
        let code = try session.run(text ?? "", on: console)
        if code != .done { first = first ?? code }
      } catch {
        var error = CommandError(explaining: error, words: [session.path])
        error = CommandError(error.exitCode, "line \(number): \(error.message)", hint: error.hint)
        guard invocation.has(keepGoing) else { throw error }
        console.report(error)
        first = first ?? error.exitCode
      }
    }
    if session.hasChanges, !session.discards, !invocation.has(discard) {
      throw CommandError(
        first ?? .no, "The script did not save its changes, and they are lost.",
        hint: "End the script with 'save', or give --discard.")
    }
    return first ?? .done
  }
}
