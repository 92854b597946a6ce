import ObjectModel

/// A model with one of each part, for tests that change one part at a time.
enum TripModel {
  static let address = CompositeType(
    "Address", attributes: [Attribute("street", .string), Attribute("city", .string)])

  static let place = Entity(
    "Place", isAbstract: true,
    properties: [
      .attribute(Attribute("name", .string, isOptional: false, defaultValue: .string(""))),
      .attribute(Attribute("address", .composite, compositeName: "Address")),
    ])

  static let trip = Entity(
    "Trip",
    properties: [
      .attribute(Attribute("name", .string, isOptional: false)),
      .attribute(Attribute("start", .date)),
      .attribute(Attribute("budget", .decimal)),
      .attribute(Attribute("days", .int16, validation: .init(minimum: .integer(1)))),
      .attribute(Attribute("note", .string, isTransient: true)),
      .attribute(Attribute("stopCount", .int64, derivation: .init("count:(stops)"))),
      .relationship(
        Relationship(
          "stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true,
          deleteRule: .cascade)),
    ],
    uniquenessConstraints: [["name", "start"], ["budget"]],
    fetchIndexes: [FetchIndex("byName", elements: [.init("name")])])

  static let stop = Entity(
    "Stop", superentity: "Place",
    properties: [
      .attribute(Attribute("photo", .binary, options: .allowsExternalStorage)),
      .relationship(Relationship("trip", to: "Trip", inverse: "stops", isOptional: false)),
    ])

  static let description = Model.Description(
    entities: [place, trip, stop], composites: [address],
    configurations: [Configuration("main", entities: ["Place", "Trip", "Stop"])],
    fetchRequestTemplates: [FetchRequestTemplate("all", entity: "Trip")],
    versionIdentifiers: ["1"])

  static func model(_ change: (inout Model.Description) -> Void = { _ in }) throws -> Model {
    var description = description
    change(&description)
    return try Model(description)
  }
}

extension Model.Description {
  /// The entity of the given name.
  ///
  /// - Precondition: The entity exists.
  subscript(name: String) -> Entity {
    get { entities.first { $0.name == name }! }
    set { entities[entities.firstIndex { $0.name == name }!] = newValue }
  }

  /// The attribute of the given name.
  ///
  /// - Precondition: The attribute exists.
  subscript(attribute name: String, of entity: String) -> Attribute {
    get { self[entity].attributes.first { $0.name == name }! }
    set { self[entity].replace(name, with: .attribute(newValue)) }
  }

  /// The relationship of the given name.
  ///
  /// - Precondition: The relationship exists.
  subscript(relationship name: String, of entity: String) -> Relationship {
    get { self[entity].relationships.first { $0.name == name }! }
    set { self[entity].replace(name, with: .relationship(newValue)) }
  }
}

extension Entity {
  fileprivate mutating func replace(_ name: String, with property: Property) {
    declaredProperties[declaredProperties.firstIndex { $0.name == name }!] = property
  }
}
