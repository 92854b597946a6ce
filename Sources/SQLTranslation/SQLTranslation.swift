package import Foundation
package import ObjectModel
package import ObjectQuery
package import Rows

/// A translation of fetch requests into SQL, if the SQL means exactly the same as a search of the rows in memory.
///
/// ```text
/// let translation = SQLTranslation(map, dialect, model: model, schema: schema)
/// translation.keys(request)?.text        // "SELECT t0.Z_ENT, t0.Z_PK FROM "ZTRIP" AS t0 WHERE …"
/// ```
///
/// If a part of a request has no translation, the whole request is answered by searching the rows. The rows are also
/// searched if the database refuses or interrupts the statement, for example because a sum overflows 64 bits.
package struct SQLTranslation: Sendable {
  /// The tables and columns of the objects.
  package let map: TableMap
  /// The SQL of the database.
  package let dialect: any SQLDialect
  /// The model of the objects.
  package let model: Model
  /// The numbers of entities and properties.
  package let schema: Schema
  /// The store that object identifiers must name; any store if `nil`.
  package var store: StoreTag?
  /// The result of `now()`; the current time if `nil`.
  package var now: Date?

  /// Creates a translation for the tables of a map.
  package init(
    _ map: TableMap, _ dialect: any SQLDialect, model: Model, schema: Schema,
    store: StoreTag? = nil, now: Date? = nil
  ) {
    (self.map, self.dialect, self.model, self.schema) = (map, dialect, model, schema)
    (self.store, self.now) = (store, now)
  }

  /// Returns the statement for the objects that a request finds, in its order: the entity number and the key of each object.
  package func keys(_ request: QueryRequest) -> SQLQuery? {
    try? statement(request) { (walk, found, bound) throws(NotTranslatable) in
      let order = try walk.order(bound, found)
      return "SELECT \(walk.entity(of: found.row)), \(walk.key(of: found.row)) FROM \(found.source)"
        + " ORDER BY \(order)" + (try walk.window(request))
    }
  }

  /// Returns the statement for the number of objects that a request finds, after its limit and offset. `nil` also for
  /// groups and distinct rows, which must be read to be counted.
  package func count(_ request: QueryRequest) -> SQLTableQuery? {
    guard request.resultType != .dictionaries || !request.returnsDistinctResults else { return nil }
    let query = try? statement(request) { (walk, found, bound) throws(NotTranslatable) in
      if bound.table?.isGrouped == true { throw NotTranslatable() }
      let offset = try walk.parameter(.integer(Int64(max(request.fetchOffset, 0))))
      let rest = walk.dialect.greater("count(*) - \(offset)", "0")
      guard request.fetchLimit > 0 else { return "SELECT \(rest) FROM \(found.source)" }
      let limit = try walk.parameter(.integer(Int64(request.fetchLimit)))
      return "SELECT \(walk.dialect.lesser(rest, limit)) FROM \(found.source)"
    }
    return query.map {
      SQLTableQuery(query: $0, names: [], values: [.number], isGrouped: false, isWhole: true)
    }
  }

  /// Returns the statement for the values, groups or aggregates of a request.
  package func table(_ request: QueryRequest) -> SQLTableQuery? {
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
    var walk = SQLTranslator(map, model, schema, dialect)
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
