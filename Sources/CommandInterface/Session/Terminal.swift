// SAFETY: The settings are local values of this process, and they stay alive during the calls that fill or read them.

import Foundation

/// The terminal at which the user types.
package struct Terminal {
  private let descriptor: Int32

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The number of columns; `nil` if the terminal does not report it.
  package var width: Int? { size.flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil } }

  /// The number of lines; `nil` if the terminal does not report it.
  package var height: Int? { size.flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil } }

  private var size: winsize? {
    var size = winsize()
    return unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  /// Reads a line that the user types, and then restores the terminal's settings.
  package func readLine(_ editor: inout LineEditor, _ console: Console) throws -> LineEditor.Outcome
  {
    var before = termios()
    guard unsafe tcgetattr(descriptor, &before) == 0 else {
      throw CommandError(.inputOutput, "The settings of the terminal can't be read.")
    }
    var raw = before
    raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
    raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    raw.c_cflag |= tcflag_t(CS8)
    guard unsafe tcsetattr(descriptor, TCSADRAIN, &raw) == 0 else {
      throw CommandError(.inputOutput, "The terminal can't be set to send single keys.")
    }
    let (descriptor, usual) = (descriptor, before)
    let restore: @Sendable () -> Void = {
      var settings = usual
      _ = unsafe tcsetattr(descriptor, TCSADRAIN, &settings)
    }
    defer { restore() }
    return try EndingSignals.withCleanup(restore) { try typed(&editor, console) }
  }

  private func typed(
    _ editor: inout LineEditor, _ console: Console
  ) throws -> LineEditor.Outcome {
    try console.output.write(editor.display(width: width ?? console.width))
    while true {
      let bytes = try console.input.read(upTo: 1)
      guard let byte = bytes.first else { return .end }
      if let outcome = editor.take(byte) {
        try console.output.write(editor.display(width: width ?? console.width) + "\r\n")
        return outcome
      }
      try console.output.write(editor.display(width: width ?? console.width))
    }
  }
}
