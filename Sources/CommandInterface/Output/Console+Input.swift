import Foundation

extension Console {
  /// The source of input that is not part of the command line: a terminal, or a pipe from another program.
  package struct Input: Sendable {
    /// Whether the input is a terminal.
    package let isTerminal: Bool
    /// The descriptor of the terminal, for code that changes the terminal's mode.
    package let descriptor: Int32?
    private let source: @Sendable (_ most: Int) throws -> [UInt8]

    /// Creates an input from `source`, which returns at most the given number of bytes, and none at its end.
    ///
    /// - Parameter descriptor: The descriptor of the terminal; `nil` if the input is not a terminal.
    package init(
      terminal descriptor: Int32? = nil,
      source: @escaping @Sendable (_ most: Int) throws -> [UInt8]
    ) {
      self.descriptor = descriptor
      isTerminal = descriptor != nil
      self.source = source
    }

    package static let none = Input { _ in [] }

    /// Reads and returns the next bytes; none at the end.
    package func read(upTo most: Int = 65_536) throws -> [UInt8] { try source(most) }
  }

  /// The standard input of this process.
  package static let standardInput = Input(
    terminal: isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : nil
  ) { most in try bytes(of: STDIN_FILENO, most) }

  /// Reads and returns the next bytes of an open descriptor; none at its end.
  package static func bytes(of descriptor: Int32, _ most: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: most)
    while true {
      // SAFETY: The array has room for as many bytes as are asked for.
      let count = unsafe read(descriptor, &bytes, most)
      if count >= 0 { return Array(bytes.prefix(count)) }
      guard errno == EINTR else {
        let reason = reason(ofNumber: errno)
        throw CommandError(.inputOutput, "Can't read from standard input: \(reason).")
      }
    }
  }
}
