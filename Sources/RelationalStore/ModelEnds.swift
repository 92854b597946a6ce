package import ObjectModel
package import Rows
package import SQLTranslation

// The parts of a model that the maps of all databases look up: each database only has names of its own.
extension Model {
  /// Returns the attribute at the path of a layout's column.
  package func attribute(at path: String, of entity: String) -> Attribute? {
    let parts = path.split(separator: ".").map(String.init)
    guard let first = parts.first, case .attribute(let attribute)? = property(first, of: entity)
    else { return nil }
    return part(at: parts.dropFirst(), of: attribute)
  }

  /// Returns the relationship of a layout's column.
  package func relationship(
    _ name: String, of entity: String
  ) throws(TableMap.Mismatch) -> Relationship {
    guard case .relationship(let relationship)? = property(name, of: entity) else {
      throw TableMap.Mismatch(
        description: "'\(entity).\(name)' is not a relationship of the model.")
    }
    return relationship
  }

  /// Returns the destination of a relationship.
  ///
  /// - Parameter table: Returns the table of a root entity.
  package func destination(
    _ entity: String, _ schema: Schema, table: (String) -> String?
  ) throws(TableMap.Mismatch) -> TableMap.Destination {
    guard let number = schema[entity]?.entityNumber,
      let table = table(root(of: entity)?.name ?? entity)
    else { throw TableMap.Mismatch(description: "The entity '\(entity)' has no number.") }
    return TableMap.Destination(
      table: table, entity: number, isOnlyEntity: subentities(of: entity).isEmpty)
  }

  /// Returns the relationship of an end of links, and the entity that declares it: the one entity of the end whose
  /// superentity does not have it.
  package func declaration(
    of end: LinkTable.End, _ schema: Schema
  ) throws(TableMap.Mismatch) -> (entity: String, relationship: Relationship) {
    for number in end.entities {
      guard let layout = schema[number], layout.entityNumber == number,
        let entity = self[layout.entity]
      else { continue }
      if let parent = entity.superentity.flatMap({ schema[$0] }),
        end.entities.contains(parent.entityNumber)
      {
        continue
      }
      guard
        let name = schema.relationshipNumbers[entity.name]?
          .first(where: { $0.value == end.relationship })?.key,
        case .relationship(let relationship)? = property(name, of: entity.name)
      else { continue }
      return (entity.name, relationship)
    }
    throw TableMap.Mismatch(
      description: "No entity declares one of the many-to-many relationships.")
  }
}
