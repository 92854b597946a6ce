import ObjectModel
import Rows
import StoreInterface

extension RowTransfer {
  /// Returns the join that computes a to-one relationship; `nil` if its column is copied as it is.
  func join(
    _ relationship: Relationship, before: Relationship?, of entity: String, _ oldEntity: String,
    _ layout: Layout, origin: Int
  ) -> InverseJoin? {
    guard let inverse = mapping.destination.inverse(of: relationship) else { return nil }
    let other = reversed(relationship)
    // A former inverse needs no join, and an inverse that refers to many has room for every link.
    if let before, let other {
      if wereInverses(before, other.relationship, of: other.entity) { return nil }
    } else if before != nil, inverse.isToMany {
      return nil
    } else if before == nil, other == nil {
      return nil
    }
    return InverseJoin(
      origin: origin, target: layout.index(of: relationship.name)!,
      order: layout.index(of: relationship.name + "#order"),
      own: before.map {
        InverseJoin.End(
          entity: declaring(relationship.name, entity) ?? oldEntity, relationship: $0.name)
      },
      other: other.map {
        InverseJoin.End(entity: $0.entity, relationship: $0.relationship.name)
      }, isOneToOne: !inverse.isToMany)
  }

  /// Whether two old relationships, the second of the given entity, were inverses of each other.
  func wereInverses(_ one: Relationship, _ other: Relationship, of owner: String) -> Bool {
    mapping.source.inverse(of: one)?.name == other.name
      && (mapping.source.entity(owner, isOrInheritsFrom: one.destination)
        || mapping.source.entity(one.destination, isOrInheritsFrom: owner))
  }

  /// Returns the old entity that continues as the entity that declares a new relationship.
  private func declaring(_ name: String, _ entity: String) -> String? {
    var top = entity
    while let parent = mapping.destination[top]?.superentity,
      mapping.destination.property(name, of: parent) != nil
    {
      top = parent
    }
    return continuation.entity(before: top)?.name
  }

  /// Returns the origins with all joined references, and the links for which a to-one relationship has no room.
  ///
  /// Drops are named as in the source.
  func origins(
    reading snapshot: any StoreSnapshot
  ) throws -> (origins: [RowOrigin], drops: [MigrationDrop]) {
    var origins = origins
    var counts: [InverseJoin.End: Int] = [:]
    for (index, join) in joins.enumerated() {
      let links = try joined(join, reading: snapshot)
      let entity = origins[join.origin].source.entityNumber
      var values: [UInt64: ObjectKey?] = [:]
      for (row, other) in links.others where row.entity == entity { values[row.number] = other }
      for row in links.losers where row.entity == entity && links.others[row] == nil {
        values[row.number] = .some(nil)
      }
      origins[join.origin].references.append((join.target, values))
      if let order = join.order {
        var places: [UInt64: Int64] = [:]
        for (row, place) in links.places where row.entity == entity { places[row.number] = place }
        origins[join.origin].places.append((order, places))
      }
      // The rows of a family have one join for each entity, and all of these drop the same links.
      let isFirst = !joins[..<index].contains { $0.own == join.own && $0.other == join.other }
      if isFirst, join.countsDrops { counts.merge(links.dropped) { $0 + $1 } }
    }
    try omitRepeatedLinks(&origins, reading: snapshot)
    let drops = counts.sorted { $0.key < $1.key }.map {
      MigrationDrop($0.key.entity, $0.key.relationship, $0.value)
    }
    return (origins, drops)
  }

  /// The links of a join.
  private struct Links {
    /// The other end of each row's reference.
    var others: [ObjectKey: ObjectKey] = [:]
    /// The rows that one-to-one relationships lead back to.
    var rows: [ObjectKey: ObjectKey] = [:]
    var places: [ObjectKey: Int64] = [:]
    /// Rows that have lost their own reference.
    var losers: Set<ObjectKey> = []
    var dropped: [InverseJoin.End: Int] = [:]
  }

  private func joined(_ join: InverseJoin, reading snapshot: any StoreSnapshot) throws -> Links {
    var links = Links()
    let isSelf = join.own == join.other && join.isOneToOne
    for (end, isOwn) in join.ends {
      try forEachLink(end, in: snapshot) { owner, target, place in
        guard try snapshot.view.contains(target) else { return }
        let (row, other) = isOwn ? (owner, target) : (target, owner)
        if links.others[row] == other { return }
        let isTaken =
          links.others[row] != nil || join.isOneToOne && links.rows[other] != nil
          || isSelf && links.others[other] != nil
        guard !isTaken else {
          links.dropped[end, default: 0] += 1
          if isOwn { links.losers.insert(row) }
          return
        }
        links.others[row] = other
        links.places[row] = place ?? Int64(row.number)
        if join.isOneToOne { links.rows[other] = row }
        if isSelf {
          links.others[other] = row
          links.rows[row] = other
        }
      }
    }
    return links
  }

  /// Calls `body` with both ends of each link that an old relationship has, and with the link's place in an order.
  private func forEachLink(
    _ end: InverseJoin.End, in snapshot: any StoreSnapshot,
    _ body: (_ owner: ObjectKey, _ target: ObjectKey, _ place: Int64?) throws -> Void
  ) throws {
    guard
      case .relationship(let relationship)? = mapping.source.property(
        end.relationship, of: end.entity)
    else { return }
    if let side = source.links(of: end.entity, relationship.name) {
      let columns = [side.owner, side.destination] + (side.order.map { [$0] } ?? [])
      try snapshot.forEachRow(of: side.table.layout, columns) { _, found, row in
        guard let owner = found[0]?.reference(at: row), let target = found[1]?.reference(at: row)
        else { return }
        let order = found.count > 2 ? found[2] : nil
        try body(owner, target, order.flatMap { $0.isNull(row) ? nil : $0.integer(at: row) })
      }
    } else if !relationship.isToMany {
      for owners in layouts(of: end.entity) {
        guard let index = owners.index(of: relationship.name) else { continue }
        try snapshot.forEachRow(of: owners, [owners.columns[index]]) { key, found, row in
          if let target = found[0]?.reference(at: row) { try body(key, target, nil) }
        }
      }
    } else if let inverse = mapping.source.inverse(of: relationship) {
      for targets in layouts(of: relationship.destination) {
        guard let index = targets.index(of: inverse.name) else { continue }
        let order = targets.index(of: inverse.name + "#order")
        let columns = [index] + (order.map { [$0] } ?? [])
        try snapshot.forEachRow(of: targets, columns.map { targets.columns[$0] }) {
          key, found, row in
          guard let owner = found[0]?.reference(at: row) else { return }
          let order = found.count > 1 ? found[1] : nil
          try body(owner, key, order.flatMap { $0.isNull(row) ? nil : $0.integer(at: row) })
        }
      }
    }
  }

  /// Omits the links that two relationships have both, when the two become inverses in one table of links.
  private func omitRepeatedLinks(
    _ origins: inout [RowOrigin], reading snapshot: any StoreSnapshot
  ) throws {
    for table in joinedTables {
      var seen: Set<[UInt64]> = []
      for index in origins.indices
      where origins[index].isLinks
        && origins[index].target.entityNumber == table.layout.entityNumber
      {
        let origin = origins[index]
        let ends = origin.columns.filter { $0.source.kind == .reference }
        origins[index].getsNewKeys = true
        try snapshot.forEachRow(of: origin.source, ends.map(\.source)) { key, found, row in
          var pair = zip(ends, found).map { ($0.target, $1?.reference(at: row)?.rawValue ?? 0) }
          // A link that is made of a reference has the object itself as its other end.
          if let made = origin.linkColumns { pair.append((made.owner, key.rawValue)) }
          var link = pair.sorted { $0.0 < $1.0 }.map(\.1)
          if table.isSymmetric { link.sort() }
          if !seen.insert(link).inserted { origins[index].omitted.insert(key.number) }
        }
      }
    }
  }
}
