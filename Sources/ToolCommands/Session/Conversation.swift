import ObjectModel

/// A session with a person at a terminal.
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

  func run() throws -> ExitCode {
    try console.messages.writeLine("'help' lists the commands, and 'quit' ends the session.")
    let completion = Completion(session)
    while !session.isOver {
      let words = prompt + (session.hasChanges ? "*" : "") + "> "
      var editor = LineEditor(prompt: words, history: history.lines) {
        completion.candidates(for: $0)
      }
      switch try terminal.readLine(&editor, console) {
      case .line(let line):
        history.add(line)
        run(line)
      // As much as a person means by it: end the session.
      case .end: run("quit")
      case .abandoned: continue
      }
    }
    return .done
  }

  private func run(_ line: String) {
    do { try session.run(line, on: console) } catch {
      console.report(CommandError(explaining: error))
    }
  }
}
