public import Foundation
public import ObjectModel
public import ObjectQuery

/// A request for objects of a class.
///
///     let soon = try context.fetch(Trip.where { $0.start > .now }.sorted(by: \.start))
///     let late = try context.fetch(FetchRequest(Trip.self, where: QueryPredicate("start < %@", now)))
///
/// A request costs what it returns: the result is an array of faults, whose values are read when they are used. To show a list
/// that stays up to date, use ``FetchedResults``; for sums and groups, use
/// ``ManagedObjectContext/fetchTable(_:)``; for values that leave the context, snapshots.
///
/// If the program knows the name of an entity only, it makes a `FetchRequest<ManagedObject>`:
///
///     let people = try context.fetch(FetchRequest("Person"))
///
/// The settings of `QueryRequest`, such as `fetchLimit`, are properties of the request.
@dynamicMemberLookup
public struct FetchRequest<Object: ManagedObject>: Sendable, Hashable {
  /// The request in the form that stores receive.
  public var query: QueryRequest

  /// Creates a request for all objects of the class.
  public init() { query = QueryRequest(Object.entityName) }

  /// Creates a request for objects that the program knows to be of the class.
  public init(_ query: QueryRequest) { self.query = query }

  /// Creates a request for the objects of a class that meet a predicate.
  public init(
    _ type: Object.Type, where predicate: QueryPredicate? = nil, sortedBy sortKeys: [SortKey] = [],
    limit: Int = 0
  ) {
    query = QueryRequest(type.entityName, where: predicate, sortedBy: sortKeys, limit: limit)
  }

  /// Creates a request from a fetch request template of a model.
  ///
  ///     let request = try FetchRequest<Trip>(template: "tripsTo", in: model, variables: ["PLACE": "Lisbon"])
  ///
  /// - Parameter variables: The values of the variables in the template's predicate.
  /// - Throws: `QueryError` if the model has no such template, its predicate can't be read, or a variable has no value.
  public init(
    template name: String, in model: Model, variables: [String: (any QueryArgument)?] = [:]
  ) throws(QueryError) {
    query = try QueryRequest(template: name, in: model, variables: variables)
  }

  /// Accesses a setting of the request, such as `fetchLimit` or `includesSubentities`.
  public subscript<Value>(dynamicMember path: WritableKeyPath<QueryRequest, Value>) -> Value {
    get { query[keyPath: path] }
    set { query[keyPath: path] = newValue }
  }

  /// Returns the request with one more sort key after its present sort keys.
  public func sorted<Value>(
    by path: KeyPath<Object, Value>, ascending: Bool = true, options: TextOptions = []
  ) -> FetchRequest {
    var sorted = self
    let name = PropertyPaths.name(of: path, in: Object.self)
    sorted.query.sortKeys.append(SortKey(name, ascending: ascending, options: options))
    return sorted
  }

  /// Returns the request with one more sort key after its present sort keys.
  ///
  ///     Trip.all.sorted(by: \.start, .reverse)
  public func sorted<Value>(
    by path: KeyPath<Object, Value>, _ order: SortOrder, options: TextOptions = []
  ) -> FetchRequest { sorted(by: path, ascending: order == .forward, options: options) }

  /// Returns the request with the relevance as one more sort key after its present sort keys.
  ///
  ///     let best = Trip.where { $0.name.matches(text: "lisbon tram*") }.sortedByRelevance().limited(to: 20)
  ///
  /// The objects whose texts answer the `TEXT` conditions best come first. `SortKey.relevance` describes the order.
  public func sortedByRelevance() -> FetchRequest {
    var sorted = self
    sorted.query.sortKeys.append(.relevance)
    return sorted
  }

  /// Returns the request with a limit on the number of objects.
  public func limited(to count: Int) -> FetchRequest {
    var limited = self
    limited.query.fetchLimit = count
    return limited
  }

  /// Returns the request that prefetches the objects of a relationship.
  public func prefetching<Value>(_ path: KeyPath<Object, Value>) -> FetchRequest {
    var prefetching = self
    prefetching.query.relationshipKeyPathsForPrefetching.append(
      PropertyPaths.name(of: path, in: Object.self))
    return prefetching
  }
}

// Requests for an entity that the program knows by name only.
extension FetchRequest where Object == ManagedObject {
  /// Creates a request for the objects of an entity, or for its objects that meet a predicate.
  public init(
    _ entity: String, where predicate: QueryPredicate? = nil, sortedBy sortKeys: [SortKey] = [],
    limit: Int = 0
  ) { query = QueryRequest(entity, where: predicate, sortedBy: sortKeys, limit: limit) }

  /// Creates a request for the objects with the given property values.
  ///
  ///     FetchRequest("Person", matching: ["lastName": .string("Smith"), "age": .integer(40)])
  ///
  /// - Parameter all: Whether all values must be equal; if `false`, one equal value is enough.
  public init(
    _ entity: String, matching values: KeyValuePairs<String, Value>, all: Bool = true,
    sortedBy sortKeys: [SortKey] = []
  ) { query = QueryRequest(entity, matching: values, all: all, sortedBy: sortKeys) }
}

extension FetchRequest where Object: EntityMapped {
  /// Creates a request for the objects that meet one of Foundation's predicates.
  ///
  ///     try FetchRequest(#Predicate<Trip> { $0.name.contains("Lis") }, sortedBy: [SortDescriptor(\.name)])
  ///
  /// - Throws: `QueryError` if the predicate or a descriptor has no counterpart.
  public init(
    _ predicate: Predicate<Object>, sortedBy descriptors: [SortDescriptor<Object>] = [],
    limit: Int = 0
  ) throws(QueryError) {
    query = try QueryRequest(predicate, sortedBy: descriptors, limit: limit)
  }
}
