public import Foundation
public import ObjectModel

/// A description of objects to find, their order and the form of the results; it corresponds to `NSFetchRequest` in
/// Core Data.
///
///     var request = QueryRequest("Person", where: longNamed)
///     request.sortKeys = [SortKey("lastName"), SortKey("age", ascending: false)]
///     request.fetchLimit = 20
///
/// A request is a value and refers to no store. A context runs it by means of `QueryPlan`.
public struct QueryRequest: Sendable, Hashable {
  /// The name of the entity whose objects are searched.
  public var entity: String
  /// The condition for objects; `nil` if all are requested.
  public var predicate: QueryPredicate?
  /// The sort keys, most significant first.
  public var sortKeys: [SortKey]
  /// The greatest number of results; 0 for all.
  public var fetchLimit = 0
  /// The number of results to skip.
  public var fetchOffset = 0
  /// The number of objects that a walk in batches reads at a time; 0 lets the walk choose.
  ///
  /// A fetch always returns an array of faults, independent of this property, because values are read only on access
  /// (decision 0009).
  public var fetchBatchSize = 0
  /// The form of the results.
  public var resultType = FetchRequestTemplate.ResultType.objects
  /// Whether objects of subentities are included.
  public var includesSubentities = true
  /// Whether values are read with the identifiers. Requests ignore it, because values are read only on access.
  public var includesPropertyValues = true
  /// Whether unsaved changes are included.
  public var includesPendingChanges = true
  /// Whether objects are returned as faults. If false, each object is notified that it was fetched.
  public var returnsObjectsAsFaults = true
  /// Whether duplicate dictionaries are removed.
  public var returnsDistinctResults = false
  /// The values in the dictionaries; if empty, every attribute and to-one relationship.
  public var propertiesToFetch: [FetchedValue] = []
  /// The paths whose values define a group, for dictionaries. A name that is not a property of the entity may also be the
  /// name of a value in ``propertiesToFetch``, such as that of `TRUNC(start, "month")`.
  public var propertiesToGroupBy: [String] = []
  /// The condition for groups. It may refer to the fetched values and to the values that define groups.
  public var havingPredicate: QueryPredicate?
  /// The relationships whose objects are prefetched.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// The stores to search; `nil` for all stores.
  public var affectedStores: [UUID]?

  /// Creates a request for the objects of an entity, or for the objects that meet a predicate.
  public init(
    _ entity: String, where predicate: QueryPredicate? = nil, sortedBy sortKeys: [SortKey] = [],
    limit: Int = 0
  ) {
    self.entity = entity
    self.predicate = predicate
    self.sortKeys = sortKeys
    fetchLimit = limit
  }
}

/// One value in the dictionaries of a request; it corresponds to `NSExpressionDescription` in Core Data.
public struct FetchedValue: Sendable, Hashable {
  /// The key of the value in the dictionaries.
  public var name: String
  /// The expression that computes the value.
  public var expression: QueryExpression

  /// Creates a value with a name.
  ///
  ///     FetchedValue("averageAge", .function(.average, [.path("age")]))
  public init(_ name: String, _ expression: QueryExpression) {
    self.name = name
    self.expression = expression
  }

  /// Creates a value for the end of a path, with the path as its name.
  public init(_ path: String) { self.init(path, .path(path)) }
}

/// Rows of named values: the dictionaries that a request returns.
public struct ResultTable: Sendable, Hashable {
  /// The names of the values.
  public let names: [String]
  /// The values of each result, in the order of the names.
  public internal(set) var rows: [[Value]]

  /// The results as dictionaries. Nulls are left out.
  public var dictionaries: [[String: Value]] {
    rows.map { row in
      Dictionary(uniqueKeysWithValues: zip(names, row).filter { !$0.1.isNull })
    }
  }
}

// MARK: - Common requests

extension QueryRequest {
  /// Creates a request for the objects whose properties have the given values.
  ///
  ///     QueryRequest("Person", matching: ["lastName": .string("Smith"), "age": .integer(40)])
  ///
  /// - Parameter all: Whether all of the values must match, or any one.
  public init(
    _ entity: String, matching values: KeyValuePairs<String, Value>, all: Bool = true,
    sortedBy sortKeys: [SortKey] = []
  ) {
    let parts = values.map { path, value in
      QueryPredicate.comparison(.init(.path(path), .equal, .constant(value)))
    }
    self.init(entity, where: all ? .and(parts) : .or(parts), sortedBy: sortKeys)
  }
}
