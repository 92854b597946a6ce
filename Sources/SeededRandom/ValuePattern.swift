/// The relation between the random values of one column.
///
/// Values that are drawn one by one hardly ever make a column that has no value at all, or nothing but empty texts. A
/// generator of rows therefore draws a pattern for each column, and then values of that pattern:
///
///     var random = SeededGenerator(seed: 1)
///     let pattern = ValuePattern.random(using: &random)
///     let ages = (0..<40).map { _ in
///       pattern.value(empty: 0, greatest: Int.max, same: 7) { Int.random(in: 0...99, using: &random) }
///     }
public enum ValuePattern: String, CaseIterable, Sendable {
  /// Each value is drawn for itself.
  case ordinary
  /// No row has a value.
  case missing
  /// Each row has the empty or the lowest value of its type.
  case empty
  /// All rows have the same value.
  case equal
  /// Each row has the largest value of its type, or one as large as is practical.
  case greatest

  /// Returns each pattern as often as any other.
  public static func random(using random: inout some RandomNumberGenerator) -> ValuePattern {
    allCases.randomElement(using: &random)!
  }

  /// Returns the value of a row; `nil` if the row has no value.
  public func value<V>(empty: V, greatest: V, same: V, ordinary: () -> V?) -> V? {
    switch self {
    case .ordinary: ordinary()
    case .missing: nil
    case .empty: empty
    case .equal: same
    case .greatest: greatest
    }
  }
}
