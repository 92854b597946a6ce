import CommandInterface
import ObjectModel

/// A session with a user at a terminal.
struct Conversation {
  private let session: Session
  private let console: Console
  private let terminal: Terminal
  private let prompt: String
  private let history: LineHistory

  init(
    _ session: Session, _ console: Console, _ terminal: Terminal, prompt: String,
    _ history: LineHistory
  ) {
    self.session = session
    self.console = console
    self.terminal = terminal
    self.prompt = prompt
    self.history = history
  }

  /// Reads and runs lines until the user ends the session.
  ///
  /// Ctrl-C ends the running command, but never the session, which may contain unsaved changes.
  func run() throws -> ExitCode {
    let interruption = session.interruption
    let interrupt: @Sendable () -> Void = { interruption.request() }
    return try EndingSignals.withInterrupts(to: interrupt) { try converse() }
  }

  private func converse() throws -> ExitCode {
    try console.messages.writeLine("'help' lists the commands, and 'quit' ends the session.")
    let completion = SessionCompletion(session)
    var command = GrowingCommand()
    while !session.isOver {
      let words = prompt + (session.hasChanges ? "*" : "") + "> "
      let further = String(repeating: " ", count: max(0, words.displayWidth - 4)) + "... "
      let before = command.isOpen ? command.text + "\n" : ""
      var editor = LineEditor(
        prompt: command.isOpen ? further : words, history: history.lines
      ) { completion.candidates(for: before + $0) }
      switch try terminal.readLine(&editor, console) {
      case .line(let line):
        guard let text = command.add(line) else { continue }
        history.add(text)
        run(text)
      case .end where command.isOpen:
        // Running the lines reports why they are not a command.
        run(command.finish())
      // The end of the input means the same as `quit`.
      case .end: run("quit")
      case .abandoned: _ = command.finish()
      }
    }
    return .done
  }

  private func run(_ line: String) {
    session.interruption.reset()
    do {
      try session.run(line, on: console.interruptible(by: session.interruption))
    } catch {
      console.report(CommandError(explaining: error, words: [session.path]))
    }
  }
}
