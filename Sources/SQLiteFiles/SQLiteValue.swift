/// What kind of value a cell has: in SQLite each has a kind of its own, whatever its column says.
public enum SQLiteKind: Sendable, Hashable {
  /// Nothing.
  case null
  /// A whole number of 64 bits.
  case integer
  /// A floating-point number of 64 bits.
  case real
  /// Text, in UTF-8 unless somebody wrote what is none.
  case text
  /// Bytes.
  case blob
}

/// A value by itself, for parameters that come in any number.
public enum SQLiteValue: Sendable, Hashable {
  /// Nothing.
  case null
  /// A whole number.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// Text.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}
