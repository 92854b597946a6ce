import ObjectModel
import ObjectQuery
import Rows

/// The elements of a collection in SQL: the rows, and the steps to the value of each row.
struct SQLElements {
  /// The tables of the rows.
  var tables: [String] = []
  /// The conditions that each row meets.
  var conditions: [String] = []
  /// The row of an element.
  var row: SQLRow
  /// The steps from the row to the value: attributes and to-one relationships.
  var steps: [PathStep] = []
  /// A condition that the object with the collection exists; `nil` if it always does.
  var baseExists: String?

  /// Returns the tables and conditions after `FROM`, with an additional condition.
  func source(where condition: String? = nil) -> String {
    let all = conditions + (condition.map { ["(\($0))"] } ?? [])
    let tables = tables.joined(separator: ", ")
    return all.isEmpty ? tables : "\(tables) WHERE \(all.joined(separator: " AND "))"
  }

  /// Returns the condition that at least one element meets another condition.
  func exists(where condition: String) -> String {
    "EXISTS (SELECT 1 FROM \(source(where: condition)))"
  }
}

extension SQLTranslator {
  /// Returns the elements of a collection.
  mutating func elements(
    _ expression: BoundExpression, _ scope: SQLScope
  ) throws(NotTranslatable) -> SQLElements {
    try deeper { (walk) throws(NotTranslatable) in
      switch expression {
      case .path(let base, let steps): return try walk.elements(base, steps, scope)
      case .subquery(let subquery):
        var elements = try walk.elements(subquery.collection, scope)
        guard elements.steps.isEmpty else { throw NotTranslatable() }
        var inner = scope
        // The condition of a subquery is not evaluated for objects that do not exist.
        if elements.row.linkedKey != nil {
          elements.conditions.append("\(walk.key(of: elements.row)) IS NOT NULL")
        }
        inner.slots[subquery.slot] = elements.row
        elements.conditions.append(try walk.condition(subquery.predicate, inner))
        elements.baseExists = nil
        return elements
      case .fetch(let fetch):
        guard let entity = fetch.layouts.first?.entity else { throw NotTranslatable() }
        let row = walk.row(entity)
        var elements = SQLElements(tables: [try walk.table(row)], row: row)
        if let family = try walk.condition(row, isOneOf: fetch.layouts) {
          elements.conditions.append(family)
        }
        var inner = scope
        inner.this = row
        elements.conditions.append(try walk.condition(fetch.predicate, inner))
        return elements
      default: throw NotTranslatable()
      }
    }
  }

  /// Returns the elements at the end of a path: any to-one steps, then to-many steps, and then the steps to the value
  /// of each element.
  mutating func elements(
    _ base: BoundExpression, _ steps: [PathStep], _ scope: SQLScope
  ) throws(NotTranslatable) -> SQLElements {
    guard !steps.contains(where: \.isOperator) else { throw NotTranslatable() }
    var elements: SQLElements
    var rest = steps[...]
    switch base {
    case .this: elements = SQLElements(row: scope.this)
    case .slot(let slot):
      guard let row = scope.slots[slot] else { throw NotTranslatable() }
      elements = SQLElements(row: row)
    case .path, .subquery, .fetch:
      elements = try self.elements(base, scope)
      guard elements.steps.isEmpty else { throw NotTranslatable() }
    default: throw NotTranslatable()
    }
    if elements.tables.isEmpty {
      while case .toOne(let column, let destination)? = rest.first,
        rest.dropFirst().contains(where: \.isToMany)
      {
        let other = row(destination)
        elements.conditions.append(
          try join(other, to: try self.column(column, of: elements.row.entity), of: elements.row))
        elements.tables.append(try table(other))
        elements.row = other
        rest = rest.dropFirst()
      }
      if !elements.tables.isEmpty {
        elements.baseExists = elements.exists(where: dialect.trueCondition)
      }
    }
    while case .toMany(let relationship)? = rest.first {
      // A linked object may not exist. Then its relationships have no value, not even an empty collection.
      guard elements.row.linkedKey == nil else { throw NotTranslatable() }
      try add(relationship, to: &elements)
      rest = rest.dropFirst()
    }
    // Without a table, the expression would be a single value.
    guard !elements.tables.isEmpty, !rest.contains(where: \.isToMany) else {
      throw NotTranslatable()
    }
    elements.steps = Array(rest)
    return elements
  }

  private mutating func add(
    _ relationship: ToManyRelationship, to elements: inout SQLElements
  ) throws(NotTranslatable) {
    let owner = elements.row
    let other = row(relationship.destination)
    if let inverse = relationship.inverse {
      let column = try self.column(inverse, of: relationship.destination)
      elements.conditions.append(
        "\(other.alias).\(quoted(column.name)) = \(key(of: owner))")
      if let entity = column.entityColumn {
        let own = self.entity(of: owner)
        elements.conditions.append("coalesce(\(other.alias).\(quoted(entity)), \(own)) = \(own)")
      }
    } else {
      return try addLinked(relationship, to: &elements, other)
    }
    elements.tables.append(try table(other))
    if let family = try condition(other, isOneOf: family(of: relationship.destination)) {
      elements.conditions.append(family)
    }
    elements.row = other
  }

  /// Adds linked objects. A link counts as an element even if its target does not exist; such an element has no
  /// values.
  private func addLinked(
    _ relationship: ToManyRelationship, to elements: inout SQLElements, _ other: SQLRow
  ) throws(NotTranslatable) {
    // A selection in `FROM` can't refer to tables of the same `FROM`.
    guard elements.tables.isEmpty else { throw NotTranslatable() }
    let links = "l\(other.alias)"
    var conditions = ["\(key(of: other)) = \(links).k"]
    let family = family(of: relationship.destination)
    // For a destination of several entities, the target's row tells its entity.
    if family.count == 1, let only = try condition(other, isOneOf: family) {
      conditions.append(only)
    }
    elements.tables.append(
      """
      (\(try self.links(relationship, elements.row))) AS \(links) LEFT JOIN \(try table(other)) \
      ON \(conditions.joined(separator: " AND "))
      """)
    elements.row = other
    elements.row.linkedKey = "\(links).k"
  }

  /// Returns a selection of the keys to which links lead from a row, each key once.
  private func links(
    _ relationship: ToManyRelationship, _ owner: SQLRow
  ) throws(NotTranslatable) -> String {
    guard let side = schema.links(of: relationship.entity, relationship.name),
      let links = map.links[side.table.layout.entityNumber]
    else { throw NotTranslatable() }
    func keys(_ from: String, _ to: String) -> String {
      """
      SELECT \(quoted(to)) AS k FROM \(quoted(links.table)) WHERE \(quoted(from)) = \(key(of: owner)) \
      AND \(quoted(to)) IS NOT NULL
      """
    }
    let (forward, backward) = (keys(links.source, links.target), keys(links.target, links.source))
    // A union removes duplicates.
    if side.table.isSymmetric { return "\(forward) UNION \(backward)" }
    let one = side.isForward ? forward : backward
    return "SELECT DISTINCT" + one.dropFirst("SELECT".count)
  }

  // MARK: - Values and aggregates of elements

  /// Returns the value of one element.
  mutating func element(_ elements: SQLElements) throws(NotTranslatable) -> SQLScalar {
    try follow(elements.steps[...], from: elements.row)
  }

  /// Returns the result of an aggregate function over all elements.
  mutating func aggregate(
    _ function: QueryExpression.Function, over elements: SQLElements
  ) throws(NotTranslatable) -> SQLScalar {
    var result: SQLScalar
    if function == .count {
      // Elements without a value count too.
      result = SQLScalar(.integer, "count(*)")
      result.output = .number
    } else {
      result = try aggregate(function, of: try element(elements))
    }
    result.value = "(SELECT \(result.value) FROM \(elements.source()))"
    result.presence = result.presence.map { "(SELECT \($0) FROM \(elements.source()))" }
    return try checked(result)
  }

  /// Returns the result of an aggregate function over the values of a selection's rows.
  func aggregate(
    _ function: QueryExpression.Function, of value: SQLScalar
  ) throws(NotTranslatable) -> SQLScalar {
    var result: SQLScalar
    switch function {
    case .count:
      result = SQLScalar(
        .integer,
        value.presence.map { "count(CASE WHEN \($0) THEN 1 END)" } ?? "count(\(value.value))")
      result.output = .number
    case .sum, .average:
      // Sums of floating-point numbers depend on their order.
      guard value.kind == .integer, value.isSurelyWhole else { throw NotTranslatable() }
      result =
        function == .sum
        ? SQLScalar(.integer, dialect.sum(value)) : SQLScalar(.real, dialect.average(value))
      result.output = .number
    case .min, .max:
      switch value.kind {
      case .integer, .text, .uuid: result = value
      case .real, .date, .decimal:
        result = SQLScalar(value.kind, value.value)
        result.output = value.output
      default: throw NotTranslatable()
      }
      result.value = try dialect.extreme(function == .min ? "min" : "max", of: value)
      result.constant = nil
    default: throw NotTranslatable()
    }
    return result
  }
}
