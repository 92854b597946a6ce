/// An error that explains why the bytes of a block can't be read.
public struct BlockError: Error, Sendable, Hashable {
  /// The kind of the damage.
  public let code: Code
  /// The number of the column at fault; `nil` for the block's header and directory.
  public let column: UInt16?
  /// A sentence that says what was found and what was expected.
  public let message: String

  /// A kind of damage, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The block states more bytes than there are.
    public static let truncated = Code(rawValue: "truncated")
    /// The bytes are not a block, or a block of an unknown kind.
    public static let notABlock = Code(rawValue: "not-a-block")
    /// The header or the directory contradicts itself.
    public static let badDirectory = Code(rawValue: "bad-directory")
    /// The stored checksum differs from the computed checksum.
    public static let checksumMismatch = Code(rawValue: "checksum-mismatch")
    /// A column's bytes contradict its encoding.
    public static let badColumn = Code(rawValue: "bad-column")
    /// A text is not UTF-8.
    public static let badText = Code(rawValue: "bad-text")
    /// A value does not fit the column's kind.
    public static let badValue = Code(rawValue: "bad-value")
    /// Keys are not in ascending order.
    public static let badKeys = Code(rawValue: "bad-keys")
    /// A value lies outside of the block, and the block is in no file that could contain the value.
    public static let noOutsideValues = Code(rawValue: "no-outside-values")
  }
}

extension BlockError: CustomStringConvertible {
  /// The message, with the name of the column if there is one.
  public var description: String {
    column.map { "Column \(BlockError.name(of: $0)): \(message)" } ?? message
  }

  private static func name(of column: UInt16) -> String {
    switch column {
    case LayoutColumn.Number.key: "'key'"
    case LayoutColumn.Number.version: "'version'"
    case LayoutColumn.Number.basis: "'basis'"
    case LayoutColumn.Number.object: "'object'"
    default: "\(column)"
    }
  }
}

extension BlockError {
  static func truncated(needed: Int, available: Int) -> BlockError {
    BlockError(
      code: .truncated, column: nil,
      message: "The block needs \(needed) bytes, but only \(available) bytes exist.")
  }

  static func notABlock(found: UInt32) -> BlockError {
    BlockError(
      code: .notABlock, column: nil,
      message:
        "A block begins with the bytes 51 42 4c 4b, but this block begins with \(hex(found)).")
  }

  static func badDirectory(_ message: String) -> BlockError {
    BlockError(code: .badDirectory, column: nil, message: message)
  }

  static func checksumMismatch(column: UInt16?, stored: UInt32, computed: UInt32) -> BlockError {
    BlockError(
      code: .checksumMismatch, column: column,
      message: "The stored checksum \(hex(stored)) differs from the computed \(hex(computed)).")
  }

  static func badColumn(_ column: UInt16, _ message: String) -> BlockError {
    BlockError(code: .badColumn, column: column, message: message)
  }

  static func badText(_ column: UInt16) -> BlockError {
    BlockError(code: .badText, column: column, message: "A text is not valid UTF-8.")
  }

  static func badValue(_ column: UInt16, _ message: String) -> BlockError {
    BlockError(code: .badValue, column: column, message: message)
  }

  static func badKeys() -> BlockError {
    BlockError(
      code: .badKeys, column: LayoutColumn.Number.key,
      message: "The keys are not in strictly ascending order between the header's bounds.")
  }

  private static func hex(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}
