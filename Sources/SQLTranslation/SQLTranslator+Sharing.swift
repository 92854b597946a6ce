import ObjectModel
import ObjectQuery
import Rows

extension SQLTranslator {
  /// Returns a condition on the objects that a to-one relationship refers to, decided once for each such object.
  ///
  /// `department.employees.@max.salary > 998` reads all employees of a department again for each employee. The
  /// condition depends only on the department, so a selection of the departments that meet it does not depend on the
  /// row. The database evaluates such a selection once.
  ///
  /// - Returns: The condition; `nil` if the comparison has another form.
  mutating func decidedOnce(
    _ comparison: BoundComparison, _ scope: SQLScope
  ) throws(NotTranslatable) -> String? {
    guard let right = comparison.right.constant else { return nil }
    var inner = comparison
    if case .function(let function, let arguments) = comparison.left,
      arguments.count == 1, case .path(let base, let path) = arguments[0],
      case .toOne? = path.first, path.contains(where: \.isToMany),
      comparison.modifier == .direct, let ofNone = comparison.holdsForNone(of: function)
    {
      inner.left = .function(function, [.path(.this, Array(path.dropFirst()))])
      return try decidedOnce(inner, path[0], from: base, ofNone, scope)
    }
    guard case .path(let base, let steps) = comparison.left else { return nil }
    // Whether the condition holds if the relationship refers to no object.
    let holdsForNone: Bool
    if case .subquery(var subquery) = base {
      guard subquery.standsAlone, case .path(let start, let path) = subquery.collection,
        case .toOne? = path.first, steps.count == 1, case .collection(.count, _) = steps[0],
        comparison.modifier == .direct
      else { return nil }
      subquery.collection = .path(.this, Array(path.dropFirst()))
      inner.left = .path(.subquery(subquery), steps)
      holdsForNone = (try? comparison.holds(.value(.integer(0)), right)) ?? false
      return try decidedOnce(inner, path[0], from: start, holdsForNone, scope)
    }
    guard case .toOne? = steps.first,
      steps.dropFirst().contains(where: { $0.isToMany || $0.isOperator })
    else { return nil }
    inner.left = .path(.this, Array(steps.dropFirst()))
    holdsForNone =
      switch comparison.modifier {
      case .direct: comparison.holdsForNull
      case .any: false
      case .all: true
      }
    return try decidedOnce(inner, steps[0], from: base, holdsForNone, scope)
  }

  /// Returns the SQL condition for a comparison with the object that a to-one step leads to.
  private mutating func decidedOnce(
    _ inner: BoundComparison, _ step: PathStep, from base: BoundExpression, _ holdsForNone: Bool,
    _ scope: SQLScope
  ) throws(NotTranslatable) -> String? {
    guard case .toOne(let column, let destination) = step else { return nil }
    let row: SQLRow
    switch base {
    case .this: row = scope.this
    case .slot(let slot):
      guard let known = scope.slots[slot] else { throw NotTranslatable() }
      row = known
    default: return nil
    }
    // If the condition holds without an object, the selection contains the objects that fail the condition.
    let map = try self.column(column, of: row.entity)
    let other = self.row(destination)
    let table = try self.table(other)
    let test = try deeper { (walk) throws(NotTranslatable) in
      try walk.condition(.comparison(inner), SQLScope(this: other))
    }
    var conditions = [holdsForNone ? "(\(test)) IS NOT TRUE" : "(\(test))"]
    let key = "\(row.alias).\(quoted(map.name))"
    var outside = ""
    if let target = map.destination, try entityMap(destination).sharesTable {
      if target.isOnlyEntity {
        conditions.append("\(entity(of: other)) = \(try number(of: target.entity))")
      } else if let known = map.entityColumn {
        // The referring row names the entity of the target. A target whose own row states another entity is treated as
        // missing.
        let entity = "\(row.alias).\(quoted(known))"
        let own = """
          (SELECT d.\(dialect.entityColumn) FROM \(quoted(target.table)) AS d \
          WHERE d.\(dialect.keyColumn) = \(key))
          """
        outside = " AND (\(entity) IS NULL OR \(entity) = \(own))"
      }
    }
    let selection =
      "SELECT \(self.key(of: other)) FROM \(table) WHERE \(conditions.joined(separator: " AND "))"
    let isIn = "(\(key) IN (\(selection))\(outside))"
    return try checked(holdsForNone ? "(\(isIn) IS NOT TRUE)" : isIn)
  }
}
