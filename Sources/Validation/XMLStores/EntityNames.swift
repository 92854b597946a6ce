import ObjectModel
import Rows

/// The names of a model, found by their spellings in a document (spec §5.3.1).
struct EntityNames {
  private var entities: [Names] = []
  private var spellings = NameSpellings([], in: .upper)

  /// The properties of one entity.
  final class Names {
    let layout: Layout
    private let properties: [Property]
    private let spellings: NameSpellings

    /// One property.
    struct Property {
      let name: String
      /// The column with the values or references of the property; `nil` for a to-many relationship.
      let column: Int?
      let relationship: Relationship?
    }

    init(_ layout: Layout, _ properties: [Property]) {
      self.layout = layout
      self.properties = properties
      spellings = NameSpellings(properties.map(\.name), in: .lower)
    }

    /// Returns the property with the given name in a document.
    func property(_ name: String) -> Property? {
      spellings.index(of: EntityNames.plain(name)).map { properties[$0] }
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
      entities.append(Names(layout, properties))
    }
    spellings = NameSpellings(entities.map(\.layout.entity), in: .upper)
  }

  /// Returns a name without escapes (spec §5.4.1).
  private static func plain(_ name: String) -> String {
    XMLValues.unescaped(Array(name.utf8)) ?? name
  }

  /// Returns the entity with the given name in a document.
  func entity(_ name: String) -> Names? {
    spellings.index(of: EntityNames.plain(name)).map { entities[$0] }
  }
}

/// The object that is being read.
struct OpenObject {
  let key: ObjectKey
  let names: EntityNames.Names
  var property: EntityNames.Names.Property?
  var seen: Set<String> = []
}

/// The objects that a relationship of an object names.
struct ReferenceList {
  var owner: ObjectKey
  var relationship: Relationship
  var column: Int?
  var numbers: [UInt64]
  var line: Int
}
