public import Foundation

/// A Swift type whose properties stand for those of an entity, so that `#Predicate` and
/// `SortDescriptor` may be written about it.
///
///     final class Trip: EntityMapped {
///       var name = ""
///       var stops: [Stop] = []
///       static var propertyNames: [AnyKeyPath: String] { [\Trip.name: "name", \Trip.stops: "stops"] }
///     }
///
/// A class with `@Entity` is such a type:
///
///     let request = try QueryRequest(
///       #Predicate<Trip> { $0.name.contains("Li") && $0.stops.count > 2 },
///       sortedBy: [SortDescriptor(\.name)])
public protocol EntityMapped: PropertyMapped {
  /// The entity's name. That of the Swift type, unless this says otherwise.
  static var entityName: String { get }
}

/// A Swift type whose properties have names in a model.
public protocol PropertyMapped {
  /// The names of the properties, by the key paths that read them.
  static var propertyNames: [AnyKeyPath: String] { get }
}

extension EntityMapped {
  /// The entity's name: that of the Swift type.
  public static var entityName: String { String(describing: Self.self) }
}

extension QueryPredicate {
  /// What one of Foundation's predicates says, with its meaning kept: a missing value is different
  /// from any other, as it is in Swift.
  ///
  ///     try QueryPredicate(#Predicate<Trip> { ($0.start ?? now) >= now })
  ///
  /// - Throws: ``QueryError`` that names the first expression without a counterpart, or the path that
  ///   is none of the type's properties.
  public init<T: EntityMapped>(_ predicate: Predicate<T>) throws(QueryError) {
    var walk = FoundationWalk()
    walk.variables[predicate.variable.key] = .evaluatedObject
    self = try walk.predicate(predicate.expression)
  }
}

extension SortKey {
  /// What one of Foundation's sort descriptors says.
  ///
  /// A comparison of text as readers expect becomes ``TextOptions/localeSensitive``.
  ///
  /// - Throws: ``QueryError`` when the path is none of the type's properties, or there is none.
  public init<T: EntityMapped>(_ descriptor: SortDescriptor<T>) throws(QueryError) {
    guard let keyPath = descriptor.keyPath else {
      throw QueryError(
        .notSupported, "The sort descriptor compares by code of its own, and not by a property.")
    }
    guard let name = T.propertyNames[keyPath] else {
      throw FoundationWalk.unknown(keyPath, of: T.self)
    }
    var options: TextOptions = []
    if let comparator = descriptor.stringComparator, comparator != .lexical {
      options = .localeSensitive
    }
    self.init(name, ascending: descriptor.order == .forward, options: options)
  }
}

extension QueryRequest {
  /// A request for the objects that a type stands for.
  ///
  /// - Throws: ``QueryError`` when the predicate or a descriptor has no counterpart.
  public init<T: EntityMapped>(
    _ predicate: Predicate<T>, sortedBy descriptors: [SortDescriptor<T>] = [], limit: Int = 0
  ) throws(QueryError) {
    var sortKeys: [SortKey] = []
    for descriptor in descriptors { sortKeys.append(try SortKey(descriptor)) }
    self.init(
      T.entityName, where: try QueryPredicate(predicate), sortedBy: sortKeys, limit: limit)
  }
}
