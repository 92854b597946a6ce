import Foundation

extension Console {
  /// Where a command reads what it is not given as arguments: a person, or the program before a pipe.
  public struct Input: Sendable {
    /// Whether a person types.
    public let isTerminal: Bool
    /// The terminal, for those who set how it takes keys.
    let descriptor: Int32?
    private let source: @Sendable (_ most: Int) throws -> [UInt8]

    /// An input whose bytes `source` gives, at most so many at a time and none at its end.
    ///
    /// - Parameter descriptor: The terminal that a person types at; `nil` when nobody does.
    public init(
      terminal descriptor: Int32? = nil,
      source: @escaping @Sendable (_ most: Int) throws -> [UInt8]
    ) {
      self.descriptor = descriptor
      isTerminal = descriptor != nil
      self.source = source
    }

    /// Nothing.
    public static let none = Input { _ in [] }

    /// The next bytes; none at the end.
    func read(upTo most: Int = 65_536) throws -> [UInt8] { try source(most) }
  }

  /// The input of this process.
  static let standardInput = Input(
    terminal: isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : nil
  ) { most in try bytes(of: STDIN_FILENO, most) }

  /// The next bytes of an open descriptor; none at its end.
  static func bytes(of descriptor: Int32, _ most: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: most)
    while true {
      // SAFETY: The array has room for as many bytes as are asked for.
      let count = unsafe read(descriptor, &bytes, most)
      if count >= 0 { return Array(bytes.prefix(count)) }
      guard errno == EINTR else {
        let error = NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
        throw CommandError(
          .inputOutput, "Can't read from standard input: \(reason(of: error)).")
      }
    }
  }
}
