import Interchange
import JSONText
import ObjectModel
import Rows
import StoreInterface

/// The rows of an entity, or of a table of links, in a patch (spec §13.2).
struct PatchEntity {
  /// The name of the entity, or of the relationship of the links: `Trip.travellers`.
  let name: String
  let layout: Layout
  let isLinks: Bool
  /// Whether the two ends of a link mean the same: in a relationship that is its own inverse.
  let isSymmetric: Bool
  /// The stored properties, without derived ones.
  let properties: [Property]

  struct Property {
    let name: String
    /// The position of the column.
    let column: Int
    let kind: Kind

    enum Kind {
      case attribute(AttributeType)
      /// A reference to an object of one of the entities.
      case reference(Set<UInt16>)
      /// A place in an ordered relationship.
      case place
    }
  }

  /// Returns the entities of a store, and then its tables of links.
  static func all(_ store: ComparedStore) -> [PatchEntity] {
    store.schema.layouts.compactMap { PatchEntity($0, store) }
      + store.schema.linkTables.compactMap { PatchEntity($0, store) }
  }

  private init?(_ layout: Layout, _ store: ComparedStore) {
    guard let entity = store.model[layout.entity], !entity.isAbstract else { return nil }
    name = entity.name
    self.layout = layout
    (isLinks, isSymmetric) = (false, false)
    properties = layout.columns.enumerated().compactMap { index, column in
      PatchEntity.kind(column.name, of: entity.name, store).map {
        Property(name: column.name, column: index, kind: $0)
      }
    }
  }

  private init?(_ table: LinkTable, _ store: ComparedStore) {
    let found = store.model.entities.lazy.flatMap { entity in
      store.model.properties(of: entity.name).map { (entity.name, $0.name) }
    }.first { entity, property in
      store.schema.links(of: entity, property) == LinkTable.Side(table: table, isForward: true)
    }
    guard let found else { return nil }
    name = "\(found.0).\(found.1)"
    layout = table.layout
    (isLinks, isSymmetric) = (true, table.isSymmetric)
    guard case .relationship(let relationship)? = store.model.property(found.1, of: found.0) else {
      return nil
    }
    let ends = [
      Set(table.forward.entities), PatchEntity.family(of: relationship.destination, store),
    ]
    properties = layout.columns.enumerated().map { index, column in
      Property(name: column.name, column: index, kind: index < 2 ? .reference(ends[index]) : .place)
    }
  }

  private static func kind(
    _ column: String, of entity: String, _ store: ComparedStore
  ) -> Property.Kind? {
    let model = store.model
    if column.hasSuffix("#order") { return .place }
    let path = column.split(separator: ".").map(String.init)
    switch path.first.flatMap({ model.property($0, of: entity) }) {
    case .attribute(let attribute)?:
      guard let part = model.part(at: path.dropFirst(), of: attribute), part.derivation == nil
      else { return nil }
      return .attribute(part.type)
    case .relationship(let relationship)? where !relationship.isToMany:
      return .reference(family(of: relationship.destination, store))
    default: return nil
    }
  }
}

extension PatchEntity {
  /// Returns the numbers of an entity and of all entities that inherit from it.
  private static func family(of entity: String, _ store: ComparedStore) -> Set<UInt16> {
    Set(store.model.family(of: entity).compactMap { store.schema[$0.name]?.entityNumber })
  }
}

extension PatchEntity.Property {
  /// Returns a value from JSON, with an object for each identifier; `nil` if the property has no such value.
  func value(_ json: JSON, _ object: (String) -> ObjectKey?) -> Value? {
    switch (kind, json) {
    case (_, .null): .null
    case (.attribute(let type), _): FieldText.value(json, of: type)
    case (.reference(let entities), .string(let identifier)):
      object(identifier).flatMap { entities.contains($0.entity) ? .object($0) : nil }
    case (.place, .number(let digits)): Int64(digits).map { .integer($0) }
    default: nil
    }
  }
}
