public import Foundation
public import ObjectModel

/// What to find, in which order, and what to give of it: what `NSFetchRequest` is to Core Data.
///
///     var request = QueryRequest("Person", where: longNamed)
///     request.sortKeys = [SortKey("lastName"), SortKey("age", ascending: false)]
///     request.fetchLimit = 20
///
/// A request is a value and knows no store. A context runs it; ``QueryPlan`` is how.
public struct QueryRequest: Sendable, Hashable {
  /// The name of the entity whose objects are looked for.
  public var entity: String
  /// What objects must meet; `nil` when all are wanted.
  public var predicate: QueryPredicate?
  /// What to sort by, most significant first.
  public var sortKeys: [SortKey]
  /// The greatest number of results; 0 for all.
  public var fetchLimit = 0
  /// How many results to pass over first.
  public var fetchOffset = 0
  /// How many objects a walk in batches takes at a time; 0 for as many as it likes.
  ///
  /// A fetch gives an array of faults whatever this is, since nothing of them is read before it is asked for
  /// (decision 0009).
  public var fetchBatchSize = 0
  /// What to give for each object found.
  public var resultType = FetchRequestTemplate.ResultType.objects
  /// Whether objects of subentities are found too.
  public var includesSubentities = true
  /// Whether values are read with the identifiers. No value is read here before it is asked for, so this
  /// changes nothing.
  public var includesPropertyValues = true
  /// Whether changes not yet saved are seen.
  public var includesPendingChanges = true
  /// Whether objects come as faults; otherwise each has been told that it was fetched.
  public var returnsObjectsAsFaults = true
  /// Whether equal dictionaries are given once.
  public var returnsDistinctResults = false
  /// What dictionaries hold; every attribute and to-one relationship when it is empty.
  public var propertiesToFetch: [FetchedValue] = []
  /// The paths whose values make a group, for dictionaries.
  public var propertiesToGroupBy: [String] = []
  /// What groups must meet. It may name the values fetched, and what groups are made by.
  public var havingPredicate: QueryPredicate?
  /// The relationships whose objects are loaded as well.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// The stores to look in; all that there are when it is `nil`.
  public var affectedStores: [UUID]?

  /// A request for the objects of an entity, or for those that meet a predicate.
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

/// One value of the dictionaries that a request gives: what `NSExpressionDescription` is to Core Data.
public struct FetchedValue: Sendable, Hashable {
  /// The name the dictionaries have it under.
  public var name: String
  /// How it is computed.
  public var expression: QueryExpression

  /// A value under a name.
  ///
  ///     FetchedValue("averageAge", .function(.average, [.path("age")]))
  public init(_ name: String, _ expression: QueryExpression) {
    self.name = name
    self.expression = expression
  }

  /// The value at the end of a path, under the path's own name.
  public init(_ path: String) { self.init(path, .path(path)) }
}

/// Rows of values under names: what a request gives as dictionaries.
public struct ResultTable: Sendable, Hashable {
  /// The names of the values.
  public let names: [String]
  /// The values of each result, in the order of the names.
  public internal(set) var rows: [[Value]]

  /// The results as dictionaries. What has no value is left out.
  public var dictionaries: [[String: Value]] {
    rows.map { row in
      Dictionary(uniqueKeysWithValues: zip(names, row).filter { !$0.1.isNull })
    }
  }
}

// MARK: - Everyday requests

extension QueryRequest {
  /// A request for the objects whose properties have the given values.
  ///
  ///     QueryRequest("Person", matching: ["lastName": .string("Smith"), "age": .integer(40)])
  ///
  /// - Parameter all: Whether all of them must, or any one.
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
