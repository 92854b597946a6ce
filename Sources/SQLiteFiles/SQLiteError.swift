/// Why SQLite could not do what it was asked.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of failure it is.
  public let code: Code
  /// SQLite's own number, which says more than the code.
  public let number: Int32
  /// What was tried and what SQLite says of it.
  public let description: String

  /// A failure of the given kind.
  public init(_ code: Code, number: Int32 = 0, _ description: String) {
    self.code = code
    self.number = number
    self.description = description
  }

  /// A kind of failure, to branch on.
  public enum Code: Sendable, Hashable {
    /// Somebody else is writing, or holds what is needed.
    case busy
    /// The file is no database.
    case notADatabase
    /// The file contradicts itself.
    case damaged
    /// The database can only be read.
    case readOnly
    /// The disk refused, or is full.
    case inputOutput
    /// There is no such file, or it can't be opened.
    case cantOpen
    /// Somebody said to stop, or it took longer than it may.
    case interrupted
    /// A value or a statement is larger than is allowed.
    case tooBig
    /// What was to be written breaks a rule of the table.
    case constraint
    /// A statement reads or does what it must not.
    case notAuthorized
    /// None of the others.
    case failed
  }
}
