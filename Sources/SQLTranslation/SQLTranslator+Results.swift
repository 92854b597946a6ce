import ObjectModel
import ObjectQuery
import Rows

// The parts of a statement around the condition: values, order, groups, limit and offset.
extension SQLTranslator {
  /// Returns the sort order of a request. Rows with equal sort keys are in the order of their object keys.
  mutating func order(
    _ bound: BoundRequest, _ found: SQLFound
  ) throws(NotTranslatable) -> String {
    var terms: [String] = []
    for key in bound.sortKeys {
      guard !key.isRelevance,
        key.options.isDisjoint(
          with: [.caseInsensitive, .diacriticInsensitive, .localeSensitive])
      else { throw NotTranslatable() }
      let value = try scalar(key.value, found.scope)
      terms.append(try order(by: value, isAscending: key.isAscending))
    }
    return try checked((terms + [keyOrder(found.row, bound.layouts)]).joined(separator: ", "))
  }

  /// Returns the term to sort by a value. As in a search of the rows, NULL is before all values and "not a number"
  /// after them.
  private func order(
    by value: SQLScalar, isAscending: Bool
  ) throws(NotTranslatable) -> String {
    switch value.kind {
    case .integer, .text, .uuid, .binary, .decimal: break
    case .real, .date:
      guard value.column != nil || value.isAlwaysNumber else { throw NotTranslatable() }
    case .null, .object, .opaque: throw NotTranslatable()
    }
    return dialect.sortTerm(value, isAscending: isAscending)
  }

  /// Returns the order of the object keys: by the layout numbers of the entities, whose order may differ from that of
  /// the numbers in tables.
  private func keyOrder(_ row: SQLRow, _ layouts: [Layout]) throws(NotTranslatable) -> String {
    let key = key(of: row)
    guard let rank = try entityRank(row, layouts) else { return key }
    return "\(rank), \(key)"
  }

  /// Returns a number that sorts the objects by their entities; `nil` if there is only one entity.
  private func entityRank(_ row: SQLRow, _ layouts: [Layout]) throws(NotTranslatable) -> String? {
    let numbers = try numbers(of: layouts)
    if numbers.count == 1 { return nil }
    if zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) { return entity(of: row) }
    let cases = numbers.enumerated().map { "WHEN \($0.element) THEN \($0.offset)" }
    return "CASE \(entity(of: row)) \(cases.joined(separator: " ")) END"
  }

  /// Returns the limit and offset of a request.
  mutating func window(_ request: QueryRequest) throws(NotTranslatable) -> String {
    guard request.fetchLimit > 0 || request.fetchOffset > 0 else { return "" }
    let limit =
      request.fetchLimit > 0
      ? try parameter(.integer(Int64(request.fetchLimit))) : dialect.noLimit
    return " LIMIT \(limit)"
      + " OFFSET \(try parameter(.integer(Int64(max(request.fetchOffset, 0)))))"
  }

  // MARK: - Values

  /// Returns the cells of a value.
  func cells(
    _ value: SQLScalar, _ output: SQLOutput, isGroup: Bool
  ) throws(NotTranslatable) -> [String] {
    switch (output, value.entity) {
    case (.objectAndEntity, .numbered(let entity)): return [value.value, entity]
    case (.objectAndEntity, _): throw NotTranslatable()
    default: break
    }
    if value.kind == .decimal { return [dialect.decimalCell(value)] }
    guard let column = value.realColumn else {
      // "Not a number" is a value, but its cell would be NULL.
      guard value.presence == nil else { throw NotTranslatable() }
      return [value.value]
    }
    return [dialect.realCell(column, isGroup: isGroup)]
  }

  // MARK: - Groups

  mutating func addGroups(
    _ table: TablePlan, to scope: inout SQLScope
  ) throws(NotTranslatable) {
    for key in table.groupKeys {
      let value = try scalar(key, scope)
      switch value.kind {
      case .integer, .uuid, .object: break
      case .real, .date:
        guard value.column != nil || value.isAlwaysNumber else { throw NotTranslatable() }
      case .decimal: throw NotTranslatable()
      case .text:
        // Texts other than the object's own attributes are grouped by canonical equality, which only a search of the
        // rows applies.
        guard case .column(.string)? = value.output, key.ownSteps?.count == 1 else {
          throw NotTranslatable()
        }
      case .null, .binary, .opaque: throw NotTranslatable()
      }
      scope.groupKeys.append(value)
    }
    for aggregate in table.aggregates {
      if case .this = aggregate.argument, aggregate.function == .count {
        var count = SQLScalar(.integer, "count(*)")
        count.output = .number
        scope.groupAggregates.append(count)
        continue
      }
      let value = try scalar(aggregate.argument, scope)
      scope.groupAggregates.append(try self.aggregate(aggregate.function, of: value))
    }
  }

  /// Returns the end of a statement with groups, which are in the order of their first objects.
  mutating func grouping(
    _ table: TablePlan, _ scope: SQLScope, _ bound: BoundRequest
  ) throws(NotTranslatable) -> String {
    // The result is sorted by its own columns.
    guard table.orderValues.isEmpty else { throw NotTranslatable() }
    var text = ""
    if !scope.groupKeys.isEmpty {
      var terms: [String] = []
      for key in scope.groupKeys {
        terms.append(key.realColumn ?? key.value)
        if case .numbered(let entity) = key.entity { terms.append(entity) }
      }
      text += " GROUP BY \(terms.joined(separator: ", "))"
    }
    // If a group key contains special floating-point numbers, the groups of SQL differ from those of the rows.
    var conditions = scope.groupKeys.compactMap(\.realColumn).map { dialect.groupCheck($0) }
    if let having = table.having { conditions.append(try condition(having, scope)) }
    if !conditions.isEmpty { text += " HAVING \(conditions.joined(separator: " AND "))" }
    if !scope.groupKeys.isEmpty {
      // The number of an object has 48 bits.
      let key = key(of: scope.this)
      let rank = try entityRank(scope.this, bound.layouts)
      text += " ORDER BY min(\(rank.map { "(\(dialect.wide($0)) << 48) | \(key)" } ?? key))"
    }
    return text
  }
}
