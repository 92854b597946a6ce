import ObjectModel
import ObjectQuery
import Rows

extension SQLTranslator {
  /// Returns the single value at the end of a path.
  mutating func path(
    _ base: BoundExpression, _ steps: [PathStep], _ scope: SQLScope
  ) throws(NotTranslatable) -> SQLScalar {
    if let place = steps.firstIndex(where: \.isOperator) {
      guard case .collection(let operation, let rest) = steps[place],
        place == steps.count - 1, let function = operation.function
      else { throw NotTranslatable() }
      let elements = try elements(base, Array(steps[..<place]) + rest, scope)
      // A count is taken before the remaining steps are followed; null values count.
      var result = try aggregate(function, over: elements)
      // If the object with the collection does not exist, the result is NULL, also for a count.
      if let exists = elements.baseExists {
        result.value = "(CASE WHEN \(exists) THEN \(result.value) END)"
        if let presence = result.presence {
          result.presence =
            "(CASE WHEN \(exists) THEN \(presence) ELSE \(dialect.falseCondition) END)"
        }
      }
      return result
    }
    switch base {
    case .this: return try follow(steps[...], from: scope.this)
    case .slot(let slot):
      guard let row = scope.slots[slot] else { throw NotTranslatable() }
      return try follow(steps[...], from: row)
    default: throw NotTranslatable()
    }
  }

  /// Returns the single value at the end of some steps from a row.
  mutating func follow(
    _ steps: ArraySlice<PathStep>, from row: SQLRow
  ) throws(NotTranslatable) -> SQLScalar {
    let rest = steps.dropFirst()
    switch steps.first {
    case nil: return try object(row)
    case .attribute(let column)?:
      guard rest.isEmpty else { throw NotTranslatable() }
      return try attribute(try self.column(column, of: row.entity), row)
    case .toOne(let column, destination: _)? where rest.isEmpty:
      return try reference(try self.column(column, of: row.entity), row)
    case .toOne(let column, let destination)?:
      let other = self.row(destination)
      let join = try self.join(other, to: try self.column(column, of: row.entity), of: row)
      let table = try self.table(other)
      let inner = try deeper { (walk) throws(NotTranslatable) in try walk.follow(rest, from: other)
      }
      func ofOther(_ value: String) -> String { "(SELECT \(value) FROM \(table) WHERE \(join))" }
      var result = inner
      result.value = ofOther(inner.value)
      result.presence = inner.presence.map { "coalesce(\(ofOther($0)), \(dialect.falseCondition))" }
      result.column = inner.column.map(ofOther)
      if case .numbered(let entity) = inner.entity { result.entity = .numbered(ofOther(entity)) }
      return try checked(result)
    case .toMany?, .collection?: throw NotTranslatable()
    }
  }

  /// Returns the condition that a row is the object at the end of a relationship.
  func join(
    _ other: SQLRow, to column: TableMap.ColumnMap, of row: SQLRow
  ) throws(NotTranslatable) -> String {
    let condition = "\(key(of: other)) = \(row.alias).\(quoted(column.name))"
    guard let destination = column.destination, try entityMap(other.entity).sharesTable else {
      return condition
    }
    let entity = self.entity(of: other)
    if destination.isOnlyEntity {
      return "\(condition) AND \(entity) = \(try number(of: destination.entity))"
    }
    // If the column does not tell the entity of the target, the target's row does.
    guard let known = column.entityColumn else { return condition }
    return "\(condition) AND \(entity) = coalesce(\(row.alias).\(quoted(known)), \(entity))"
  }

  /// Returns the target of a row's to-one relationship.
  private func reference(
    _ column: TableMap.ColumnMap, _ row: SQLRow
  ) throws(NotTranslatable) -> SQLScalar {
    guard let destination = column.destination else { throw NotTranslatable() }
    let key = "\(row.alias).\(quoted(column.name))"
    var object = SQLScalar(.object, dialect.reference(key))
    object.column = key
    if destination.isOnlyEntity {
      object.entity = .only(destination.entity)
      object.output = .object(destination.entity)
    } else {
      let known = column.entityColumn.map { "\(row.alias).\(quoted($0)), " } ?? ""
      let own = """
        (SELECT d.\(dialect.entityColumn) FROM \(quoted(destination.table)) AS d \
        WHERE d.\(dialect.keyColumn) = \(key))
        """
      object.entity = .numbered(
        "coalesce(\(known)\(own), \(try number(of: destination.entity)))")
      object.output = .objectAndEntity
    }
    return object
  }

  /// Returns the value of a row's attribute.
  private func attribute(
    _ column: TableMap.ColumnMap, _ row: SQLRow
  ) throws(NotTranslatable) -> SQLScalar {
    let name = "\(row.alias).\(quoted(column.name))"
    let kind = column.column.kind
    var result: SQLScalar
    switch kind.content {
    case .boolean, .integer:
      result = SQLScalar(.integer, name)
      result.isNarrow = kind.integerRange.upperBound < .max
    case .float, .double: result = SQLScalar(.real, name)
    case .date: result = SQLScalar(.date, name)
    case .string, .uri: result = SQLScalar(.text, name)
    case .uuid: result = SQLScalar(.uuid, name)
    case .binary: result = SQLScalar(.binary, name)
    case .decimal: result = SQLScalar(.decimal, name)
    case .object: throw NotTranslatable()
    }
    dialect.complete(&result, of: kind)
    // SQL knows whether there is a value, but the value may be in a separate file.
    if column.isExternal { result = SQLScalar(.opaque, name) }
    if result.kind != .opaque { result.output = .column(kind) }
    return result
  }
}
