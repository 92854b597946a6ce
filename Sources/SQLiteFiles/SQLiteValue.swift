/// The kind of a cell's value. In SQLite each value has its own kind, whatever type its column declares.
public enum SQLiteKind: Sendable, Hashable {
  case null
  /// An integer of 64 bits.
  case integer
  /// A floating-point number of 64 bits.
  case real
  /// A text: UTF-8, unless another program wrote invalid bytes.
  case text
  case blob
}

/// A value that owns its contents, for statements with any number of parameters.
public enum SQLiteValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}
