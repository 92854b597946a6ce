import CommandInterface
import Foundation
import Synchronization

@testable import ToolCommands

/// One run of the tool in this process: its exit code and its output.
struct RecordedRun {
  let exitCode: ExitCode
  let output: String
  let messages: String

  /// Runs the given tool with the given arguments.
  ///
  /// - Parameter typed: Whether the input counts as a terminal.
  init(
    _ words: [String], tool: Tool = .quire, colour: Bool = false, terminal: Bool? = nil,
    width: Int = 80, height: Int? = nil, input: [UInt8] = [], typed: Bool = false,
    environment: [String: String] = [:]
  ) {
    let output = Recording()
    let messages = Recording()
    exitCode = tool.run(
      words,
      on: Console(
        output: output.stream(colour: colour, isTerminal: terminal ?? colour),
        messages: messages.stream(colour: colour, isTerminal: terminal ?? colour), width: width,
        height: height, input: given(input, typed: typed), environment: environment))
    self.output = output.text.withLock { $0 }
    self.messages = messages.text.withLock { $0 }
  }
}

/// Returns an input of the given bytes.
private func given(_ bytes: [UInt8], typed: Bool) -> Console.Input {
  let left = Mutex(bytes[...])
  return Console.Input(terminal: typed ? 0 : nil) { most in
    left.withLock { left in
      defer { left = left.dropFirst(most) }
      return Array(left.prefix(most))
    }
  }
}

/// Keeps the bytes that are written to a stream.
private final class Recording: Sendable {
  let text = Mutex("")

  func stream(colour: Bool, isTerminal: Bool) -> Console.Stream {
    Console.Stream(isTerminal: isTerminal, usesColour: colour) { written in
      self.text.withLock { $0 += written }
    }
  }
}

extension Tool {
  /// Returns a tool with the commands that edit stores, and with the commands that show the results.
  static func editing(_ reader: StoreReader) -> Tool {
    Tool(commands: [
      InsertCommand.command(reader), SetCommand.command(reader), DeleteCommand.command(reader),
      FetchCommand.command(reader), CountCommand.command(reader),
    ])
  }
}
