import ObjectModel
import Rows
import Synchronization

/// All entities of one store, for its objects.
final class GraphSchema: Sendable {
  let model: Model
  let schema: Schema
  /// The numbers of the tables that contain links and no objects.
  let linkTables: Set<UInt16>
  private let byNumber: [UInt16: GraphEntity]
  private let byName: [String: GraphEntity]
  /// The paths from the objects of an entity to the objects that derive values from them, by entity. A path is a list
  /// of relationship names. Every entity with derived attributes has an entry, which may be empty.
  private let derivedWays: [String: Set<[String]>]
  /// For each derived attribute with a path of relationships: its own entity, and the entities along the path.
  private let derivingFamilies: [Set<UInt16>]
  /// The relationships without a stored inverse, by the entities that they refer to.
  private let oneWayReferences: [UInt16: OneWayReferences]

  private init(model: Model, schema: Schema) {
    self.model = model
    self.schema = schema
    let entities = schema.layouts.compactMap { layout in
      model[layout.entity].map { GraphEntity($0, layout, model: model, schema: schema) }
    }
    linkTables = Set(schema.linkTables.map(\.layout.entityNumber))
    byNumber = Dictionary(uniqueKeysWithValues: entities.map { ($0.number, $0) })
    byName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
    derivedWays = GraphSchema.derivedWays(in: model)
    derivingFamilies = GraphSchema.derivingFamilies(in: model, schema)
    oneWayReferences = OneWayReferences.byDestination(entities, model, schema)
  }

  /// The schemas that were made last: a program opens many stores of few models.
  private static let known = Mutex<[GraphSchema]>([])
  private static let mostKnown = 8

  /// Returns the schema of a store with the given layout of rows, from the cache if it is there.
  static func of(_ model: Model, _ schema: Schema) -> GraphSchema {
    let found = known.withLock { known in
      known.first { $0.model.isSame(as: model) && $0.schema == schema }
    }
    if let found { return found }
    let made = GraphSchema(model: model, schema: schema)
    known.withLock { known in
      known.insert(made, at: 0)
      if known.count > mostKnown { known.removeLast() }
    }
    return made
  }

  /// A uniqueness constraint: the properties, and their columns.
  struct Uniqueness: Sendable {
    /// The name of the entity that declares the constraint.
    let entity: String
    let names: [String]
    /// The columns in the entity's layout.
    let columns: [Int]
    /// The layouts of all entities that the constraint applies to.
    let family: [Layout]
  }

  /// Returns the uniqueness constraints of an entity, inherited constraints included.
  func uniqueness(of graph: GraphEntity) -> [Uniqueness] {
    var constraints: [Uniqueness] = []
    var next: Entity? = graph.entity
    while let entity = next {
      for names in entity.uniquenessConstraints {
        let columns = names.compactMap { graph.layout.index(of: $0) }
        guard columns.count == names.count else { continue }
        let family = model.family(of: entity.name).compactMap { schema[$0.name] }
        constraints.append(
          Uniqueness(
            entity: entity.name, names: names, columns: columns, family: family))
      }
      next = entity.superentity.flatMap { model[$0] }
    }
    return constraints
  }

  /// Returns the relationships without a stored inverse that refer to objects of the entity.
  func oneWayReferences(to entity: UInt16) -> OneWayReferences? { oneWayReferences[entity] }

  /// Returns the entities and link tables that a change of the given entities may concern.
  ///
  /// These are the entities with the same root, the entities at both ends of their relationships, and the entities that
  /// derive values with them. All link tables are included.
  func neighbors(of numbers: [UInt16]) -> Set<UInt16> {
    var found = Set(numbers).union(schema.linkTables.map(\.layout.entityNumber))
    // A number without an entity is a link table. Its links may refer to objects of any entity.
    if numbers.contains(where: { byNumber[$0] == nil }) {
      return found.union(byNumber.keys)
    }
    func insertFamily(_ name: String) {
      var root = name
      while let next = model[root]?.superentity { root = next }
      found.formUnion(model.family(of: root).compactMap { schema[$0.name]?.entityNumber })
    }
    for number in numbers {
      guard let graph = byNumber[number] else { continue }
      insertFamily(graph.name)
      for reference in oneWayReferences[number]?.references ?? [] {
        found.insert(reference.entity)
      }
      for index in graph.relationships {
        if let relationship = graph.properties[index].relationship {
          insertFamily(relationship.destination)
        }
      }
    }
    for family in derivingFamilies where !family.isDisjoint(with: numbers) {
      found.formUnion(family)
    }
    return found
  }

  /// Whether any attribute is derived.
  var hasDerivations: Bool { !derivedWays.isEmpty }

  /// Returns the paths from objects of an entity to the objects that derive values from them.
  func ways(toThoseDerivingFrom graph: GraphEntity) -> Set<[String]> {
    derivedWays[graph.name] ?? []
  }

  private static func derivedWays(in model: Model) -> [String: Set<[String]>] {
    var ways: [String: Set<[String]>] = [:]
    for entity in model.entities {
      for attribute in entity.declaredAttributes {
        guard let form = attribute.derivation?.form else { continue }
        ways[entity.name, default: []].formUnion([])
        var back: [String] = []
        var owner = entity.name
        for name in form.path {
          guard case .relationship(let relationship)? = model.property(name, of: owner),
            let inverse = relationship.inverse
          else { break }
          back.insert(inverse, at: 0)
          owner = relationship.destination
          for member in model.family(of: owner) { ways[member.name, default: []].insert(back) }
        }
      }
    }
    return ways
  }

  private static func derivingFamilies(in model: Model, _ schema: Schema) -> [Set<UInt16>] {
    func numbers(_ entity: String) -> [UInt16] {
      model.family(of: entity).compactMap { schema[$0.name]?.entityNumber }
    }
    return model.entities.flatMap { entity in
      entity.declaredAttributes.compactMap { attribute -> Set<UInt16>? in
        guard let form = attribute.derivation?.form, !form.path.isEmpty else { return nil }
        var family = Set(numbers(entity.name))
        var owner = entity.name
        for name in form.path {
          guard case .relationship(let relationship)? = model.property(name, of: owner) else {
            break
          }
          owner = relationship.destination
          family.formUnion(numbers(owner))
        }
        return family
      }
    }
  }

  subscript(number: UInt16) -> GraphEntity? { byNumber[number] }
  subscript(name: String) -> GraphEntity? { byName[name] }
}
