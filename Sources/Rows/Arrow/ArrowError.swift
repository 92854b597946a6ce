/// An error that explains why Arrow arrays can't be read as rows.
public struct ArrowError: Error, Sendable, Hashable {
  /// The kind of the fault.
  public let code: Code
  /// The name of the child at fault; `nil` for the array of structures itself.
  public let column: String?
  /// A sentence that says what was found and what was expected.
  public let message: String

  /// A kind of fault, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The structures contradict the interface or each other: counts, lengths or missing pointers.
    public static let badStructure = Code(rawValue: "bad-structure")
    /// A child's name is not in the layout or occurs twice, or the key is missing.
    public static let badColumn = Code(rawValue: "bad-column")
    /// A child's format does not match the column's kind.
    public static let badFormat = Code(rawValue: "bad-format")
    /// A value does not belong to the column's kind.
    public static let badValue = Code(rawValue: "bad-value")
    /// Keys do not ascend, or are out of range.
    public static let badKeys = Code(rawValue: "bad-keys")
  }
}

extension ArrowError: CustomStringConvertible {
  /// The message, with the name of the column if there is one.
  public var description: String { column.map { "Column '\($0)': \(message)" } ?? message }
}

extension ArrowError {
  static func badStructure(_ column: String? = nil, _ message: String) -> ArrowError {
    ArrowError(code: .badStructure, column: column, message: message)
  }

  static func unknownColumn(_ name: String, entity: String, suggestion: String) -> ArrowError {
    ArrowError(
      code: .badColumn, column: name,
      message: "The entity '\(entity)' has no column of this name.\(suggestion)")
  }

  static func repeatedColumn(_ name: String) -> ArrowError {
    ArrowError(code: .badColumn, column: name, message: "Two columns have this name.")
  }

  static func missingKey() -> ArrowError {
    ArrowError(
      code: .badColumn, column: ArrowFormat.keyName,
      message: "The column is missing, but each row needs the key of its object.")
  }

  static func badFormat(_ column: String, found: String, wanted: [String]) -> ArrowError {
    ArrowError(
      code: .badFormat, column: column,
      message: "The format is '\(found)' instead of "
        + "\(wanted.map { "'\($0)'" }.joined(separator: " or ")).")
  }

  static func badValue(_ column: String, row: Int, _ message: String) -> ArrowError {
    ArrowError(code: .badValue, column: column, message: "Row \(row): \(message)")
  }

  static func badKey(row: Int, _ message: String) -> ArrowError {
    ArrowError(
      code: .badKeys, column: ArrowFormat.keyName, message: "Row \(row): \(message)")
  }
}
