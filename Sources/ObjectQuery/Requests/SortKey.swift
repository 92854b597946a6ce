/// One sort criterion; it corresponds to `NSSortDescriptor` in Core Data.
///
///     let order = [SortKey("lastName", options: .caseInsensitive), SortKey("age", ascending: false)]
///
/// Nulls come first in ascending order and last in descending order. Objects that are equal in every key keep the
/// order of their identifiers.
public struct SortKey: Sendable, Hashable, Codable {
  /// The path to the value, written with names and dots.
  public var path: String
  /// Whether the least value comes first.
  public var isAscending: Bool
  /// The differences that the comparison of text ignores.
  public var options: TextOptions

  /// Creates a key for the value at the end of a path.
  public init(_ path: String, ascending: Bool = true, options: TextOptions = []) {
    self.path = path
    isAscending = ascending
    self.options = options
  }
}

extension TextOptions: Codable {}
