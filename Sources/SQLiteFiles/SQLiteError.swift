/// A failure that SQLite reports.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  public let code: Code
  /// SQLite's own result code, which is more precise than `code`.
  public let number: Int32
  /// SQLite's message, and the statement that failed.
  public let description: String

  /// Creates a failure of the given kind.
  public init(_ code: Code, number: Int32 = 0, _ description: String) {
    self.code = code
    self.number = number
    self.description = description
  }

  /// A kind of failure, to branch on.
  public enum Code: Sendable, Hashable {
    /// Another connection is writing, or holds a lock that is needed.
    case busy
    /// The file is not an SQLite database.
    case notADatabase
    /// The contents of the file are inconsistent.
    case damaged
    /// The database can only be read.
    case readOnly
    /// The disk reported an error, or is full.
    case inputOutput
    /// The file does not exist or can't be opened.
    case cantOpen
    /// The statement was interrupted, or took longer than its time limit.
    case interrupted
    /// A value or a statement exceeds a limit.
    case tooBig
    /// The new row violates a constraint of the table.
    case constraint
    /// A statement reads or does something that is denied.
    case notAuthorized
    case failed
  }
}
