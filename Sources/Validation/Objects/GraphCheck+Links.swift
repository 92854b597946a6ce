import ObjectModel
import Rows
import StoreInterface

extension GraphCheck {
  /// Checks the links of a pair of to-many relationships, or of one without an inverse (spec §3.2.4).
  func check(_ table: LinkTable) throws {
    guard let rows = objects[table.layout.entityNumber], !rows.keys.isEmpty || hasCounts(table)
    else { return }
    let blocks = try blocks(of: table.layout)
    func column(_ number: UInt16) throws -> ObjectColumn? {
      try table.layout.index(ofNumber: number).map {
        try ObjectColumn(table.layout.columns[$0], of: rows, in: blocks)
      }
    }
    guard let sources = try column(LinkTable.Column.source),
      let targets = try column(LinkTable.Column.target)
    else { return }
    let targetOrder = try column(LinkTable.Column.targetOrder)
    let sourceOrder = try column(LinkTable.Column.sourceOrder)
    var forward: [Link] = []
    var backward: [Link] = []
    for row in rows.keys.indices {
      let place = Place(entity: table.layout.entity, object: rows.keys[row])
      guard let source = sources.reference(row), let target = targets.reference(row) else {
        findings.add(.missingEnd, place, "The link has no source or no target.")
        continue
      }
      guard isSound(source, table.forward.entities, place),
        isSound(target, table.backward?.entities ?? destinations(of: table), place)
      else { continue }
      for order in [targetOrder, sourceOrder] {
        if let order, order.isNull(row) {
          findings.add(.missingPlace, place, "The link has no '\(order.layout.name)'.")
        }
      }
      // A link becomes a reference from the destination object back to the owner.
      forward.append(
        Link(
          target: source.rawValue, source: target.rawValue, order: targetOrder?.integer(row)))
      backward.append(
        Link(
          target: target.rawValue, source: source.rawValue, order: sourceOrder?.integer(row)))
    }
    if table.isSymmetric {
      let both = forward + backward.filter { $0.source != $0.target }
      checkDoubles(forward, table)
      check(both, table.forward)
    } else {
      checkDoubles(forward, table)
      check(forward, table.forward)
      if let end = table.backward { check(backward, end) }
    }
  }

  /// Returns the relationships at an end of links, each with the entity that declares it.
  private func relationships(
    _ end: LinkTable.End
  ) -> [(relationship: Relationship, entity: String)] {
    var found: [String: (Relationship, String)] = [:]
    for number in end.entities {
      guard let entity = schema[number]?.entity,
        let name = schema.relationshipNumbers[entity]?
          .first(where: { $0.value == end.relationship })?.key,
        case .relationship(let relationship)? = model.property(name, of: entity)
      else { continue }
      found[declaringEntity(of: name, in: entity)] = (
        relationship, declaringEntity(of: name, in: entity)
      )
    }
    return found.values.sorted { $0.1 < $1.1 }
  }

  private func hasCounts(_ table: LinkTable) -> Bool {
    [table.forward, table.backward].compactMap { $0 }.flatMap(relationships).contains {
      $0.relationship.limitsCount
    }
  }

  /// Returns the numbers of the entities to whose objects a relationship without an inverse can refer.
  private func destinations(of table: LinkTable) -> [UInt16] {
    relationships(table.forward).flatMap { model.family(of: $0.relationship.destination) }
      .compactMap { schema[$0.name]?.entityNumber }
  }

  /// Whether an end of a link is an existing object of one of the given entities. If not, the function reports a
  /// finding.
  private func isSound(_ key: ObjectKey, _ entities: [UInt16], _ place: Place) -> Bool {
    guard entities.contains(key.entity) else {
      findings.add(
        .foreignReference, place,
        "The link refers to \(name(key)), whose entity does not have the relationship.")
      return false
    }
    if let others = objects[key.entity], !others.contains(key.number) {
      findings.add(.danglingLink, place, "The link refers to \(name(key)), which does not exist.")
      return false
    }
    return true
  }

  private func checkDoubles(_ links: [Link], _ table: LinkTable) {
    let sorted = links.sorted { ($0.target, $0.source) < ($1.target, $1.source) }
    for (link, next) in zip(sorted, sorted.dropFirst())
    where link.target == next.target && link.source == next.source {
      findings.add(
        .doubledLink, Place(entity: table.layout.entity),
        "Two links connect \(name(ObjectKey(rawValue: link.target))) with "
          + "\(name(ObjectKey(rawValue: link.source))).")
    }
  }

  /// Checks positions and counts of the relationships at an end.
  private func check(_ links: [Link], _ end: LinkTable.End) {
    let sorted = links.sorted {
      ($0.target, $0.order ?? .min, $0.source) < ($1.target, $1.order ?? .min, $1.source)
    }
    for (relationship, entity) in relationships(end) {
      if relationship.keepsOrder { checkOrder(sorted, relationship) }
      checkCounts(sorted, relationship, of: entity)
    }
  }
}
