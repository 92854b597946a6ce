public import ObjectModel

/// The layouts of all entities of a store, with the numbers the store knows them by.
///
///     let schema = try Schema(model)
///     let layout = schema["Trip"]!
///
/// A store keeps its schema beside its rows. When the model changes, the next schema is made from
/// the model *and* the schema before, so that what stayed keeps its number and no number is ever
/// used for something else.
public struct Schema: Sendable, Hashable {
  /// The layouts, in the order of their entity numbers. Abstract entities have one too.
  public let layouts: [Layout]
  /// The numbers of relationships that have no column of their own, because they follow from their
  /// inverse or are kept as links, by entity and name.
  public let relationshipNumbers: [String: [String: UInt16]]
  /// The highest entity number ever given.
  public let highestEntityNumber: UInt16
  /// The highest property number ever given, by the number of the family's root entity.
  public let highestPropertyNumbers: [UInt16: UInt16]

  private let indexByName: [String: Int]
  private let indexByNumber: [UInt16: Int]

  /// The layout of the named entity.
  public subscript(entity: String) -> Layout? { indexByName[entity].map { layouts[$0] } }

  /// The layout of the entity with the given number.
  public subscript(number: UInt16) -> Layout? { indexByNumber[number].map { layouts[$0] } }
}

extension Schema {
  /// A schema of layouts in the order of their numbers, none of them there twice.
  init(
    known layouts: [Layout], _ relationshipNumbers: [String: [String: UInt16]],
    _ highestEntityNumber: UInt16, _ highestPropertyNumbers: [UInt16: UInt16]
  ) {
    self.layouts = layouts
    self.relationshipNumbers = relationshipNumbers
    self.highestEntityNumber = highestEntityNumber
    self.highestPropertyNumbers = highestPropertyNumbers
    indexByName = Dictionary(uniqueKeysWithValues: layouts.enumerated().map { ($1.entity, $0) })
    indexByNumber = Dictionary(
      uniqueKeysWithValues: layouts.enumerated().map { ($1.entityNumber, $0) })
  }
}

/// Why a schema can't be made of a model.
public struct SchemaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, in a sentence.
  public let description: String
}

extension Schema {
  /// Numbers the entities and properties of a model, keeping what `previous` already numbered.
  ///
  /// Entities are numbered depth first with siblings in the order of their names, properties within
  /// a family of entities that inherit from one another. An entity or property is the same as one
  /// before when it has its name or names it by its renaming identifier; a property whose values the
  /// new kind can't hold gets a new number.
  ///
  /// - Throws: ``SchemaError`` when the model has more entities or properties than there are numbers.
  public init(_ model: Model, evolving previous: Schema? = nil) throws(SchemaError) {
    var numbering = Numbering(model: model, previous: previous)
    try numbering.run()
    self.init(
      known: numbering.layouts.sorted { $0.entityNumber < $1.entityNumber },
      numbering.relationshipNumbers, numbering.highestEntity, numbering.highestProperty)
  }
}

/// One walk over a model that gives numbers.
private struct Numbering {
  let model: Model
  let previous: Schema?
  var layouts: [Layout] = []
  var relationshipNumbers: [String: [String: UInt16]] = [:]
  var highestEntity: UInt16
  var highestProperty: [UInt16: UInt16]
  /// For each entity walked, its columns by property name, which subentities take over.
  private var columnsByEntity: [String: [LayoutColumn]] = [:]

  init(model: Model, previous: Schema?) {
    self.model = model
    self.previous = previous
    highestEntity = previous?.highestEntityNumber ?? 0
    highestProperty = previous?.highestPropertyNumbers ?? [:]
  }

  mutating func run() throws(SchemaError) {
    let roots = model.entities.filter { $0.superentity == nil }
    for root in Numbering.sorted(roots) {
      // The walk keeps its own stack: inheritance may be as deep as the model is large.
      var waiting: [(entity: Entity, family: UInt16?)] = [(root, nil)]
      while let (entity, family) = waiting.popLast() {
        let number = try number(of: entity)
        let family = family ?? number
        try lay(out: entity, number: number, family: family)
        for child in Numbering.sorted(model.subentities(of: entity.name)).reversed() {
          waiting.append((child, family))
        }
      }
    }
  }

  /// Siblings in the order of their names, case aside, as Core Data numbers them.
  private static func sorted(_ entities: [Entity]) -> [Entity] {
    entities.map { ($0.name.lowercased(), $0) }
      .sorted { ($0.0, $0.1.name) < ($1.0, $1.1.name) }
      .map(\.1)
  }

  private mutating func number(of entity: Entity) throws(SchemaError) -> UInt16 {
    if let known = before(entity) { return known.entityNumber }
    guard highestEntity < .max else {
      throw SchemaError(description: "A store can't have more than 65535 entities.")
    }
    highestEntity += 1
    return highestEntity
  }

  /// The layout of the same entity in the schema before.
  private func before(_ entity: Entity) -> Layout? {
    if let old = entity.renamingIdentifier, let layout = previous?[old] { return layout }
    return previous?[entity.name]
  }

  private mutating func lay(
    out entity: Entity, number: UInt16, family: UInt16
  ) throws(SchemaError) {
    let inherited = entity.superentity
    var columns = inherited.flatMap { columnsByEntity[$0] } ?? []
    var others = inherited.flatMap { relationshipNumbers[$0] } ?? [:]
    let own = entity.properties.filter { !$0.isTransient }.sorted { $0.name < $1.name }
    for property in own {
      switch property {
      case .attribute(let attribute):
        try appendColumns(
          of: attribute, path: attribute.name, oldPath: attribute.renamingIdentifier,
          entity: entity,
          family: family, to: &columns)
      case .relationship(let relationship):
        let old = relationship.renamingIdentifier
        if relationship.isToMany {
          others[relationship.name] = try numberOfRelationship(
            relationship.name, old: old, entity: entity, family: family)
        } else {
          try append(
            relationship.name, old: old, kind: .reference, isOptional: relationship.isOptional,
            defaultValue: .null, entity: entity, family: family, to: &columns)
          if inverse(of: relationship)?.isOrdered == true {
            try append(
              relationship.name + "#order", old: old.map { $0 + "#order" }, kind: .int64,
              isOptional: true, defaultValue: .null, entity: entity, family: family, to: &columns)
          }
        }
      case .fetched: break
      }
    }
    columns.sort { $0.name < $1.name }
    columnsByEntity[entity.name] = columns
    relationshipNumbers[entity.name] = others
    layouts.append(Layout(entity: entity.name, entityNumber: number, columns: columns))
  }

  private func inverse(of relationship: Relationship) -> Relationship? {
    guard let name = relationship.inverse else { return nil }
    let property = model.properties(of: relationship.destination).first { $0.name == name }
    if case .relationship(let inverse)? = property { return inverse }
    return nil
  }

  /// Appends one column, or one for each part of a composite attribute.
  private mutating func appendColumns(
    of attribute: Attribute, path: String, oldPath: String?, entity: Entity, family: UInt16,
    to columns: inout [LayoutColumn]
  ) throws(SchemaError) {
    if let kind = ColumnKind(attribute.type) {
      try append(
        path, old: oldPath, kind: kind, isOptional: attribute.isOptional,
        defaultValue: attribute.defaultValue, entity: entity, family: family, to: &columns)
    } else if attribute.type == .composite,
      let composite = attribute.compositeName.flatMap(model.composite)
    {
      for part in composite.attributes where !part.isTransient {
        try appendColumns(
          of: part, path: path + "." + part.name,
          oldPath: "\(oldPath ?? path).\(part.renamingIdentifier ?? part.name)", entity: entity,
          family: family, to: &columns)
      }
    }
  }

  private mutating func append(
    _ name: String, old: String?, kind: ColumnKind, isOptional: Bool, defaultValue: Value,
    entity: Entity, family: UInt16, to columns: inout [LayoutColumn]
  ) throws(SchemaError) {
    let layout = before(entity)
    let known = (old.flatMap { layout?.index(of: $0) } ?? layout?.index(of: name))
      .flatMap { layout?.columns[$0] }
    let number: UInt16
    if let known, known.kind.widens(to: kind),
      !columns.contains(where: { $0.number == known.number })
    {
      number = known.number
    } else {
      number = try nextProperty(in: family)
    }
    columns.append(
      LayoutColumn(
        number: number, name: name, kind: kind, isOptional: isOptional, defaultValue: defaultValue))
  }

  private mutating func numberOfRelationship(
    _ name: String, old: String?, entity: Entity, family: UInt16
  ) throws(SchemaError) -> UInt16 {
    let known = before(entity).flatMap { previous?.relationshipNumbers[$0.entity] }
    if let number = old.flatMap({ known?[$0] }) ?? known?[name] { return number }
    return try nextProperty(in: family)
  }

  private mutating func nextProperty(in family: UInt16) throws(SchemaError) -> UInt16 {
    let next = highestProperty[family, default: 0]
    guard next < LayoutColumn.Number.highestProperty else {
      throw SchemaError(
        description: "A family of entities can't have more than 61439 stored properties.")
    }
    highestProperty[family] = next + 1
    return next + 1
  }
}
