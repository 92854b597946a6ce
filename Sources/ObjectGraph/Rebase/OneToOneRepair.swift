import ObjectModel
import Rows

/// Repairs one-to-one relationships, so that both ends refer to each other or to nothing.
///
/// An end without a matching reference at its other end is cleared. If a changed object refers to a new object, the
/// reference of the former object is cleared.
struct OneToOneRepair {
  private let rows: RebasedRows

  init(_ rows: RebasedRows) { self.rows = rows }

  /// Restores references of objects that discarded changes had disconnected.
  ///
  /// - Parameters:
  ///   - discarded: The keys of rows with discarded changes.
  ///   - settled: The keys of rows that possibly have no changes any more.
  ///   - contested: The references that both sides have changed and that the policy has decided about.
  func giveBack(
    _ discarded: Set<ObjectKey>, settled: Set<ObjectKey>, contested: [(key: ObjectKey, column: Int)]
  ) throws {
    for key in discarded.sorted() {
      for toOne in rows.graph[key.entity]?.oneToOnes ?? [] { try giveBack(key, toOne) }
    }
    for (key, column) in contested {
      // An earlier rebase may have cleared the other end, and the policy did not decide about that.
      guard let toOne = rows.graph[key.entity]?.oneToOnes.first(where: { $0.column == column }),
        let layout = rows.graph.schema[key.entity],
        let other = try rows.reference(key, column), !settled.contains(other),
        try rows.base.row(of: key)?.reference(layout.columns[column]) == other
      else { continue }
      try giveBack(key, toOne)
    }
    try rows.seal()
  }

  /// Repairs the relationship ends of all changed rows, and of the settled rows.
  ///
  /// - Parameter settled: The keys of rows that possibly have no changes any more.
  func run(_ settled: Set<ObjectKey>) throws {
    var keys = settled
    for changes in rows.layer.entities {
      guard let entity = rows.graph[changes.entityNumber], !entity.oneToOnes.isEmpty else {
        continue
      }
      for part in [changes.put, changes.changed, changes.removed] {
        keys.formUnion(
          try part.numbers().map { ObjectKey(entity: changes.entityNumber, number: $0) })
      }
    }
    for key in keys.sorted() { try repair(key) }
    try rows.seal()
  }

  private func repair(_ key: ObjectKey) throws {
    guard let entity = rows.graph[key.entity] else { return }
    for toOne in entity.oneToOnes {
      guard let inverse = toOne.inverse else { continue }
      if try rows.isAlive(key) { try leadBack(key, toOne, inverse) }
      try part(key, toOne, entity.layout.columns[toOne.column], inverse)
    }
  }

  /// Restores the reference of the object at the other end of a discarded change, unless that object now refers to
  /// something else.
  private func giveBack(_ key: ObjectKey, _ toOne: GraphProperty.ToOne) throws {
    guard try rows.isAlive(key), let inverse = toOne.inverse,
      let other = try rows.reference(key, toOne.column),
      let backward = rows.graph.toOne(inverse.name, of: other), try rows.isAlive(other),
      try rows.reference(other, backward.toOne.column) == nil
    else { return }
    try rows.set(.object(key), column: backward.toOne.column, of: other)
  }

  /// Clears a reference that the other end does not match.
  private func leadBack(
    _ key: ObjectKey, _ toOne: GraphProperty.ToOne, _ inverse: Relationship
  ) throws {
    guard let other = try rows.reference(key, toOne.column),
      let backward = rows.graph.toOne(inverse.name, of: other)
    else { return }
    if try rows.isAlive(other) {
      if try rows.reference(other, backward.toOne.column) == key { return }
    } else if try rows.isDenied(other, toOne) {
      return
    }
    try rows.set(.null, column: toOne.column, of: key)
  }

  /// Clears the reference of an object to which a changed row does not refer any more.
  private func part(
    _ key: ObjectKey, _ toOne: GraphProperty.ToOne, _ column: LayoutColumn, _ inverse: Relationship
  ) throws {
    guard let before = try rows.base.row(of: key)?.reference(column) else { return }
    let now = try rows.isAlive(key) ? rows.reference(key, toOne.column) : nil
    guard now != before, let backward = rows.graph.toOne(inverse.name, of: before),
      try rows.isAlive(before), try rows.reference(before, backward.toOne.column) == key
    else { return }
    if try !rows.isAlive(key), try rows.isDenied(key, backward.toOne) { return }
    try rows.set(.null, column: backward.toOne.column, of: before)
  }
}
