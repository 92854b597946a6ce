package import ObjectModel

/// One sort criterion; it corresponds to `NSSortDescriptor` in Core Data.
///
///     let order = [SortKey("lastName", options: .caseInsensitive), SortKey("age", ascending: false)]
///
/// Nulls come first in ascending order and last in descending order. Objects that are equal in every key keep the
/// order of their identifiers.
///
/// A request with a `TEXT` condition can put the objects first that answer it best:
///
///     let best = [SortKey.relevance, SortKey("written", ascending: false)]
public struct SortKey: Sendable, Hashable, Codable {
  /// The path to the value, written with names and dots; `relevance` for ``relevance``. For a key with an
  /// ``expression``, its name in the results, or its text.
  public var path: String
  /// The expression of the value; `nil` if the value is at the end of the path.
  public var expression: QueryExpression?
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

  /// Creates a key for the value of an expression.
  ///
  ///     SortKey(try QueryExpression("quantity * price"), ascending: false)
  public init(
    _ expression: QueryExpression, ascending: Bool = true, options: TextOptions = []
  ) {
    self.init(expression.description, ascending: ascending, options: options)
    // A plain path is a key that a store may answer with an index.
    if case .keyPath(of: .evaluatedObject, let names) = expression,
      !names.contains(where: { $0.contains(".") })
    {
      path = names.joined(separator: ".")
    } else {
      self.expression = expression
    }
  }

  /// The key for the relevance of an object: how well its texts answer the `TEXT` conditions of the predicate.
  ///
  /// The most relevant objects come first, and last with ``isAscending`` set to `false`. A text is relevant if it contains
  /// the words often, if the words are rare in all texts, and if it is short. The scores of several conditions are added.
  /// A request without such a condition is refused.
  ///
  /// The path `relevance` means the same for an entity without a property of that name. Sorting by relevance reads the
  /// texts of all objects of the entity, also if an index of words finds the objects.
  public static let relevance = SortKey("@relevance")

  /// Whether the key is the relevance of an object, and not one of its properties.
  func isRelevance(of entity: String?, in model: Model) -> Bool {
    if expression != nil { return false }
    if path == SortKey.relevance.path { return true }
    guard path == "relevance" else { return false }
    return entity.flatMap { model.property(path, of: $0) } == nil
  }
}

extension QueryRequest {
  /// Whether the results are sorted by relevance, which depends on the texts of all objects and not only of those found.
  package func sortsByRelevance(in model: Model) -> Bool {
    sortKeys.contains { $0.isRelevance(of: entity, in: model) }
  }
}

extension TextOptions: Codable {}
