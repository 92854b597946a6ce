import ObjectModel
import Rows
import StoreInterface

/// The entities and properties of a store's model that still exist after some steps of a migration.
struct Lineage {
  /// The present name of an entity, and the present names of its surviving properties by their first names.
  struct Member {
    var entity: String
    var properties: [String: String]
    /// The losses of surviving properties, by their first names.
    var losses: [String: Set<PropertyLoss>] = [:]
    /// The conversions that values of attributes go through, in their order, by the attributes' first names.
    var conversions: [String: [ValueConversion]] = [:]
  }

  /// Something that a step takes from a property that survives.
  enum PropertyLoss: Hashable {
    /// The order of the objects that a relationship refers to.
    case order
    /// The links of a relationship to objects of an entity, by its first name.
    case links(to: String)
    /// A part of a composite attribute, by the first names from the attribute to the part: `place.latitude`.
    case part(String)
  }

  /// The surviving entities, by their first names.
  private(set) var members: [String: Member] = [:]
  private let start: Model

  /// Creates a lineage with every concrete entity of a model.
  init(_ model: Model) {
    start = model
    for entity in model.entities where !entity.isAbstract {
      let names = model.properties(of: entity.name).filter { !$0.isTransient }.map(\.name)
      members[entity.name] = Member(
        entity: entity.name, properties: Dictionary(uniqueKeysWithValues: names.map { ($0, $0) }))
    }
  }

  /// Returns the lineage after one more step.
  func following(_ step: MigrationStep.Means) -> Lineage {
    switch step {
    case .inferred(let mapping): following(mapping.continuation, nil)
    case .written(let mapping):
      following(ModelContinuation(from: mapping.source, to: mapping.destination), mapping)
    }
  }

  func following(_ step: ModelContinuation, _ mapping: MappingModel?) -> Lineage {
    var next = self
    for (name, member) in members {
      var after = step.entity(after: member.entity)?.name
      var known: [EntityMapping] = []
      if let mapping {
        known = mapping.entityMappings.filter {
          $0.sourceEntity == member.entity && $0.destinationEntity != nil
        }
        if !known.contains(where: { $0.destinationEntity == after }) {
          after = known.first?.destinationEntity
        }
      }
      guard let after else {
        next.members[name] = nil
        continue
      }
      var names: [String: String] = [:]
      var conversions: [String: ValueConversion] = [:]
      if step.entity(before: after)?.name == member.entity {
        for (new, old) in step.properties(of: after).before
        where Lineage.keepsValues(old, step.new.property(new, of: after)) {
          names[old.name] = new
          // A written expression determines the value itself.
          let isWritten = known.contains { $0[new] != nil }
          if !isWritten, let changed = step.new.property(new, of: after),
            case .attribute(let before) = old, case .attribute(let attribute) = changed
          {
            conversions[old.name] = ValueConversion(from: before, to: attribute)
          }
        }
      }
      var properties: [String: String] = [:]
      var chains = member.conversions
      for (first, present) in member.properties {
        // A written mapping may use the value in any expression, and a policy may use every value.
        let isUsed = known.contains { mapping in
          mapping.policyName != nil
            || mapping.properties.contains {
              $0.expression.map { "\($0)".contains(present) } ?? false
            }
        }
        if let kept = names[present] ?? (isUsed ? present : nil) { properties[first] = kept }
        if let conversion = conversions[present] { chains[first, default: []].append(conversion) }
      }
      next.members[name] = Member(
        entity: after, properties: properties, losses: member.losses, conversions: chains)
    }
    for (name, member) in members where next.members[name] != nil {
      next.recordLosses(of: name, after: member, step)
    }
    return next
  }

  /// Records the losses that a step causes to the surviving properties of an entity.
  private mutating func recordLosses(
    of name: String, after before: Member, _ step: ModelContinuation
  ) {
    guard var member = members[name] else { return }
    for (first, present) in member.properties {
      guard let old = before.properties[first],
        let oldProperty = step.old.property(old, of: before.entity),
        let newProperty = step.new.property(present, of: member.entity)
      else { continue }
      var found: Set<PropertyLoss> = []
      switch (oldProperty, newProperty) {
      case (.relationship(let old), .relationship(let new)):
        if old.keepsOrder, new.isToMany, !new.keepsOrder { found.insert(.order) }
        for target in targets(of: first, of: name) {
          guard let reached = members[target] else { continue }
          if !step.new.entity(reached.entity, isOrInheritsFrom: new.destination) {
            found.insert(.links(to: target))
          }
        }
      case (.attribute(let old), .attribute(let new)):
        for part in step.parts(of: new, continuing: old).removed {
          found.insert(.part(([first] + part.oldPath.dropFirst()).joined(separator: ".")))
        }
      default: break
      }
      if !found.isEmpty { member.losses[first, default: []].formUnion(found) }
    }
    members[name] = member
  }

  /// Returns the concrete entities that a relationship of the first model leads to.
  private func targets(of property: String, of entity: String) -> [String] {
    guard case .relationship(let relationship)? = start.property(property, of: entity) else {
      return []
    }
    return start.family(of: relationship.destination).filter { !$0.isAbstract }.map(\.name)
  }

  /// Whether the values of a property stay valid values of the property that continues it.
  private static func keepsValues(_ old: Property, _ new: Property?) -> Bool {
    guard let new, !new.isTransient else { return false }
    if case .attribute(let old) = old, case .attribute(let new) = new {
      return old.derivation != nil || new.derivation == nil
    }
    return true
  }

  /// Returns the first part of `shared` that this lineage lacks, as `Entity` or `Entity.property`.
  func firstLoss(of shared: Lineage) -> String? {
    for (name, member) in shared.members.sorted(by: { $0.key < $1.key }) {
      guard let own = members[name] else { return name }
      for property in member.properties.keys.sorted() where own.properties[property] == nil {
        guard !survivesInInverse(property, of: name) else { continue }
        return "\(name).\(property)"
      }
      for property in member.properties.keys.sorted() {
        guard
          let lost = own.losses[property]?.subtracting(member.losses[property] ?? []).map({ loss in
            switch loss {
            case .order: "the order of \(name).\(property)"
            case .links(let target): "the links of \(name).\(property) to \(target)"
            case .part(let path): "\(name).\(path)"
            }
          }).min()
        else { continue }
        return lost
      }
    }
    return nil
  }

  /// Whether the other side of a relationship still contains the links.
  private func survivesInInverse(_ property: String, of entity: String) -> Bool {
    guard case .relationship(let relationship)? = start.property(property, of: entity),
      let inverse = start.inverse(of: relationship)
    else { return false }
    return start.family(of: relationship.destination).filter { !$0.isAbstract }.allSatisfy {
      members[$0.name]?.properties[inverse.name] != nil
    }
  }

  /// Returns drops of the next step under the first names of their entities and properties.
  func named(_ drops: [MigrationDrop]) -> [MigrationDrop] {
    drops.map { drop in
      guard let (first, member) = members.first(where: { $0.value.entity == drop.entity }) else {
        return drop
      }
      let property = member.properties.first { $0.value == drop.property }?.key
      return MigrationDrop(first, property ?? drop.property, drop.count, isOrder: drop.isOrder)
    }
  }

  /// Counts the objects, values and links of a store that do not survive.
  func drops(from snapshot: any StoreSnapshot) throws -> [MigrationDrop] {
    var drops: [MigrationDrop] = []
    for entity in start.entities where !entity.isAbstract {
      guard let layout = snapshot.schema[entity.name] else { continue }
      guard let member = members[entity.name] else {
        let count = try snapshot.view.batches(of: layout).reduce(0) { $0 + $1.rowCount }
        if count > 0 { drops.append(MigrationDrop(entity.name, nil, count)) }
        continue
      }
      for property in start.properties(of: entity.name) where !property.isTransient {
        if member.properties[property.name] != nil {
          drops += try self.drops(
            of: property, member.losses[property.name] ?? [], layout, in: snapshot)
          let chain = member.conversions[property.name] ?? []
          let count = try countInexact(property.name, of: layout, chain, in: snapshot)
          if count > 0 { drops.append(MigrationDrop(entity.name, property.name, count)) }
          continue
        }
        let count = try self.count(property, of: layout, in: snapshot)
        if count > 0 { drops.append(MigrationDrop(entity.name, property.name, count)) }
      }
    }
    return drops
  }

  /// Counts the losses of a property that survives.
  private func drops(
    of property: Property, _ losses: Set<PropertyLoss>, _ layout: Layout,
    in snapshot: any StoreSnapshot
  ) throws -> [MigrationDrop] {
    guard !losses.isEmpty else { return [] }
    var drops: [MigrationDrop] = []
    var cut: Set<UInt16> = []
    for loss in losses {
      switch loss {
      case .links(let target):
        if let number = snapshot.schema[target]?.entityNumber { cut.insert(number) }
      case .part(let path):
        let columns = layout.columns.filter {
          $0.name == path || $0.name.hasPrefix(path + ".")
        }
        let count = try self.count(
          columns, otherThan: defaultValue(of: path, property), of: layout, in: snapshot)
        if count > 0 { drops.append(MigrationDrop(layout.entity, path, count)) }
      case .order: break
      }
    }
    guard case .relationship(let relationship) = property else {
      return drops.sorted { ($0.property ?? "") < ($1.property ?? "") }
    }
    if !cut.isEmpty {
      var count = 0
      try forEachLink(relationship, of: layout, in: snapshot) { _, target in
        if cut.contains(target.entity) { count += 1 }
      }
      if count > 0 { drops.append(MigrationDrop(layout.entity, relationship.name, count)) }
    }
    if losses.contains(.order) {
      var lengths: [ObjectKey: Int] = [:]
      try forEachLink(relationship, of: layout, in: snapshot) { owner, _ in
        lengths[owner, default: 0] += 1
      }
      let count = lengths.values.count { $0 > 1 }
      if count > 0 {
        drops.append(MigrationDrop(layout.entity, relationship.name, count, isOrder: true))
      }
    }
    return drops
  }

  /// Calls `body` with both ends of each link that a relationship of an entity has.
  private func forEachLink(
    _ relationship: Relationship, of layout: Layout, in snapshot: any StoreSnapshot,
    _ body: (_ owner: ObjectKey, _ target: ObjectKey) -> Void
  ) throws {
    if let index = layout.index(of: relationship.name), !relationship.isToMany {
      try snapshot.forEachRow(of: layout, [layout.columns[index]]) { key, found, row in
        if let target = found[0]?.reference(at: row) { body(key, target) }
      }
    } else if let side = snapshot.schema.links(of: layout.entity, relationship.name) {
      try snapshot.forEachRow(of: side.table.layout, [side.owner, side.destination]) {
        _, found, row in
        guard let owner = found[0]?.reference(at: row), owner.entity == layout.entityNumber,
          let target = found[1]?.reference(at: row)
        else { return }
        body(owner, target)
      }
    } else if let inverse = start.inverse(of: relationship) {
      for target in start.family(of: relationship.destination) where !target.isAbstract {
        guard let other = snapshot.schema[target.name], let index = other.index(of: inverse.name)
        else { continue }
        try snapshot.forEachRow(of: other, [other.columns[index]]) { key, found, row in
          guard let owner = found[0]?.reference(at: row), owner.entity == layout.entityNumber
          else { return }
          body(owner, key)
        }
      }
    }
  }

  /// Counts the values that the given conversions change.
  private func countInexact(
    _ property: String, of layout: Layout, _ chain: [ValueConversion],
    in snapshot: any StoreSnapshot
  ) throws -> Int {
    guard !chain.isEmpty, let index = layout.index(of: property) else { return 0 }
    var count = 0
    try snapshot.forEachRow(of: layout, [layout.columns[index]]) { _, found, row in
      var value = found[0]?.value(at: row) ?? .null
      for conversion in chain {
        guard conversion.isExact(value), let next = conversion.converted(value) else {
          count += 1
          return
        }
        value = next
      }
    }
    return count
  }

  private func count(
    _ property: Property, of layout: Layout, in snapshot: any StoreSnapshot
  ) throws -> Int {
    var count = 0
    switch property {
    case .attribute(let attribute):
      guard attribute.derivation == nil else { return 0 }
      let columns = layout.columns.filter {
        $0.name == attribute.name || $0.name.hasPrefix(attribute.name + ".")
      }
      return try self.count(columns, otherThan: attribute.defaultValue, of: layout, in: snapshot)
    case .relationship(let relationship):
      guard !survivesInInverse(relationship.name, of: layout.entity) else { return 0 }
      if let index = layout.index(of: relationship.name) {
        try snapshot.forEachRow(of: layout, [layout.columns[index]]) { _, found, row in
          if found[0]?.reference(at: row) != nil { count += 1 }
        }
      } else if let side = snapshot.schema.links(of: layout.entity, relationship.name) {
        try snapshot.forEachRow(of: side.table.layout, [side.owner]) { _, found, row in
          if found[0]?.reference(at: row)?.entity == layout.entityNumber { count += 1 }
        }
      }
    case .fetched: break
    }
    return count
  }

  /// Returns the default value of a part of a composite attribute.
  private func defaultValue(of path: String, _ property: Property) -> Value {
    guard case .attribute(let attribute) = property else { return .null }
    let names = path.split(separator: ".").dropFirst().map(String.init)
    return start.part(at: names, of: attribute)?.defaultValue ?? .null
  }

  /// Counts the objects that have a value other than the default in one of the columns of an attribute.
  private func count(
    _ columns: [LayoutColumn], otherThan defaultValue: Value, of layout: Layout,
    in snapshot: any StoreSnapshot
  ) throws -> Int {
    var count = 0
    try snapshot.forEachRow(of: layout, columns) { _, found, row in
      let hasValue = found.contains {
        let value = $0?.value(at: row) ?? .null
        return !value.isNull && value != defaultValue
      }
      if hasValue { count += 1 }
    }
    return count
  }
}

/// The objects, values or links of one entity or property that a migration would drop.
public struct MigrationDrop: Sendable, Hashable, CustomStringConvertible {
  /// The entity, under its name in the store.
  public let entity: String
  /// The property; `nil` when whole objects are dropped.
  public let property: String?
  /// The number of objects, of values other than the default, or of links. At least 1.
  public let count: Int
  /// Whether the links of the relationship stay and only their order is dropped.
  public let isOrder: Bool

  init(_ entity: String, _ property: String?, _ count: Int, isOrder: Bool = false) {
    (self.entity, self.property, self.count) = (entity, property, count)
    self.isOrder = isOrder
  }

  /// The name and the count: `Stop: 4 objects`.
  public var description: String {
    if let property, isOrder {
      return "\(entity).\(property): the order in \(count) object\(count == 1 ? "" : "s")"
    }
    if let property { return "\(entity).\(property): in \(count) object\(count == 1 ? "" : "s")" }
    return "\(entity): \(count) object\(count == 1 ? "" : "s")"
  }
}
