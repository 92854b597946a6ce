// SAFETY: The structure of a request and its identifiers live as long as the call.

internal import CQuire
import Foundation
import JSONText
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// The request of a caller, in the form that a context answers.
struct RequestReading {
  /// The request without its columns.
  private(set) var query: QueryRequest
  /// The identifiers that give the results their order; `nil` if the request has its own order.
  private(set) var keys: [ObjectKey]?
  /// The columns that the caller names; `nil` for identifiers and all properties.
  let columns: [String]?
  private let hasCondition: Bool
  /// Whether the results are groups or distinct rows.
  let isTable: Bool

  /// The name of the column with identifiers.
  static let identifier = "@id"

  /// Reads the request of a caller.
  @unsafe init(_ request: UnsafePointer<quire_request>?, _ connection: Connection) throws {
    let request = try unsafe Parameters.copy(request, quire_request())
    let entity = try unsafe request.entity.string
    columns = try unsafe request.columns.strings("list of columns")
    let keys = try unsafe RequestReading.keys(request, connection)
    let named = try entity ?? keys?.first.map { try RequestReading.entity(of: $0, connection) }
    guard let name = try unsafe named ?? RequestReading.destination(request, connection) else {
      throw CallError(.badArgument, "The request names no entity and no object.")
    }
    try connection.check(entity: name)
    query = QueryRequest(name)
    self.keys = keys
    hasCondition = unsafe request.predicate.start != nil
    if let text = try unsafe request.predicate.string {
      let arguments = try unsafe PredicateArguments(
        request.arguments.json("list of arguments"), connection)
      query.predicate = try DatedPredicate(connection.model, of: name)
        .typed(QueryPredicate(text, arguments: arguments.values))
    }
    if let keys {
      let chosen = QueryPredicate.comparison(
        .init(
          .evaluatedObject, .in, .aggregate(keys.map { .object(connection.identifier($0)) })))
      query.predicate = query.predicate.map { .and([$0, chosen]) } ?? chosen
    }
    if let text = try unsafe request.sort.string {
      query.sortKeys = text.split(separator: ",").map { key in
        let path = key.drop { $0 == "-" || $0 == " " }
        return SortKey(
          String(path).trimmingCharacters(in: .whitespaces),
          ascending: !key.drop { $0 == " " }.hasPrefix("-"))
      }
      self.keys = nil
    }
    guard unsafe request.limit >= 0 && request.offset >= 0 else {
      throw CallError(.badArgument, "A limit and an offset must not be negative.")
    }
    query.fetchLimit = unsafe Int(request.limit)
    query.fetchOffset = unsafe Int(request.offset)
    query.includesSubentities = unsafe request.without_subentities == 0
    query.propertiesToGroupBy = try unsafe request.groups.strings("list of groups") ?? []
    query.havingPredicate = try unsafe request.having.string.map { try QueryPredicate($0) }
    query.returnsDistinctResults = unsafe request.distinct != 0
    isTable =
      !query.propertiesToGroupBy.isEmpty || query.havingPredicate != nil
      || query.returnsDistinctResults
    if isTable, columns == nil, query.propertiesToGroupBy.isEmpty {
      throw CallError(.badArgument, "Groups and distinct rows need a list of columns.")
    }
  }

  /// The keys of the objects, if only they and the limit decide about the results; `nil` otherwise.
  var namedKeys: [ObjectKey]? {
    guard let keys, !hasCondition, !isTable, query.includesSubentities,
      Set(keys).count == keys.count
    else { return nil }
    return keys
  }

  /// Returns the keys of the objects that a request names or relates; `nil` if it names none.
  @unsafe private static func keys(
    _ request: quire_request, _ connection: Connection
  ) throws -> [ObjectKey]? {
    if unsafe request.owner != 0 {
      let name = try unsafe request.relationship.required("relationship")
      let owner = try unsafe connection.object(request.owner)
      _ = try connection.relationship(name, of: owner)
      return owner.objects(forKey: name).map(\.objectID.key)
    }
    guard let start = unsafe request.identifiers else {
      return unsafe request.identifier_count == 0 ? nil : []
    }
    return unsafe UnsafeBufferPointer(start: start, count: Int(request.identifier_count)).map {
      ObjectKey(rawValue: $0)
    }
  }

  /// Returns the topmost entity of an object's family, because objects of several entities may be named.
  private static func entity(of key: ObjectKey, _ connection: Connection) throws -> String {
    guard let layout = connection.schema[key.entity], connection.model[layout.entity] != nil else {
      throw CallError(
        .noObject, "\(key.rawValue) is not the identifier of an object of '\(connection.path)'.")
    }
    var name = layout.entity
    while let above = connection.model[name]?.superentity { name = above }
    return name
  }

  /// Returns the entity of a relationship without objects.
  @unsafe private static func destination(
    _ request: quire_request, _ connection: Connection
  ) throws -> String? {
    guard unsafe request.owner != 0 else {
      // A list without identifiers finds nothing in any entity.
      return unsafe request.identifiers == nil ? nil : connection.model.entities.first?.name
    }
    let owner = try unsafe connection.object(request.owner)
    return try unsafe connection.relationship(
      request.relationship.required("relationship"), of: owner
    ).destination
  }
}

extension Connection {
  /// Returns a relationship of an object.
  func relationship(_ name: String, of object: ManagedObject) throws -> Relationship {
    guard case .relationship(let relationship)? = model.property(name, of: object.entity.name)
    else {
      throw CallError(
        .unknownName, "The entity \"\(object.entity.name)\" has no relationship \"\(name)\".")
    }
    return relationship
  }
}
