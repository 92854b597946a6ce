import ObjectModel
import Rows

/// A model's names as a document spells them: as they are, and otherwise without regard to case
/// (spec §5.3.1).
struct EntityNames {
  private var entities: [String: Names] = [:]
  private var folded: [String: String] = [:]

  /// The properties of one entity.
  final class Names {
    let layout: Layout
    let properties: [String: Property]
    let folded: [String: String]

    /// One property.
    struct Property {
      let name: String
      /// The column of its values or references; `nil` for a to-many relationship.
      let column: Int?
      let relationship: Relationship?
    }

    init(_ layout: Layout, _ properties: [Property]) {
      self.layout = layout
      self.properties = Dictionary(properties.map { ($0.name, $0) }) { one, _ in one }
      folded = Dictionary(properties.map { ($0.name.lowercased(), $0.name) }) { one, _ in one }
    }

    /// The property that a document names.
    func property(_ name: String) -> Property? {
      properties[name] ?? folded[name.lowercased()].flatMap { properties[$0] }
    }
  }

  init() {}

  init(_ model: Model, _ schema: Schema) {
    for entity in model.entities {
      guard let layout = schema[entity.name] else { continue }
      var relationships: [String: Relationship] = [:]
      for case .relationship(let one) in model.properties(of: entity.name) where !one.isTransient {
        relationships[one.name] = one
      }
      var properties = relationships.values.filter(\.isToMany).map {
        Names.Property(name: $0.name, column: nil, relationship: $0)
      }
      for (index, column) in layout.columns.enumerated() where !column.name.hasSuffix("#order") {
        properties.append(
          Names.Property(
            name: column.name, column: index, relationship: relationships[column.name]))
      }
      entities[entity.name] = Names(layout, properties)
      folded[entity.name.lowercased()] = entity.name
    }
  }

  /// The entity that a document names.
  func entity(_ name: String) -> Names? {
    entities[name] ?? folded[name.lowercased()].flatMap { entities[$0] }
  }
}

/// The object that is being read.
struct OpenObject {
  let key: ObjectKey
  let names: EntityNames.Names
  var property: EntityNames.Names.Property?
  var seen: Set<String> = []
}

/// What a relationship of an object names.
struct ReferenceList {
  var owner: ObjectKey
  var relationship: Relationship
  var column: Int?
  var numbers: [UInt64]
  var line: Int
}
