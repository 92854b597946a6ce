/// One thing to sort by: what `NSSortDescriptor` is to Core Data.
///
///     let order = [SortKey("lastName", options: .caseInsensitive), SortKey("age", ascending: false)]
///
/// What has no value comes before all values when the least comes first, and behind them when the
/// greatest does. Objects that are equal in every key keep the order of their identifiers.
public struct SortKey: Sendable, Hashable, Codable {
  /// The path to the value: names and dots.
  public var path: String
  /// Whether the least comes first.
  public var isAscending: Bool
  /// What the comparison of text passes over.
  public var options: TextOptions

  /// A key over the value at the end of a path.
  public init(_ path: String, ascending: Bool = true, options: TextOptions = []) {
    self.path = path
    isAscending = ascending
    self.options = options
  }
}

extension TextOptions: Codable {}
