import Foundation
import ObjectModel
import ObjectQuery
import Rows
import SQLiteFiles

/// A translation of fetch requests into SQL, if the SQL means exactly the same as a search of the rows in memory.
///
///     let translation = SQLTranslation(map, model: model, schema: schema)
///     translation.keys(request)?.text        // "SELECT t0.Z_ENT, t0.Z_PK FROM "ZTRIP" AS t0 WHERE …"
///
/// If a part of a request has no translation, the whole request is answered by searching the rows. The rows are also
/// searched if SQLite refuses or interrupts the statement, for example because a sum overflows 64 bits
/// (``SQLAnswers``).
struct SQLTranslation: Sendable {
  let map: TableMap
  let model: Model
  let schema: Schema
  /// The store that object identifiers must name; any store if `nil`.
  var store: StoreTag?
  /// Whether Quire has written the cells. Other systems write 64 bits even for numbers of 32 bits.
  var isOwn = true
  /// The result of `now()`; the current time if `nil`.
  var now: Date?

  init(
    _ map: TableMap, model: Model, schema: Schema, store: StoreTag? = nil, isOwn: Bool = true,
    now: Date? = nil
  ) {
    (self.map, self.model, self.schema) = (map, model, schema)
    (self.store, self.isOwn, self.now) = (store, isOwn, now)
  }

  /// Returns the statement for the objects that a request finds, in its order: `Z_ENT` and `Z_PK` of each object.
  func keys(_ request: QueryRequest) -> SQLQuery? {
    try? statement(request) { (walk, found, bound) throws(NotTranslatable) in
      let order = try walk.order(bound, found)
      return "SELECT \(found.row.alias).Z_ENT, \(found.row.alias).Z_PK FROM \(found.source)"
        + " ORDER BY \(order)" + (try walk.window(request))
    }
  }

  /// Returns the statement for the number of objects that a request finds, after its limit and offset. `nil` also for
  /// groups and distinct rows, which must be read to be counted.
  func count(_ request: QueryRequest) -> SQLQuery? {
    guard request.resultType != .dictionaries || !request.returnsDistinctResults else { return nil }
    return try? statement(request) { (walk, found, bound) throws(NotTranslatable) in
      if bound.table?.isGrouped == true { throw NotTranslatable() }
      let offset = try walk.parameter(.integer(Int64(max(request.fetchOffset, 0))))
      let rest = "max(count(*) - \(offset), 0)"
      guard request.fetchLimit > 0 else { return "SELECT \(rest) FROM \(found.source)" }
      let limit = try walk.parameter(.integer(Int64(request.fetchLimit)))
      return "SELECT min(\(rest), \(limit)) FROM \(found.source)"
    }
  }

  /// Returns the statement for the values, groups or aggregates of a request.
  func table(_ request: QueryRequest) -> SQLTableQuery? {
    guard request.resultType == .dictionaries else { return nil }
    var outputs: [SQLOutput] = []
    var plan: TablePlan?
    let isWhole = request.returnsDistinctResults
    let query = try? statement(request) { (walk, found, bound) throws(NotTranslatable) in
      guard let table = bound.table else { throw NotTranslatable() }
      plan = table
      var scope = found.scope
      if table.isGrouped { try walk.addGroups(table, to: &scope) }
      var cells: [String] = []
      for value in table.values {
        let value = try walk.scalar(value, scope)
        guard let output = value.output else { throw NotTranslatable() }
        cells += try walk.cells(value, output, isGroup: table.isGrouped)
        outputs.append(output)
      }
      let select = "SELECT \(cells.joined(separator: ", ")) FROM \(found.source)"
      guard table.isGrouped else {
        let order = try walk.order(bound, found)
        return "\(select) ORDER BY \(order)" + (isWhole ? "" : try walk.window(request))
      }
      return try select + walk.grouping(table, scope, bound)
    }
    guard let query, let plan else { return nil }
    return SQLTableQuery(
      query: query, names: plan.names, values: outputs, isGrouped: plan.isGrouped,
      isWhole: isWhole || plan.isGrouped)
  }

  // MARK: - Common parts of the statements

  private func statement(
    _ request: QueryRequest,
    _ write: (inout SQLTranslator, SQLFound, BoundRequest) throws(NotTranslatable) -> String
  ) throws(NotTranslatable) -> SQLQuery {
    // The search of the rows reports the errors of an invalid request.
    guard
      let bound = try? BoundRequest(
        request, model: model, schema: schema, store: store, now: now ?? Date())
    else { throw NotTranslatable() }
    var walk = SQLTranslator(map, model, schema, isOwn: isOwn)
    let row = walk.row(request.entity)
    var conditions: [String] = []
    if let family = try walk.condition(row, isOneOf: bound.layouts) { conditions.append(family) }
    let scope = SQLScope(this: row)
    if let predicate = bound.predicate {
      conditions.append(try walk.condition(predicate, scope))
    }
    var source = try walk.table(row)
    if !conditions.isEmpty { source += " WHERE \(conditions.joined(separator: " AND "))" }
    let found = SQLFound(row: row, source: source, scope: scope)
    let text = try walk.checked(try write(&walk, found, bound))
    return SQLQuery(text: text, parameters: walk.parameters)
  }
}

/// The rows that a request finds.
struct SQLFound {
  let row: SQLRow
  /// The table and the conditions, after `FROM`.
  let source: String
  let scope: SQLScope
}
