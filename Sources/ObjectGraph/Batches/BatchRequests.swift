public import ObjectModel
public import ObjectQuery

/// The form of a batch's result.
public enum BatchResultType: Sendable, Hashable {
  /// Nothing but that it was done.
  case statusOnly
  /// How many objects it was about.
  case count
  /// Their identifiers.
  case identifiers
}

/// The result of a batch.
public struct BatchResult: Sendable {
  /// How many objects it was about.
  public let count: Int
  /// Their identifiers, when they were asked for.
  public let identifiers: [ObjectID]
  /// The changes in the stores, for contexts to merge.
  public let change: ContextChange
}

/// Inserts many objects and saves them, beside whatever a context has changed and not saved.
///
///     let request = BatchInsertRequest("Person") { index, row in
///       guard index < people.count else { return false }
///       row["name"] = .string(people[index].name)
///       return true
///     }
///
/// All of them are saved at once, so that all are there or none; memory holds them until then.
public struct BatchInsertRequest {
  /// The entity.
  public var entity: String
  /// The form of the result.
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
  /// - Parameter fill: Is given the number of the object, and puts its values in. What it leaves out has the value that
  ///   objects have when they are inserted, such as the attribute's default.
  public init(
    _ entity: String, filling fill: @escaping (Int, inout [String: Value]) throws -> Bool
  ) {
    self.entity = entity
    self.fill = fill
  }
}

/// Sets values of many objects in the stores, beside whatever a context has changed and not saved.
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
  /// The form of the result.
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

/// Deletes many objects in the stores, with what their relationships say, beside whatever a context has changed and not
/// saved.
public struct BatchDeleteRequest: Sendable {
  /// Which objects.
  public var query: QueryRequest
  /// The form of the result.
  public var resultType = BatchResultType.statusOnly

  /// Deletes the objects that a request finds.
  public init<Object>(_ request: FetchRequest<Object>) { query = request.query }

  /// Deletes the objects that meet a predicate.
  public init(_ entity: String, where predicate: QueryPredicate? = nil) {
    query = QueryRequest(entity, where: predicate)
  }
}
