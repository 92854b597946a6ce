// SAFETY: Columns are read at rows of their own batches.

import Foundation
package import ObjectModel
import Rows

/// The plan for a request's dictionaries: the values of each object, or of each group.
package struct TablePlan: Sendable {
  package let names: [String]
  package let values: [BoundExpression]
  package let groupKeys: [BoundExpression]
  /// The values that are computed from all objects of a group.
  package let aggregates: [Aggregate]
  package let having: BoundPredicate?
  package let isGrouped: Bool
  /// The values by which groups are sorted, one for each sort key that does not name a fetched value.
  package let orderValues: [(key: Int, value: BoundExpression)]

  init(_ request: QueryRequest, _ binder: inout Binder) throws(QueryError) {
    let fetched = try TablePlan.fetched(request, binder)
    names = fetched.map(\.name)
    if let twice = Dictionary(grouping: names, by: { $0 }).first(where: { $1.count > 1 }) {
      throw QueryError(.notSupported, "Two values are fetched as \"\(twice.key)\".")
    }
    var groups = GroupBinding()
    for path in request.propertiesToGroupBy {
      let source = TablePlan.groupKey(path, request, binder)
      let (bound, type) = try binder.bind(source)
      try TablePlan.refuse(type, path)
      if bound.isConstant {
        throw QueryError(
          .notSupported, "\"\(path)\" has the same value for all objects, so it defines no groups.")
      }
      groups.keys.append((source, bound, type))
    }
    binder.groups = groups
    defer { binder.groups = nil }
    var bound: [BoundExpression] = []
    for value in fetched {
      let (expression, type) = try binder.bind(value.expression)
      try TablePlan.refuse(type, value.name)
      bound.append(expression)
    }
    if let having = request.havingPredicate {
      // A predicate over groups may use the names of fetched values.
      binder.groups!.named = Dictionary(
        uniqueKeysWithValues: fetched.map { ($0.name, $0.expression) })
      self.having = try binder.bind(having)
    } else {
      having = nil
    }
    values = bound
    groupKeys = groups.keys.map(\.expression)
    let isSurelyGrouped = !groupKeys.isEmpty || !binder.groups!.aggregates.isEmpty
    orderValues =
      isSurelyGrouped ? try TablePlan.orderValues(request, fetched, &binder) : []
    aggregates = binder.groups!.aggregates
    isGrouped = isSurelyGrouped
    if having != nil, !isGrouped {
      throw QueryError(.notSupported, "A predicate over groups needs propertiesToGroupBy.")
    }
    guard isGrouped else { return }
    for (value, expression) in zip(fetched, values) where expression.readsObject {
      throw QueryError(
        .notSupported,
        """
        "\(value.name)" can differ within a group. Name it in propertiesToGroupBy, or fetch an \
        aggregate of it, such as a sum or a count.
        """, name: "propertiesToGroupBy")
    }
    if having?.readsObject == true {
      throw QueryError(
        .notSupported, "The predicate over groups uses a value that can differ within a group.")
    }
    for key in request.sortKeys where key.expression == nil && !names.contains(key.path) {
      throw QueryError(
        .notSupported,
        "Groups can be sorted by fetched values only, and \"\(key.path)\" is not fetched.")
    }
  }

  /// Returns the expression that defines groups under a name: the path of a property, or else a fetched value.
  private static func groupKey(
    _ name: String, _ request: QueryRequest, _ binder: Binder
  ) -> QueryExpression {
    let isProperty =
      binder.model.property(String(name.prefix { $0 != "." }), of: request.entity) != nil
    guard !isProperty, let value = request.propertiesToFetch.first(where: { $0.name == name })
    else { return .path(name) }
    return value.expression
  }

  /// Binds the expressions of sort keys that name no fetched value.
  private static func orderValues(
    _ request: QueryRequest, _ fetched: [FetchedValue], _ binder: inout Binder
  ) throws(QueryError) -> [(key: Int, value: BoundExpression)] {
    var values: [(key: Int, value: BoundExpression)] = []
    for (index, key) in request.sortKeys.enumerated() {
      guard let expression = key.expression, !fetched.contains(where: { $0.name == key.path })
      else { continue }
      // The expression may use the names of fetched values.
      binder.groups!.named = Dictionary(
        uniqueKeysWithValues: fetched.map { ($0.name, $0.expression) })
      defer { binder.groups!.named = [:] }
      let (bound, type) = try binder.bind(expression)
      try refuse(type, key.path)
      if bound.readsObject {
        throw QueryError(
          .notSupported,
          "Can't sort groups by \"\(key.path)\", because it can differ within a group.")
      }
      values.append((index, bound))
    }
    return values
  }

  private static func fetched(
    _ request: QueryRequest, _ binder: Binder
  ) throws(QueryError) -> [FetchedValue] {
    guard request.propertiesToFetch.isEmpty else { return request.propertiesToFetch }
    guard request.propertiesToGroupBy.isEmpty else {
      return request.propertiesToGroupBy.map { FetchedValue($0) }
    }
    let columns = binder.schema[request.entity]?.columns ?? []
    return columns.filter { !$0.name.contains("#") }.map { FetchedValue($0.name) }
  }

  private static func refuse(_ type: OperandType, _ name: String) throws(QueryError) {
    guard type.isCollection else { return }
    throw QueryError(
      .typeMismatch,
      "\"\(name)\" is \(type.words), but a dictionary can contain single values only.")
  }

  /// Returns one row of values for each object.
  func rows(of hits: RowHits, _ interpreter: Interpreter) throws -> ResultTable {
    var rows = [[Value]](repeating: [], count: hits.hits.count)
    for index in rows.indices { rows[index].reserveCapacity(values.count) }
    for value in values {
      // Most values are plain columns and need no evaluation.
      if let steps = value.ownSteps, steps.count == 1, let column = steps[0].plainColumn,
        !hits.readers.contains(where: { $0.batch.block.hasOutsideValues(in: column.number) })
      {
        let columns = try hits.readers.map { try $0.column(column) }
        unsafe columns.withRaw { raws in
          for (index, hit) in hits.hits.enumerated() {
            unsafe rows[index].append(raws[Int(hit.reader)].value(Int(hit.row)))
          }
        }
        continue
      }
      for (index, hit) in hits.hits.enumerated() {
        rows[index].append(try interpreter.value(value, for: hits.subject(hit)).single ?? .null)
      }
    }
    return ResultTable(names: names, rows: rows)
  }

  /// Returns one row of values for each group.
  func rows(
    of groups: Grouping, _ request: QueryRequest, _ interpreter: Interpreter
  ) throws -> ResultTable {
    // The values to sort by are columns behind the fetched ones until the rows are sorted.
    let columns = values + orderValues.map(\.value)
    var rows: [[Value]] = []
    for group in groups.groups {
      interpreter.group = group
      if let having, try !interpreter.holds(having) { continue }
      rows.append(try columns.map { try interpreter.value($0).single ?? .null })
    }
    var keys = request.sortKeys
    let orderNames = orderValues.map { "\u{0}\($0.key)" }
    for (name, value) in zip(orderNames, orderValues) { keys[value.key].path = name }
    var table = ResultTable(names: names + orderNames, rows: rows)
    table.sort(by: keys)
    return ResultTable(
      names: names,
      rows: orderValues.isEmpty ? table.rows : table.rows.map { Array($0.prefix(values.count)) })
  }
}

extension ResultTable {
  /// Creates the result of a request from all its groups, in the order of their first objects. The initializer
  /// applies the request's sort keys, distinctness, limit and offset.
  package init(groups rows: [[Value]], names: [String], _ request: QueryRequest) {
    self.init(names: names, rows: rows)
    sort(by: request.sortKeys)
    finish(request)
  }

  /// Creates the result of a request from the rows of its objects.
  ///
  /// - Parameter areAll: Whether the rows are those of all objects found, before limit and offset are applied.
  package init(objects rows: [[Value]], names: [String], _ request: QueryRequest, areAll: Bool) {
    self.init(names: names, rows: rows)
    if areAll { finish(request) }
  }

  /// Removes duplicate rows if the request asks for distinct results, and then applies the limit and the offset.
  mutating func finish(_ request: QueryRequest) {
    if request.returnsDistinctResults {
      var seen: Set<[Value]> = []
      rows = rows.filter { seen.insert($0).inserted }
    }
    rows = Array(rows[request.window(of: rows.count)])
  }

  fileprivate mutating func sort(by keys: [SortKey]) {
    let places = keys.compactMap { key in names.firstIndex(of: key.path).map { ($0, key) } }
    guard !places.isEmpty else { return }
    let order = rows.indices.sorted { left, right in
      for (place, key) in places {
        func operand(_ row: Int) -> Operand {
          let value = Operand.value(rows[row][place])
          return value.text.map { .value(.string($0.folded(key.options))) } ?? value
        }
        let inLocale = key.options.intersection(.localeSensitive)
        let order = sortingOrder(operand(left), operand(right), inLocale)
        if order != .same { return (order == .less) == key.isAscending }
      }
      return left < right
    }
    rows = order.map { rows[$0] }
  }
}
