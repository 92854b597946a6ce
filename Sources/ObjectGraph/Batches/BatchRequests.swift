public import ObjectModel
public import ObjectQuery

/// What a batch gives back.
public enum BatchResultType: Sendable, Hashable {
  /// Nothing but that it was done.
  case statusOnly
  /// How many objects it was about.
  case count
  /// Their identifiers.
  case identifiers
}

/// What a batch has done.
public struct BatchResult: Sendable {
  /// How many objects it was about.
  public let count: Int
  /// Their identifiers, when they were asked for.
  public let identifiers: [ObjectID]
  /// What it has changed in the stores, for contexts to merge.
  public let change: ContextChange
}

/// Inserts many objects straight into a store, without making managed objects of them.
///
///     let request = BatchInsertRequest("Person", count: rows.count) { index, row in
///       row["name"] = .string(rows[index].name)
///     }
public struct BatchInsertRequest {
  /// The entity.
  public var entity: String
  /// What is given back.
  public var resultType = BatchResultType.statusOnly
  let fill: (Int, inout [String: Value]) throws -> Bool

  /// Inserts as many objects as there are dictionaries.
  public init(_ entity: String, objects: [[String: Value]]) {
    self.init(entity) { index, row in
      guard index < objects.count else { return false }
      row = objects[index]
      return true
    }
  }

  /// Inserts objects one after another until `fill` answers no.
  ///
  /// - Parameter fill: Is given the number of the object and its values, which begin with the defaults.
  public init(
    _ entity: String, filling fill: @escaping (Int, inout [String: Value]) throws -> Bool
  ) {
    self.entity = entity
    self.fill = fill
  }
}

/// Sets values of many objects straight in the stores.
///
///     var request = BatchUpdateRequest("Trip", where: try QueryPredicate("cost < 0"))
///     request.valuesToUpdate = ["cost": .constant(.double(0))]
public struct BatchUpdateRequest: Sendable {
  /// The entity.
  public var entity: String
  /// Which objects; all when it is `nil`.
  public var predicate: QueryPredicate?
  /// Whether objects of subentities are meant too.
  public var includesSubentities = true
  /// The values, by the names of attributes: expressions over each object.
  public var valuesToUpdate: [String: QueryExpression]
  /// What is given back.
  public var resultType = BatchResultType.statusOnly

  /// Sets values of the objects that meet a predicate.
  public init(
    _ entity: String, where predicate: QueryPredicate? = nil,
    set valuesToUpdate: [String: QueryExpression] = [:]
  ) {
    self.entity = entity
    self.predicate = predicate
    self.valuesToUpdate = valuesToUpdate
  }
}

/// Deletes many objects straight from the stores, with what their relationships say.
public struct BatchDeleteRequest: Sendable {
  /// Which objects.
  public var request: FetchRequest
  /// What is given back.
  public var resultType = BatchResultType.statusOnly

  /// Deletes what a request finds.
  public init(_ request: FetchRequest) { self.request = request }

  /// Deletes the objects that meet a predicate.
  public init(_ entity: String, where predicate: QueryPredicate? = nil) {
    request = FetchRequest(entity, where: predicate)
  }
}
