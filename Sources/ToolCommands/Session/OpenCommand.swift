import DurableFiles
import Foundation
import ObjectModel
import StoreInterface

/// The command `quire open`.
enum OpenCommand {
  static let keepGoing = Option(
    "keep-going",
    "Goes on with a script after a line that fails; the exit code is the first failure's.")
  static let discard = Option(
    "discard", "Takes a script's unsaved changes at its end for what was wanted, and drops them.")

  /// Returns the command. It opens stores through `reader`.
  static func command(
    _ reader: StoreReader, _ models: ModelReader = .files,
    historyPath: String? = LineHistory.usualPath()
  ) -> Command {
    Command(
      "open", "opens a store for one command after another",
      discussion: """
        On a terminal lines are edited, kept and completed; 'help' lists the commands: fetch, count, \
        insert, set, delete, undo, redo, save, revert, info, model, help, quit. They take what the \
        commands of the same names take, without the store. Changes are saved by 'save' alone. Ctrl-C ends the \
        running command and leaves the session.

        A packed document, and one that may not be written to, is opened for reading: then no command changes \
        anything.

        From a pipe it is a script: a command a line, with # for comments. It ends at the first line that \
        fails, with the line's number and the failure's exit code. Changes that are not saved at its end \
        are an error.
        """,
      arguments: [.store], options: [keepGoing, discard, .storeName, .storeModel],
      examples: [
        Example("quire open Trips.store", "Begins a session."),
        Example(
          "quire open Trips.store < changes.txt", "Runs the commands of a file, a line each."),
      ]
    ) { invocation in
      let (store, obstacle) = try reader.openToEdit(invocation[.store], invocation, models)
      let session = try Session(
        store, at: invocation[.store], on: reader.disk, readOnlyReason: obstacle)
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
      do { try session.run(line, on: console) } catch {
        var error = CommandError(explaining: error, words: [session.path])
        error = CommandError(
          error.exitCode, "line \(lines.number): \(error.message)", hint: error.hint)
        guard invocation.has(keepGoing) else { throw error }
        console.report(error)
        first = first ?? error.exitCode
      }
    }
    if session.hasChanges, !session.discards, !invocation.has(discard) {
      throw CommandError(
        first ?? .no, "The script has changed what it did not save; nothing of that is kept.",
        hint: "End it with 'save', or say --discard.")
    }
    return first ?? .done
  }
}

/// The lines of an input, one after another.
struct InputText {
  private let input: Console.Input
  private var bytes: [UInt8] = []
  private var start = 0
  /// The number of the last line, from 1.
  private(set) var number = 0

  private static let mostBytes = 1 << 24

  init(_ input: Console.Input) { self.input = input }

  /// Returns the next line; `nil` after the last line.
  mutating func next() throws -> String? {
    var searched = start
    while true {
      if let end = bytes[searched...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        return try text(bytes[start..<end])
      }
      searched = bytes.count
      guard bytes.count - start <= InputText.mostBytes else {
        throw CommandError.wrongUsage("line \(number + 1): It is too long.")
      }
      let more = try input.read()
      guard !more.isEmpty else {
        guard start < bytes.count else { return nil }
        defer { start = bytes.count }
        return try text(bytes[start...])
      }
      searched -= start
      bytes.removeFirst(start)
      start = 0
      bytes += more
    }
  }

  private mutating func text(_ bytes: ArraySlice<UInt8>) throws -> String {
    number += 1
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError.wrongUsage("line \(number): It is not UTF-8.")
    }
    return text
  }
}
