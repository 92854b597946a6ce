public import ObjectModel
public import Rows
public import StoreInterface

// The objects in the stores of the cases.
extension StoreConformance {
  /// The model of the cases: things with attributes of every type, and a subentity, owners and tags.
  public static let model = try! Model(entities: entities)

  /// The model with one more attribute, which comes before the others, and one more index.
  static let grownModel: Model = {
    var entities = StoreConformance.entities
    entities[0].declaredProperties.insert(.attribute(Attribute("added", .int32)), at: 0)
    entities[0].fetchIndexes.insert(FetchIndex("byLarge", elements: [.init("large")]), at: 0)
    return try! Model(entities: entities)
  }()

  private static let entities: [Entity] = {
    var thing = Entity("Thing")
    for (name, type) in [
      ("flag", AttributeType.boolean), ("small", .int16), ("medium", .int32), ("large", .int64),
      ("ratio", .float), ("real", .double), ("when", .date), ("money", .decimal),
      ("name", .string), ("link", .uri), ("bytes", .binary), ("token", .uuid),
    ] { thing.declaredProperties.append(.attribute(Attribute(name, type))) }
    thing.declaredProperties.append(
      .relationship(Relationship("owner", to: "Owner", inverse: "things")))
    thing.declaredProperties += [
      .relationship(Relationship("shelf", to: "Owner", inverse: "shelved")),
      .relationship(
        Relationship("tags", to: "Tag", inverse: "things", count: .toMany, isOrdered: true)),
      .relationship(Relationship("twins", to: "Thing", inverse: "twins", count: .toMany)),
    ]
    thing.fetchIndexes = [
      FetchIndex("byName", elements: [.init("name"), .init("large", isAscending: false)]),
      FetchIndex("byReal", elements: [.init("real")]),
      FetchIndex("byMoney", elements: [.init("money"), .init("name")]),
      FetchIndex("byWords", elements: [.init("name", kind: .fullText)]),
    ]
    var special = Entity("SpecialThing")
    special.superentity = "Thing"
    special.declaredProperties = [
      .attribute(Attribute("grade", .string, defaultValue: .string("none")))
    ]
    var owner = Entity("Owner")
    owner.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("token", .uuid)),
      .relationship(
        Relationship("things", to: "Thing", inverse: "owner", count: .toMany, deleteRule: .nullify)),
      .relationship(
        Relationship("shelved", to: "Thing", inverse: "shelf", count: .toMany, isOrdered: true)),
    ]
    var tag = Entity("Tag")
    tag.declaredProperties = [
      .attribute(Attribute("token", .uuid)),
      .relationship(Relationship("things", to: "Thing", inverse: "tags", count: .toMany)),
    ]
    return [thing, special, owner, tag]
  }()

  /// Objects as plain dictionaries, with which stores are compared.
  public typealias Objects = [ObjectKey: [String: Value]]

  /// Returns all objects and links of a snapshot.
  public static func objects(_ snapshot: any StoreSnapshot) throws -> Objects {
    try objects(snapshot.view, snapshot.schema)
  }

  /// Returns all objects and links of a view.
  static func objects(_ view: View, _ schema: Schema) throws -> Objects {
    var objects: Objects = [:]
    for layout in schema.layouts + schema.linkTables.map(\.layout) {
      for number in try view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        guard let row = try view.row(of: key) else { continue }
        objects[key] = try values(row, layout)
      }
    }
    return objects
  }

  /// Returns the values of a row by the names of their columns, without nulls.
  static func values(_ row: ViewRow, _ layout: Layout) throws -> [String: Value] {
    var values: [String: Value] = [:]
    for column in layout.columns {
      let value = try row.value(column)
      if !value.isNull { values[column.name] = value }
    }
    return values
  }
}

extension LayerBuilder {
  /// Sets the value of a property, by its name.
  public func set(
    _ value: Value, _ name: String, of key: ObjectKey, _ schema: Schema, basis: Int64 = 0
  ) {
    set(value, column: schema[key.entity]!.index(of: name)!, of: key, basis: basis)
  }
}

extension LayerBuilder {
  /// Removes all links of a snapshot.
  func removeLinks(of base: any StoreSnapshot) throws {
    for table in base.schema.linkTables {
      let entity = table.layout.entityNumber
      for number in try base.view.keys(ofEntity: entity) {
        remove(ObjectKey(entity: entity, number: number), basis: base.commit)
      }
    }
  }
}
