/// An error of PostgreSQL or of the connection to it.
public struct PostgreSQLError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The SQLSTATE of the error: five letters and digits; `nil` if the error did not come from the server.
  public var state: String?
  /// The message. It never contains a password.
  public var message: String
  /// The details that the server adds to the message.
  public var detail: String?
  /// The constraint that a row violates.
  public var constraint: String?
  /// Whether the connection was lost, or was never made.
  public var isConnectionLost: Bool

  public init(
    state: String? = nil, message: String, detail: String? = nil, constraint: String? = nil,
    isConnectionLost: Bool = false
  ) {
    (self.state, self.message, self.detail) = (state, message, detail)
    (self.constraint, self.isConnectionLost) = (constraint, isConnectionLost)
  }

  /// The message with the details and the SQLSTATE.
  public var description: String {
    message + (detail.map { " (\($0))" } ?? "") + (state.map { " [SQLSTATE \($0)]" } ?? "")
  }

  /// Whether the same transaction may succeed if it is run again: serialization failures and deadlocks.
  public var isTransient: Bool { state == "40001" || state == "40P01" }

  /// Whether the error belongs to a class of SQLSTATE.
  ///
  /// - Parameter name: The first two characters of the class.
  public func isOfClass(_ name: String) -> Bool { state?.hasPrefix(name) ?? false }

  /// Throws if a row has too few columns.
  static func check(_ width: Int, atLeast columnCount: Int) throws(PostgreSQLError) {
    guard width >= columnCount else {
      throw unexpected("A row has \(width) columns instead of \(columnCount).")
    }
  }

  /// Returns the error for an answer of the server that contradicts the protocol or the statement.
  static func unexpected(_ words: String) -> PostgreSQLError {
    PostgreSQLError(message: "The server's answer is not valid: \(words)")
  }
}
