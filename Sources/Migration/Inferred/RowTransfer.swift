import ObjectModel
import Rows
import StoreInterface

/// The transfer of the rows of a store by an inferred mapping, column by column, and whether any row must be written
/// for it.
struct RowTransfer {
  /// The source and target of each group of rows.
  private(set) var origins: [RowOrigin] = []
  /// The reasons to write rows again, in words. Empty if the new schema reads every row as it is.
  private(set) var rewritings: [String] = []
  /// References that are computed from links. The links are read before rows are transferred.
  private(set) var joins: [InverseJoin] = []
  /// Tables of links that receive the links of two relationships.
  private(set) var joinedTables: [LinkTable] = []
  /// Entities with derived values that must be computed.
  private(set) var derivingEntities: [String] = []

  /// The order columns that the entity being transferred gets again.
  private var newPlaces: [RowOrigin.NewPlace] = []
  let mapping: InferredMapping
  let source: Schema
  let target: Schema
  var continuation: ModelContinuation { mapping.continuation }

  /// Creates the transfer between the rows of two schemas.
  ///
  /// - Parameters:
  ///   - source: The schema of the rows that are read, of the mapping's source.
  ///   - target: The schema of the rows that are written, of its destination.
  init(_ mapping: InferredMapping, from source: Schema, to target: Schema) {
    (self.mapping, self.source, self.target) = (mapping, source, target)
    for layout in target.layouts { carry(layout) }
    for table in target.linkTables { carry(table) }
    var seen: Set<String> = []
    for name in source.relationshipNumbers.keys.sorted() {
      for (relationship, _) in source.relationshipNumbers[name] ?? [:] {
        checkLeftLinks(name, relationship, &seen)
      }
    }
  }

  // MARK: - Objects

  private mutating func carry(_ layout: Layout) {
    guard let entity = mapping.destination[layout.entity], !entity.isAbstract,
      let oldEntity = continuation.entity(before: entity.name), !oldEntity.isAbstract,
      let old = source[oldEntity.name]
    else { return }
    if old.entityNumber != layout.entityNumber {
      rewritings.append(
        "the entity number of \(entity.name) differs from the number of \(oldEntity.name)")
    }
    let continued = continuation.properties(of: entity.name)
    var columns: [RowOrigin.Column] = []
    newPlaces = []
    let position = origins.count
    for property in mapping.destination.properties(of: entity.name) where !property.isTransient {
      let name = "\(entity.name).\(property.name)"
      switch (property, continued.before[property.name].flatMap { $0.isTransient ? nil : $0 }) {
      case (.attribute(let attribute), .attribute(let before)?):
        for part in continuation.parts(of: attribute, continuing: before).parts {
          carry(part, old, layout, entity.name, &columns)
        }
      case (.attribute(let attribute), _) where attribute.derivation != nil:
        derive(attribute, nil, entity.name)
      case (.relationship(let relationship), let before) where !relationship.isToMany:
        var own: Relationship?
        if case .relationship(let before)? = before, !before.isToMany { own = before }
        if let own { carry(relationship, own, old, layout, entity.name, &columns) }
        if let join = join(
          relationship, before: own, of: entity.name, oldEntity.name, layout, origin: position)
        {
          joins.append(join)
          newPlaces.removeAll { $0.target == join.order }
          rewritings.append(
            own == nil
              ? "\(name) is computed from its old inverse"
              : "\(name) is joined with the links of its new inverse")
        }
      default: break
      }
    }
    var origin = RowOrigin(old, layout, columns: columns)
    origin.newPlaces = newPlaces
    origins.append(origin)
  }

  private mutating func derive(_ attribute: Attribute, _ before: Attribute?, _ entity: String) {
    guard let derivation = attribute.derivation else { return }
    if let old = before?.derivation, old.normalizedExpression == derivation.normalizedExpression,
      old.filter == derivation.filter, before?.type == attribute.type
    {
      return
    }
    if !derivingEntities.contains(entity) { derivingEntities.append(entity) }
    rewritings.append("\(entity).\(attribute.name) is derived and must be computed")
  }

  private mutating func carry(
    _ part: ModelContinuation.Part, _ old: Layout, _ layout: Layout, _ entity: String,
    _ columns: inout [RowOrigin.Column]
  ) {
    guard let (before, oldNames) = part.before else { return }
    let (attribute, path) = (part.attribute, part.path.joined(separator: "."))
    let oldPath = oldNames.joined(separator: ".")
    derive(attribute, before, entity)
    guard let index = layout.index(of: path), let place = old.index(of: oldPath) else { return }
    let (column, known) = (layout.columns[index], old.columns[place])
    if !known.kind.widens(to: column.kind) {
      guard let conversion = ValueConversion(from: before, to: attribute) else { return }
      var carried = RowOrigin.Column(known, to: index)
      carried.convert = { conversion.converted($0) ?? .null }
      // A value that is not a value of the new type is missing too.
      if !attribute.isOptional { carried.missing = attribute.defaultValue }
      rewritings.append(
        "\(entity).\(path) was of type \(before.type.sourceName) and is of type \(attribute.type.sourceName)"
      )
      columns.append(carried)
      return
    }
    var carried = RowOrigin.Column(known.read(as: column), to: index)
    // Entries of an index have the kind that the column had when they were written (spec §4.5.6).
    if known.kind != column.kind,
      source.indexes.contains(where: {
        $0.entityNumber == old.entityNumber && $0.columns.contains { $0.number == known.number }
      })
    {
      rewritings.append("\(entity).\(path) has an index and a wider type")
    }
    if before.isOptional, !attribute.isOptional, attribute.derivation == nil {
      carried.missing = attribute.defaultValue
      rewritings.append("\(entity).\(path) needs a value in every row")
    } else if known.number != column.number {
      rewritings.append("\(entity).\(path) has a new column number")
    }
    columns.append(carried)
  }

  private mutating func carry(
    _ relationship: Relationship, _ before: Relationship, _ old: Layout, _ layout: Layout,
    _ entity: String, _ columns: inout [RowOrigin.Column]
  ) {
    guard let index = layout.index(of: relationship.name), let place = old.index(of: before.name)
    else { return }
    let known = old.columns[place]
    var carried = RowOrigin.Column(known, to: index)
    carried.destinations = destinations(
      of: relationship, before: before, "\(entity).\(relationship.name)")
    columns.append(carried)
    if known.number != layout.columns[index].number {
      rewritings.append("\(entity).\(relationship.name) has a new column number")
    }
    guard let order = layout.index(of: relationship.name + "#order") else { return }
    guard let oldOrder = old.index(of: before.name + "#order") else {
      newPlaces.append(RowOrigin.NewPlace(order, of: index))
      rewritings.append("\(entity).\(relationship.name) gets a position in an order")
      return
    }
    columns.append(RowOrigin.Column(old.columns[oldOrder], to: order))
    if old.columns[oldOrder].number != layout.columns[order].number {
      rewritings.append(
        "the order of \(entity).\(relationship.name) has a new column number")
    }
  }

  /// Returns the numbers of the entities that a reference may lead to; `nil` if every reference stays valid.
  private mutating func destinations(
    of relationship: Relationship, before: Relationship, _ name: String
  ) -> Set<UInt16>? {
    let allowed = Set(
      mapping.destination.family(of: relationship.destination).compactMap {
        target[$0.name]?.entityNumber
      })
    let known = mapping.source.family(of: before.destination).filter { !$0.isAbstract }
    let staying = known.map { old in
      continuation.entity(after: old.name).flatMap { target[$0.name]?.entityNumber }
    }
    if staying.allSatisfy({ $0.map(allowed.contains) ?? false }) { return nil }
    rewritings.append("\(name) no longer refers to every entity that it referred to")
    return allowed
  }

  // MARK: - Links

  /// Returns the relationship of the source that is the inverse of a new relationship.
  func reversed(
    _ relationship: Relationship
  ) -> (relationship: Relationship, entity: String)? {
    guard let inverse = mapping.destination.inverse(of: relationship),
      let entity = continuation.entity(before: relationship.destination),
      case .relationship(let old)? = continuation.properties(of: relationship.destination).before[
        inverse.name], !old.isTransient
    else { return nil }
    return (old, entity.name)
  }

  /// Returns the new relationship at one end of a link table, with the entity that declares the relationship.
  private func relationship(
    _ end: LinkTable.End
  ) -> (relationship: Relationship, entity: String)? {
    for number in end.entities {
      guard let layout = target[number], let entity = mapping.destination[layout.entity] else {
        continue
      }
      for relationship in entity.declaredRelationships
      where target.relationshipNumbers[entity.name]?[relationship.name] == end.relationship {
        return (relationship, entity.name)
      }
    }
    return nil
  }

  private mutating func carry(_ table: LinkTable) {
    let forward = LinkTable.Side(table: table, isForward: true)
    let sides = table.backward == nil || table.isSymmetric ? [forward] : [forward, forward.turned]
    var carried: [(before: Relationship, owner: String)] = []
    for side in sides {
      let end = side.isForward ? table.forward : table.backward
      guard let (relationship, entity) = end.flatMap(relationship),
        case .relationship(let before)? = continuation.properties(of: entity).before[
          relationship.name], !before.isTransient,
        let owner = continuation.entity(before: entity)
      else { continue }
      // The links of a former inverse are the same links.
      if let other = carried.first?.before, wereInverses(other, before, of: owner.name) { continue }
      carry(relationship, before, of: owner.name, side)
      carried.append((before, owner.name))
    }
    let wasSymmetric = carried.first.map { first in
      source.links(of: first.owner, first.before.name)?.table.isSymmetric ?? false
    }
    if carried.count > 1 || table.isSymmetric && wasSymmetric == false {
      joinedTables.append(table)
      rewritings.append("the links of \(table.layout.entity) count in both directions now")
    }
  }

  /// Transfers the targets of an old relationship to links.
  private mutating func carry(
    _ relationship: Relationship, _ before: Relationship, of owner: String, _ side: LinkTable.Side
  ) {
    let name = "\(owner).\(before.name)"
    let allowed = destinations(of: relationship, before: before, name)
    let places = RowOrigin.LinkColumns(
      owner: side.table.layout.index(ofNumber: side.owner.number)!,
      destination: side.table.layout.index(ofNumber: side.destination.number)!)
    if let old = source.links(of: owner, before.name) {
      var origin = RowOrigin(old, side)
      for index in origin.columns.indices where origin.columns[index].target == places.destination {
        origin.columns[index].destinations = allowed
      }
      appendLinks(origin, side)
      if old.table.layout.entityNumber != side.table.layout.entityNumber
        || old.owner.number != side.owner.number
      {
        rewritings.append("the links of \(name) move to another table")
      }
      return
    }
    rewritings.append("\(name) is stored as links now")
    if !before.isToMany {
      // The relationship is a reference in the owner's rows.
      for layout in layouts(of: owner) {
        guard let index = layout.index(of: before.name) else { continue }
        var column = RowOrigin.Column(layout.columns[index], to: places.destination)
        column.destinations = allowed
        var origin = RowOrigin(linking: layout, by: column, side.table.layout, places)
        carry(layout.index(of: before.name + "#order"), of: layout, to: side.turned.order, &origin)
        appendLinks(origin, side)
      }
      return
    }
    guard let inverse = mapping.source.inverse(of: before), !inverse.isToMany else { return }
    // The inverse is a reference in the rows at the other end.
    for layout in layouts(of: before.destination) {
      guard let index = layout.index(of: inverse.name),
        let number = continuation.entity(after: layout.entity).flatMap({
          target[$0.name]?.entityNumber
        }), allowed?.contains(number) ?? true
      else { continue }
      let column = RowOrigin.Column(layout.columns[index], to: places.owner)
      var origin = RowOrigin(
        linking: layout, by: column, side.table.layout,
        RowOrigin.LinkColumns(owner: places.destination, destination: places.owner))
      carry(layout.index(of: inverse.name + "#order"), of: layout, to: side.order, &origin)
      appendLinks(origin, side)
    }
  }

  /// Keeps the positions of ordered references in the order column of the links.
  private func carry(
    _ known: Int?, of layout: Layout, to order: LayoutColumn?, _ origin: inout RowOrigin
  ) {
    guard let known, let order, let place = origin.target.index(ofNumber: order.number) else {
      return
    }
    origin.columns.append(RowOrigin.Column(layout.columns[known], to: place))
  }

  /// Appends an origin of links, with positions for the orders that the links did not have before.
  private mutating func appendLinks(_ origin: RowOrigin, _ side: LinkTable.Side) {
    var origin = origin
    for (order, reference) in [(side.order, side.destination), (side.turned.order, side.owner)] {
      guard let order, let place = origin.target.index(ofNumber: order.number),
        !origin.columns.contains(where: { $0.target == place })
      else { continue }
      origin.newPlaces.append(
        RowOrigin.NewPlace(place, of: origin.target.index(ofNumber: reference.number)!))
      rewritings.append("the links of \(origin.source.entity) get positions in an order")
    }
    origins.append(origin)
  }

  func layouts(of entity: String) -> [Layout] {
    mapping.source.family(of: entity).filter { !$0.isAbstract }.compactMap { source[$0.name] }
  }

  /// Records a rewriting if another relationship now uses the number of an old link table, because it would show the
  /// old links.
  private mutating func checkLeftLinks(
    _ entity: String, _ relationship: String, _ seen: inout Set<String>
  ) {
    guard let side = source.links(of: entity, relationship) else { return }
    let number = side.table.layout.entityNumber
    guard seen.insert("\(number)").inserted,
      target.linkTables.contains(where: { $0.layout.entityNumber == number }),
      !origins.contains(where: {
        $0.source.entityNumber == number && $0.target.entityNumber == number
      })
    else { return }
    rewritings.append(
      "another relationship uses the link table of \(entity).\(relationship) now")
  }
}

extension LayoutColumn {
  /// Returns the column, read as values of another column's kind.
  fileprivate func read(as other: LayoutColumn) -> LayoutColumn {
    LayoutColumn(
      number: number, name: name, kind: other.kind, isOptional: isOptional,
      defaultValue: kind == other.kind ? defaultValue : other.defaultValue)
  }
}
