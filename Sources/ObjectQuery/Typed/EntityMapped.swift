public import Foundation
import ObjectModel

/// A Swift type whose properties stand for the properties of an entity, so that `#Predicate` and `SortDescriptor` can
/// use it.
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
  /// The entity's name; by default the name of the Swift type.
  static var entityName: String { get }
}

/// A Swift type whose properties have names in a model.
public protocol PropertyMapped {
  /// The names of the properties, by their key paths.
  static var propertyNames: [AnyKeyPath: String] { get }
}

extension EntityMapped {
  /// The entity's name: the name of the Swift type.
  public static var entityName: String { nameOfType(Self.self) }
}

extension QueryPredicate {
  /// Converts one of Foundation's predicates with the same meaning: as in Swift, a missing value is different from
  /// any other value.
  ///
  ///     try QueryPredicate(#Predicate<Trip> { ($0.start ?? now) >= now })
  ///
  /// - Throws: ``QueryError`` that names the first expression without a counterpart, or the path that is not a
  ///   property of the type.
  public init<T: EntityMapped>(_ predicate: Predicate<T>) throws(QueryError) {
    var walk = FoundationWalk()
    walk.variables[predicate.variable.key] = .evaluatedObject
    self = try walk.predicate(predicate.expression)
  }
}

extension SortKey {
  /// Converts one of Foundation's sort descriptors.
  ///
  /// A comparison of text by the current language becomes ``TextOptions/localeSensitive``. Foundation's comparison for
  /// lists (`localizedStandard`) is also ``TextOptions/caseInsensitive``.
  ///
  /// - Throws: ``QueryError`` if the descriptor compares by its own code, or the path is not a property of the type.
  public init<T: EntityMapped>(_ descriptor: SortDescriptor<T>) throws(QueryError) {
    guard let keyPath = descriptor.keyPath else {
      throw QueryError(
        .notSupported, "The sort descriptor compares by its own code, not by a property.")
    }
    guard let name = T.propertyNames[keyPath] else {
      throw FoundationWalk.unknown(keyPath, of: T.self)
    }
    let options = descriptor.stringComparator.map { TextOptions($0) } ?? []
    self.init(name, ascending: descriptor.order == .forward, options: options)
  }
}

extension TextOptions {
  fileprivate init(_ comparator: String.StandardComparator) {
    #if canImport(Darwin)
      if comparator == .localized {
        self = .localeSensitive
        return
      }
    #endif
    self = comparator == .lexical ? [] : .localizedStandard
  }
}

extension QueryRequest {
  /// Creates a request for the objects that a type stands for.
  ///
  /// - Throws: ``QueryError`` if the predicate or a descriptor can't be translated.
  public init<T: EntityMapped>(
    _ predicate: Predicate<T>, sortedBy descriptors: [SortDescriptor<T>] = [], limit: Int = 0
  ) throws(QueryError) {
    var sortKeys: [SortKey] = []
    for descriptor in descriptors { sortKeys.append(try SortKey(descriptor)) }
    self.init(
      T.entityName, where: try QueryPredicate(predicate), sortedBy: sortKeys, limit: limit)
  }
}
