import ObjectModel

/// A model with one of each part that the tool describes in words.
enum Sample {
  /// Two entities, a composite type, a configuration and a fetch request.
  static var model: Model {
    get throws {
      try Model(
        Model.Description(
          entities: [stop, trip],
          composites: [
            CompositeType(
              "Place",
              attributes: [Attribute("latitude", .double), Attribute("longitude", .double)])
          ],
          configurations: [Configuration("Places", entities: ["Stop"])],
          fetchRequestTemplates: [
            FetchRequestTemplate(
              "late", entity: "Trip", predicate: "start > $DATE",
              sortKeys: [.init("start", isAscending: false)], resultType: .count, fetchLimit: 5,
              fetchOffset: 2, fetchBatchSize: 10, flags: [.returnsDistinctResults])
          ],
          versionIdentifiers: ["Trips 1"]))
    }
  }

  private static let stop = Entity(
    "Stop", className: "TripStop",
    properties: [
      .attribute(Attribute("place", .composite, compositeName: "Place")),
      .attribute(
        Attribute(
          "name", .string, isOptional: false, defaultValue: .string("Nowhere"),
          validation: .init(minimum: .integer(1), maximum: .integer(80), pattern: "\\w+"),
          options: [.isIndexed], renamingIdentifier: "title", versionHashModifier: "2",
          userInfo: ["unit": "word"])),
      .attribute(
        Attribute(
          "picture", .transformable, valueTransformerName: "Shrink", valueClassName: "Picture",
          options: [.allowsExternalStorage])),
      .attribute(Attribute("seen", .boolean, isTransient: true)),
      .relationship(
        Relationship("trip", to: "Trip", inverse: "stops", isOptional: false)),
    ],
    uniquenessConstraints: [["name"]],
    fetchIndexes: [
      FetchIndex(
        "byName", elements: [.init("name", isAscending: false)], partialPredicate: "name != ''")
    ],
    compoundIndexes: [["name", "picture"]], userInfo: ["icon": "pin"])

  private static let trip = Entity(
    "Trip", isAbstract: true,
    properties: [
      .attribute(Attribute("start", .date)),
      .attribute(Attribute("count", .int64, derivation: .init("stops.@count"))),
      .relationship(
        Relationship(
          "stops", to: "Stop", inverse: "trip", count: .init(minimum: 0, maximum: 9),
          isOrdered: true,
          deleteRule: .cascade)),
      .fetched(
        FetchedProperty(
          "near", request: FetchRequestTemplate("", entity: "Stop", predicate: "trip == nil"))),
    ], versionHashModifier: "b")
}
