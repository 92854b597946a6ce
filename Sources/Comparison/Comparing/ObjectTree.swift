package import ObjectModel
import ObjectQuery
package import Rows

/// The objects of a store as a tree: the relationships that are followed, and the value that names each object.
package struct ObjectTree {
  package let store: ComparedStore
  /// The number of levels below the topmost objects.
  package let levels: Int
  /// The parts of each entity, by its number.
  private let entities: [UInt16: EntityParts]

  /// The most levels of a tree.
  package static let mostLevels = 200

  /// The parts of an entity that a tree shows.
  private struct EntityParts {
    let name: String
    let layout: Layout
    /// The positions of the columns that may name an object. The first one with a value does.
    let nameColumns: [NameColumn]
    let relationships: [Followed]
  }

  private struct NameColumn {
    let column: Int
    let precision: Attribute.Precision?
  }

  /// The value that names an object, with the precision of its attribute.
  package struct Name {
    package let value: Value
    package let precision: Attribute.Precision?
  }

  /// A relationship that the tree follows.
  private struct Followed {
    let name: String
    let way: Way

    enum Way {
      case toMany(ToManyRelationship)
      /// A to-one relationship, with the position of its column.
      case toOne(Int)
    }
  }

  /// An object below another object.
  package struct Child {
    /// The name of the relationship; `nil` if the parent's entity follows only one.
    package let relationship: String?
    package let key: ObjectKey

    package init(relationship: String?, key: ObjectKey) {
      self.relationship = relationship
      self.key = key
    }
  }

  /// Whether the objects of a relationship can't exist without their owner.
  private static func isOwner(_ relationship: Relationship, _ model: Model) -> Bool {
    guard relationship.isToMany else { return false }
    if relationship.deleteRule == .cascade { return true }
    guard let inverse = model.inverse(of: relationship) else { return false }
    return !inverse.isToMany && !inverse.isOptional
  }

  /// Creates a tree.
  ///
  /// - Parameter names: The relationships to follow; `nil` for all to-many relationships to objects that can't exist without
  ///   their owner: with the delete rule cascade, or with an inverse that must have a value.
  /// - Throws: ``ComparisonError`` for a name that no relationship has.
  package init(_ store: ComparedStore, along names: [String]?, levels: Int) throws {
    self.store = store
    self.levels = levels
    var entities: [UInt16: EntityParts] = [:]
    var found: Set<String> = []
    var known: Set<String> = []
    for layout in store.schema.layouts {
      guard let entity = store.model[layout.entity], !entity.isAbstract else { continue }
      var followed: [Followed] = []
      for case .relationship(let relationship) in store.model.properties(of: entity.name) {
        known.insert(relationship.name)
        guard
          names?.contains(relationship.name)
            ?? Self.isOwner(relationship, store.model)
        else { continue }
        found.insert(relationship.name)
        if let way = Self.way(relationship, layout, store) {
          followed.append(Followed(name: relationship.name, way: way))
        }
      }
      // The order of the command line is the order of the children.
      if let names {
        followed.sort { names.firstIndex(of: $0.name)! < names.firstIndex(of: $1.name)! }
      }
      entities[layout.entityNumber] = EntityParts(
        name: entity.name, layout: layout,
        nameColumns: Self.nameColumns(entity, layout, store.model),
        relationships: followed)
    }
    self.entities = entities
    for name in names ?? [] where !found.contains(name) {
      throw ComparisonError.unknown(
        "relationship", name, in: "in '\(store.name)'", known: known.sorted(),
        otherwise: known.isEmpty
          ? "The model has no relationships."
          : "It has \(known.sorted().map { "'\($0)'" }.joined(separator: ", ")).")
    }
  }

  private static func way(
    _ relationship: Relationship, _ layout: Layout, _ store: ComparedStore
  ) -> Followed.Way? {
    if relationship.isToMany {
      return ToManyRelationship(relationship.name, of: layout.entity, store.model, store.schema)
        .map(Followed.Way.toMany)
    }
    return layout.index(of: relationship.name).map(Followed.Way.toOne)
  }

  /// Returns the columns that may name the objects of an entity: unique texts, `name`, `title`, unique numbers, and all texts.
  private static func nameColumns(
    _ entity: Entity, _ layout: Layout, _ model: Model
  ) -> [NameColumn] {
    func column(_ name: String) -> NameColumn? {
      guard case .attribute(let attribute)? = model.property(name, of: entity.name),
        attribute.type != .composite, attribute.type != .binary,
        attribute.type != .transformable, !attribute.isTransient
      else { return nil }
      return layout.index(of: name).map {
        NameColumn(column: $0, precision: attribute.validation.precision)
      }
    }
    var unique: [String] = []
    var next: Entity? = entity
    while let one = next {
      unique += one.uniquenessConstraints.flatMap(\.self)
      next = one.superentity.flatMap { model[$0] }
    }
    let texts = model.properties(of: entity.name).compactMap { property -> String? in
      guard case .attribute(let attribute) = property, attribute.type == .string else { return nil }
      return attribute.name
    }
    return (unique.filter(texts.contains) + ["name", "title"] + unique + texts).compactMap(column)
  }

  // MARK: - Objects

  /// The layouts of the entities that no followed relationship refers to, of entities without children too; the layouts
  /// of all entities if each is below another one.
  package var topmostLayouts: [Layout] {
    var below: Set<String> = []
    for entity in entities.values {
      for followed in entity.relationships {
        guard
          case .relationship(let relationship)? = store.model.property(
            followed.name, of: entity.name)
        else { continue }
        below.formUnion(store.model.family(of: relationship.destination).map(\.name))
      }
    }
    let all = store.schema.layouts.filter { entities[$0.entityNumber] != nil }
    let topmost = all.filter { !below.contains($0.entity) }
    return topmost.isEmpty ? all : topmost
  }

  /// Returns the layout of an entity's rows; `nil` for an abstract entity.
  package func layout(of entity: Entity) -> Layout? {
    store.schema[entity.name].flatMap { entities[$0.entityNumber]?.layout }
  }

  package func exists(_ key: ObjectKey) throws -> Bool {
    try entities[key.entity] != nil && store.source.row(of: key) != nil
  }

  package func entityName(of key: ObjectKey) -> String { entities[key.entity]?.name ?? "" }

  /// Returns the value that names an object; `nil` if it has none.
  package func name(of key: ObjectKey) throws -> Name? {
    guard let parts = entities[key.entity], let row = try store.source.row(of: key) else {
      return nil
    }
    for name in parts.nameColumns {
      let value = try row.value(parts.layout.columns[name.column])
      if !value.isNull, value != .string("") {
        return Name(value: value, precision: name.precision)
      }
    }
    return nil
  }

  /// Returns the objects below an object.
  package func children(of key: ObjectKey) throws -> [Child] {
    guard let parts = entities[key.entity] else { return [] }
    let isNamed = parts.relationships.count > 1
    return try parts.relationships.flatMap { followed -> [Child] in
      let keys: [ObjectKey]
      switch followed.way {
      case .toMany(let relationship):
        keys = try store.source.objects(relatedTo: key, through: relationship)
      case .toOne(let column):
        let value = try store.source.row(of: key)?.value(parts.layout.columns[column])
        keys = if case .object(let other)? = value { [other] } else { [] }
      }
      return keys.map { Child(relationship: isNamed ? followed.name : nil, key: $0) }
    }
  }
}
