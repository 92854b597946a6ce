import ObjectModel
import Rows

/// The relationships that refer to the objects of one entity and have no stored inverse there.
///
/// Such an object has no record of the objects that lead to it. When it is deleted, the context finds them by these
/// columns and links.
struct OneWayReferences: Sendable {
  /// A to-one relationship of one referring entity.
  struct Reference: Sendable {
    let entity: UInt16
    let toOne: GraphProperty.ToOne
    /// The index of the column. If the store keeps no index, the context makes one in memory.
    let index: IndexLayout
  }

  var references: [Reference] = []
  /// The sides of link tables at which the objects of the entity stand.
  var links: [LinkTable.Side] = []

  /// Returns the relationships without a stored inverse by the entities that they refer to.
  static func byDestination(
    _ entities: [GraphEntity], _ model: Model, _ schema: Schema
  ) -> [UInt16: OneWayReferences] {
    var found: [UInt16: OneWayReferences] = [:]
    func add(_ relationship: Relationship, _ change: (inout OneWayReferences) -> Void) {
      for member in model.family(of: relationship.destination) {
        guard let number = schema[member.name]?.entityNumber else { continue }
        change(&found[number, default: OneWayReferences()])
      }
    }
    for entity in entities {
      for index in entity.relationships {
        switch entity.properties[index].place {
        case .toOne(let toOne) where toOne.inverse?.isTransient ?? true:
          let column = entity.layout.columns[toOne.column]
          let known = schema.index(ofEntity: entity.number, by: [column])
          let reference = Reference(
            entity: entity.number, toOne: toOne,
            index: known
              ?? IndexLayout(number: 0, entityNumber: entity.number, columns: [column]))
          add(toOne.relationship) { $0.references.append(reference) }
        case .toMany(let toMany) where toMany.inverse?.isTransient ?? true:
          guard let side = toMany.links?.turned else { continue }
          // Entities that inherit the relationship share its table.
          add(toMany.relationship) { if !$0.links.contains(side) { $0.links.append(side) } }
        default: continue
        }
      }
    }
    return found
  }
}
