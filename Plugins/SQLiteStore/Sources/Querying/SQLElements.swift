import ObjectModel
import ObjectQuery
import Rows
import SQLiteStoreFormat

/// The elements of a collection as SQL has them: rows, and what is taken of each.
struct SQLElements {
  /// The tables that the rows are of.
  var tables: [String] = []
  /// What they meet, all of it.
  var conditions: [String] = []
  /// The row of an element.
  var row: SQLRow
  /// What is followed from there: attributes and relationships to one object.
  var steps: [PathStep] = []
  /// A condition that the object is there that the collection is one of; `nil` where it always is.
  var baseExists: String?

  /// The elements that meet a condition besides, as they stand behind a selection.
  func source(where condition: String? = nil) -> String {
    let all = conditions + (condition.map { ["(\($0))"] } ?? [])
    let tables = tables.joined(separator: ", ")
    return all.isEmpty ? tables : "\(tables) WHERE \(all.joined(separator: " AND "))"
  }

  /// A condition that some element meets another.
  func exists(where condition: String) -> String {
    "EXISTS (SELECT 1 FROM \(source(where: condition)))"
  }
}

extension SQLTranslator {
  /// The elements of a collection.
  mutating func elements(
    _ expression: BoundExpression, _ scope: SQLScope
  ) throws(LeftToRows) -> SQLElements {
    try deeper { (walk) throws(LeftToRows) in
      switch expression {
      case .path(let base, let steps): return try walk.elements(base, steps, scope)
      case .subquery(let subquery):
        var elements = try walk.elements(subquery.collection, scope)
        guard elements.steps.isEmpty else { throw LeftToRows() }
        var inner = scope
        // What is not there is not asked.
        if elements.row.linkedKey != nil {
          elements.conditions.append("\(elements.row.alias).Z_PK IS NOT NULL")
        }
        inner.slots[subquery.slot] = elements.row
        elements.conditions.append(try walk.condition(subquery.predicate, inner))
        elements.baseExists = nil
        return elements
      case .fetch(let fetch):
        guard let entity = fetch.layouts.first?.entity else { throw LeftToRows() }
        let row = walk.row(entity)
        var elements = SQLElements(tables: [try walk.table(row)], row: row)
        if let family = try walk.condition(row, isOneOf: fetch.layouts) {
          elements.conditions.append(family)
        }
        var inner = scope
        inner.this = row
        elements.conditions.append(try walk.condition(fetch.predicate, inner))
        return elements
      default: throw LeftToRows()
      }
    }
  }

  /// The elements at the end of a path: to one object as often as you like, then to many, and then to what is taken of
  /// each.
  mutating func elements(
    _ base: BoundExpression, _ steps: [PathStep], _ scope: SQLScope
  ) throws(LeftToRows) -> SQLElements {
    guard !steps.contains(where: \.isOperator) else { throw LeftToRows() }
    var elements: SQLElements
    var rest = steps[...]
    switch base {
    case .this: elements = SQLElements(row: scope.this)
    case .slot(let slot):
      guard let row = scope.slots[slot] else { throw LeftToRows() }
      elements = SQLElements(row: row)
    case .path, .subquery, .fetch:
      elements = try self.elements(base, scope)
      guard elements.steps.isEmpty else { throw LeftToRows() }
    default: throw LeftToRows()
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
      if !elements.tables.isEmpty { elements.baseExists = elements.exists(where: "1") }
    }
    while case .toMany(let relationship)? = rest.first {
      // Behind what is not there, others are neither many nor none.
      guard elements.row.linkedKey == nil else { throw LeftToRows() }
      try add(relationship, to: &elements)
      rest = rest.dropFirst()
    }
    // Of no table at all it would be one value.
    guard !elements.tables.isEmpty, !rest.contains(where: \.isToMany) else { throw LeftToRows() }
    elements.steps = Array(rest)
    return elements
  }

  private mutating func add(
    _ relationship: ToManyRelationship, to elements: inout SQLElements
  ) throws(LeftToRows) {
    let owner = elements.row
    let other = row(relationship.destination)
    if let inverse = relationship.inverse {
      let column = try self.column(inverse, of: relationship.destination)
      elements.conditions.append(
        "\(other.alias).\(quoted(column.name)) = \(owner.alias).Z_PK")
      if let entity = column.entityColumn {
        let own = "\(owner.alias).Z_ENT"
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

  /// What links lead to counts even where it is not there any more: it has no values then.
  private func addLinked(
    _ relationship: ToManyRelationship, to elements: inout SQLElements, _ other: SQLRow
  ) throws(LeftToRows) {
    // Within one selection only tables outside of it can be spoken of.
    guard elements.tables.isEmpty else { throw LeftToRows() }
    let links = "l\(other.alias)"
    var conditions = ["\(other.alias).Z_PK = \(links).k"]
    let family = family(of: relationship.destination)
    // An object of several entities says itself of which it is.
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

  /// The keys of the objects that links lead to from a row, each once.
  private func links(
    _ relationship: ToManyRelationship, _ owner: SQLRow
  ) throws(LeftToRows) -> String {
    guard let side = schema.links(of: relationship.entity, relationship.name),
      let links = map.links[side.table.layout.entityNumber]
    else { throw LeftToRows() }
    func keys(_ from: String, _ to: String) -> String {
      """
      SELECT \(quoted(to)) AS k FROM \(quoted(links.table)) WHERE \(quoted(from)) = \(owner.alias).Z_PK \
      AND \(quoted(to)) IS NOT NULL
      """
    }
    let (forward, backward) = (keys(links.source, links.target), keys(links.target, links.source))
    // A union leaves out what is equal.
    if side.table.isSymmetric { return "\(forward) UNION \(backward)" }
    let one = side.isForward ? forward : backward
    return "SELECT DISTINCT" + one.dropFirst("SELECT".count)
  }

  // MARK: - What is taken of elements

  /// The value of one element.
  mutating func element(_ elements: SQLElements) throws(LeftToRows) -> SQLScalar {
    try follow(elements.steps[...], from: elements.row)
  }

  /// What a function computes of all elements.
  mutating func aggregate(
    _ function: QueryExpression.Function, over elements: SQLElements
  ) throws(LeftToRows) -> SQLScalar {
    var result: SQLScalar
    if function == .count {
      // Elements without a value count, too.
      result = SQLScalar(.integer, "count(*)")
      result.output = .number
    } else {
      result = try aggregate(function, of: try element(elements))
    }
    result.value = "(SELECT \(result.value) FROM \(elements.source()))"
    result.presence = result.presence.map { "(SELECT \($0) FROM \(elements.source()))" }
    return try checked(result)
  }

  /// What a function computes of all values, in a selection of many rows.
  func aggregate(
    _ function: QueryExpression.Function, of value: SQLScalar
  ) throws(LeftToRows) -> SQLScalar {
    var result: SQLScalar
    switch function {
    case .count:
      result = SQLScalar(
        .integer,
        value.presence.map { "count(CASE WHEN \($0) THEN 1 END)" } ?? "count(\(value.value))")
      result.output = .number
    case .sum, .average:
      // Sums of floating-point numbers depend on their order.
      guard value.kind == .integer, value.isSurelyWhole else { throw LeftToRows() }
      // And so do sums of whole ones that leave 64 bits on their way, unless there is no such way.
      let sum =
        value.isNarrow
        ? "sum(\(value.value))"
        : "CASE WHEN sum(abs(\(value.value))) >= 0 THEN sum(\(value.value)) END"
      if function == .sum {
        result = SQLScalar(.integer, "coalesce(\(sum), 0)")
      } else {
        result = SQLScalar(.real, "(CAST((\(sum)) AS REAL) / count(\(value.value)))")
      }
      result.output = .number
    case .min, .max:
      let word = function == .min ? "min" : "max"
      switch value.kind {
      case .integer, .text, .uuid:
        result = value
        result.value = "\(word)(\(value.value))"
      case .real, .date:
        guard let column = value.column else { throw LeftToRows() }
        // What is found beside "not a number" depends on the order.
        result = SQLScalar(
          value.kind,
          SQLTranslator.failing(
            where: "coalesce(max(typeof(\(column)) = 'blob'), 0)", else: "\(word)(\(column))"))
        result.output = value.output
      case .decimal:
        guard let column = value.column else { throw LeftToRows() }
        result = SQLScalar(
          .decimal,
          SQLTranslator.failing(
            where: "coalesce(max(typeof(\(column)) IN ('blob', 'text')), 0)",
            else: "\(word)(\(column))"))
        result.output = value.output
      default: throw LeftToRows()
      }
      result.constant = nil
    default: throw LeftToRows()
    }
    return result
  }
}
