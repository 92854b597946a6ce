public import ObjectModel
public import ObjectQuery

/// The kind of result that a batch returns.
public enum BatchResultType: Sendable, Hashable {
  case statusOnly
  case count
  /// The identifiers of the objects.
  case identifiers
}

/// The result of a batch.
public struct BatchResult: Sendable {
  /// The number of objects that the batch has inserted, changed or deleted.
  public let count: Int
  /// The identifiers of these objects, if the request asks for them.
  public let identifiers: [ObjectID]
  /// The changes in the stores, for contexts to merge.
  public let change: ContextChange
}

/// A request to insert many objects and save them, separate from the unsaved changes of the caller's context.
///
///     let request = BatchInsertRequest("Person") { index, row in
///       guard index < people.count else { return false }
///       row["name"] = .string(people[index].name)
///       return true
///     }
///
/// All objects are saved at once, so that either all exist or none; memory holds them until then.
public struct BatchInsertRequest {
  /// The name of the entity.
  public var entity: String
  /// The kind of result that the batch returns.
  public var resultType = BatchResultType.statusOnly
  let fill: (Int, inout [String: Value]) throws -> Bool

  /// Creates a request that inserts an object for each dictionary.
  public init(_ entity: String, objects: [[String: Value]]) {
    self.init(entity) { index, row in
      guard index < objects.count else { return false }
      row = objects[index]
      return true
    }
  }

  /// Creates a request that inserts objects one after another until `fill` returns `false`.
  ///
  /// - Parameter fill: Receives the index of the object, and sets its values. A value that `fill` does not set keeps
  ///   its initial value, such as the attribute's default.
  public init(
    _ entity: String, filling fill: @escaping (Int, inout [String: Value]) throws -> Bool
  ) {
    self.entity = entity
    self.fill = fill
  }
}

/// A request to set values of many objects in the stores, separate from the unsaved changes of the caller's context.
///
///     var request = BatchUpdateRequest("Trip", where: try QueryPredicate("cost < 0"))
///     request.valuesToUpdate = ["cost": .constant(.double(0))]
public struct BatchUpdateRequest: Sendable {
  /// The name of the entity.
  public var entity: String
  /// The predicate that the changed objects meet; `nil` for all objects.
  public var predicate: QueryPredicate?
  /// Whether objects of subentities are included.
  public var includesSubentities = true
  /// The new values by attribute name, as expressions that are evaluated on each object.
  public var valuesToUpdate: [String: QueryExpression]
  /// The form of the result.
  public var resultType = BatchResultType.statusOnly

  /// Creates a request that sets values of the objects that meet a predicate.
  public init(
    _ entity: String, where predicate: QueryPredicate? = nil,
    set valuesToUpdate: [String: QueryExpression] = [:]
  ) {
    self.entity = entity
    self.predicate = predicate
    self.valuesToUpdate = valuesToUpdate
  }
}

/// A request to delete many objects in the stores by their delete rules, separate from the unsaved changes of the
/// caller's context.
public struct BatchDeleteRequest: Sendable {
  /// The query for the objects to delete.
  public var query: QueryRequest
  /// The form of the result.
  public var resultType = BatchResultType.statusOnly

  /// Creates a request that deletes the objects that a fetch request finds.
  public init<Object>(_ request: FetchRequest<Object>) { query = request.query }

  /// Creates a request that deletes the objects that meet a predicate.
  public init(_ entity: String, where predicate: QueryPredicate? = nil) {
    query = QueryRequest(entity, where: predicate)
  }
}
