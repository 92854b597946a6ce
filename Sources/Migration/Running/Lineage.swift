import ObjectModel
import Rows
import StoreInterface

/// The entities and properties of a store's model that still exist after some steps of a migration.
struct Lineage {
  /// The present name of an entity, and the present names of its surviving properties by their first names.
  struct Member {
    var entity: String
    var properties: [String: String]
  }

  /// The surviving entities, by their first names.
  private(set) var members: [String: Member] = [:]
  private let start: Model

  /// Begins with every concrete entity of a model.
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
      if step.entity(before: after)?.name == member.entity {
        for (new, old) in step.properties(of: after).before
        where Lineage.keepsValues(old, step.new.property(new, of: after)) {
          names[old.name] = new
        }
      }
      var properties: [String: String] = [:]
      for (first, present) in member.properties {
        // A written mapping may use the value in any expression, and a policy may use every value.
        let isUsed = known.contains { mapping in
          mapping.policyName != nil
            || mapping.properties.contains {
              $0.expression.map { "\($0)".contains(present) } ?? false
            }
        }
        if let kept = names[present] ?? (isUsed ? present : nil) { properties[first] = kept }
      }
      next.members[name] = Member(entity: after, properties: properties)
    }
    return next
  }

  /// Whether the values of a property stay values of the one that continues it.
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
        guard member.properties[property.name] == nil else { continue }
        let count = try self.count(property, of: layout, in: snapshot)
        if count > 0 { drops.append(MigrationDrop(entity.name, property.name, count)) }
      }
    }
    return drops
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
      try snapshot.forEachRow(of: layout, columns) { _, found, row in
        let hasValue = found.contains {
          let value = $0?.value(at: row) ?? .null
          return !value.isNull && value != attribute.defaultValue
        }
        if hasValue { count += 1 }
      }
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
}

/// The objects, values or links of one entity or property that a migration would drop.
public struct MigrationDrop: Sendable, Hashable, CustomStringConvertible {
  /// The entity, under its name in the store.
  public let entity: String
  /// The property; `nil` when whole objects are dropped.
  public let property: String?
  /// The number of objects, of values other than the default, or of links. At least 1.
  public let count: Int

  init(_ entity: String, _ property: String?, _ count: Int) {
    (self.entity, self.property, self.count) = (entity, property, count)
  }

  /// The name and the count: `Stop: 4 objects`.
  public var description: String {
    if let property { return "\(entity).\(property): in \(count) object\(count == 1 ? "" : "s")" }
    return "\(entity): \(count) object\(count == 1 ? "" : "s")"
  }
}
