// SAFETY: The table's size is a power of two, and at least one place is free. Positions are masked to the size. The
// table is freed with its owner.

import ObjectModel
import ObjectQuery
import Rows

/// The prepared properties and rules of an entity of one store. The objects of the entity use it, and find a property
/// by the hash of its name.
@safe
final class GraphEntity: @unchecked Sendable {
  // Sendable: nothing changes after the initializer.
  let model: Model
  let entity: Entity
  let layout: Layout
  let properties: [GraphProperty]
  /// The default values that differ from the default of their column in the layout, by column.
  let initialValues: [(column: Int, value: Value)]
  /// The derived attributes, by their positions among the properties.
  let derived: [Int]
  /// The columns of the derived attributes.
  let derivedColumns: Set<Int>
  /// The relationships, by their positions among the properties.
  let relationships: [Int]
  let toOnes: [GraphProperty.ToOne]
  let oneToOnes: [GraphProperty.ToOne]
  /// The relationships that the deletion of an object may propagate along, by their positions among the properties.
  let relationshipsToPropagate: [Int]
  /// The relationships with an inverse that the model limits in number or by a predicate, by their positions.
  let countedRelationships: [Int]
  /// Whether some reference needs a second write: of the other end of a one-to-one relationship, or of a position in an
  /// ordered relationship.
  var hasDependentReferences: Bool { toOnes.contains { !$0.isPlain } }
  /// The rules that the validation of an object checks.
  let constraints: ValidationPlan
  /// The hash table of property codes. Sources have a copy of the pointer.
  let table: UnsafeMutablePointer<PropertyCode>
  let mask: Int

  var name: String { entity.name }
  var number: UInt16 { layout.entityNumber }

  init(_ entity: Entity, _ layout: Layout, model: Model, schema: Schema) {
    self.model = model
    self.entity = entity
    self.layout = layout
    var properties: [GraphProperty] = []
    var initialValues: [(column: Int, value: Value)] = []
    for property in model.properties(of: entity.name) {
      GraphEntity.add(property, of: entity, layout, model, schema, to: &properties)
    }
    for property in properties {
      if case .attribute(let attribute, let column) = property.place,
        attribute.defaultValue != layout.columns[column].defaultValue
      {
        initialValues.append((column, attribute.defaultValue))
      }
    }
    self.properties = properties
    self.initialValues = initialValues
    derived = properties.indices.filter {
      if case .attribute(let attribute, _) = properties[$0].place {
        attribute.derivation != nil
      } else {
        false
      }
    }
    derivedColumns = Set(
      derived.compactMap {
        if case .attribute(_, let column) = properties[$0].place { column } else { nil }
      })
    toOnes = properties.compactMap {
      if case .toOne(let toOne) = $0.place { toOne } else { nil }
    }
    oneToOnes = toOnes.filter { toOne in
      toOne.inverse.map { !$0.isToMany && !$0.isTransient } ?? false
    }
    relationships = properties.indices.filter { properties[$0].relationship != nil }
    relationshipsToPropagate = relationships.filter {
      switch properties[$0].place {
      case .toOne(let toOne): toOne.mattersToDeletion
      case .toMany: true
      default: false
      }
    }
    countedRelationships = relationships.filter {
      properties[$0].inverse.map(ValidationPlan.counts) ?? false
    }
    constraints = ValidationPlan(properties, layout, model, schema)
    var capacity = 16
    while capacity < properties.count * 2 { capacity *= 2 }
    mask = capacity - 1
    unsafe table = .allocate(capacity: capacity)
    unsafe table.initialize(repeating: .none, count: capacity)
    for index in properties.indices { insert(GraphEntity.code(properties[index], index, layout)) }
  }

  deinit { unsafe table.deallocate() }

  private func insert(_ code: PropertyCode) {
    var place = Int(truncatingIfNeeded: code.hash) & mask
    while unsafe table[place].form != .none { place = (place + 1) & mask }
    unsafe table[place] = code
  }

  /// Returns the code of the property whose name has a hash. The form of the code is `none` if there is no property.
  @inline(__always)
  func code(_ hash: UInt64) -> PropertyCode { unsafe GraphEntity.code(hash, in: table, mask) }

  @inline(__always)
  @unsafe static func code(
    _ hash: UInt64, in table: UnsafeMutablePointer<PropertyCode>, _ mask: Int
  ) -> PropertyCode {
    var place = Int(truncatingIfNeeded: hash) & mask
    while true {
      let code = unsafe table[place]
      if code.hash == hash || code.form == .none { return code }
      place = (place &+ 1) & mask
    }
  }

  subscript(name: String) -> GraphProperty? {
    let code = code(PropertyHash.of(name))
    guard code.form != .none, properties[Int(code.property)].name == name else { return nil }
    return properties[Int(code.property)]
  }

  /// Returns the to-one relationship with a hash. Stops the program if there is none.
  func toOne(_ hash: UInt64, _ name: @autoclosure () -> String) -> GraphProperty.ToOne {
    let code = code(hash)
    guard code.form == .toOne || code.form == .plainToOne,
      case .toOne(let toOne) = properties[Int(code.property)].place
    else { refuse(name(), as: "a relationship to one object") }
    return toOne
  }

  /// Returns the to-many relationship with a hash. Stops the program if there is none.
  func toMany(_ hash: UInt64, _ name: @autoclosure () -> String) -> GraphProperty.ToMany {
    let code = code(hash)
    guard code.form == .other, case .toMany(let toMany) = properties[Int(code.property)].place
    else { refuse(name(), as: "a relationship to many objects") }
    return toMany
  }

  /// Stops the program because it asked for a property that does not exist, or used a property as another kind.
  func refuse(_ name: String, as use: String) -> Never {
    let known = properties.map(\.name).joined(separator: ", ")
    if self[name] != nil {
      misuse("The property \"\(name)\" of \"\(self.name)\" is not \(use).")
    }
    misuse(
      "The entity \"\(self.name)\" has no property \"\(name)\". It has: \(known).")
  }
}

extension GraphEntity {
  private static func add(
    _ property: Property, of entity: Entity, _ layout: Layout, _ model: Model, _ schema: Schema,
    to properties: inout [GraphProperty]
  ) {
    func append(_ place: GraphProperty.Place) {
      properties.append(GraphProperty(name: property.name, property: property, place: place))
    }
    switch property {
    case .attribute(let attribute): add(attribute, attribute.name, layout, model, to: &properties)
    case .fetched(let fetched): append(.fetched(fetched))
    case .relationship(let relationship):
      let inverse = model.inverse(of: relationship)
      if relationship.isTransient {
        append(.transientRelationship(relationship, inverse: inverse))
      } else if !relationship.isToMany, let column = layout.index(of: relationship.name) {
        append(
          .toOne(
            .init(
              relationship: relationship, column: column,
              order: layout.index(of: relationship.name + "#order"), inverse: inverse)))
      } else if let query = ToManyRelationship(relationship.name, of: entity.name, model, schema) {
        append(
          .toMany(
            .init(
              relationship: relationship, query: query,
              way: RelationshipWay(query, model, schema),
              links: query.inverse == nil
                ? schema.links(of: entity.name, relationship.name) : nil, inverse: inverse)))
      }
    }
  }

  private static func add(
    _ attribute: Attribute, _ path: String, _ layout: Layout, _ model: Model,
    to properties: inout [GraphProperty]
  ) {
    var named = attribute
    named.name = path
    func append(_ place: GraphProperty.Place) {
      properties.append(GraphProperty(name: path, property: .attribute(named), place: place))
    }
    if attribute.isTransient {
      append(.transient(named))
    } else if let column = layout.index(of: path) {
      append(.attribute(named, column: column))
    } else if let composite = model.composite(of: attribute) {
      append(.composite(named, parts: composite.attributes.map(\.name)))
      for part in composite.attributes {
        add(part, path + "." + part.name, layout, model, to: &properties)
      }
    }
  }

  private static func code(_ property: GraphProperty, _ index: Int, _ layout: Layout)
    -> PropertyCode
  {
    var code = PropertyCode(
      hash: PropertyHash.of(property.name), property: Int32(index), column: -1, form: .other,
      content: .other)
    switch property.place {
    case .attribute(let attribute, let column):
      code.column = Int32(column)
      code.content = PropertyCode.Content(layout.columns[column].kind)
      code.form = attribute.derivation == nil ? .attribute : .derived
    case .toOne(let toOne):
      code.column = Int32(toOne.column)
      code.form = toOne.isPlain ? .plainToOne : .toOne
    default: break
    }
    return code
  }
}

extension GraphEntity {
  /// Returns the error for a value that a property of an object can't have; `nil` if the value is valid.
  func refusal(of value: Value, for name: String, in object: ManagedObject) -> ContextError? {
    guard let property = self[name] else { return .unknownProperty(name, of: self) }
    switch property.place {
    case .attribute(let attribute, _), .transient(let attribute):
      if attribute.derivation != nil { return .derived(name, of: self) }
      return attribute.type.accepts(value) ? nil : .wrongType(value, attribute, of: self)
    case .toOne, .transientRelationship:
      guard let relationship = property.relationship, !relationship.isToMany else {
        return .notSingle(name, of: self)
      }
      return value.isNull || object.source.entity.destination(value, of: relationship) != nil
        ? nil : .wrongDestination(name, of: self)
    default: return .notSingle(name, of: self)
    }
  }
}
