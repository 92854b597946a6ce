import Foundation
import ObjectModel

/// A model with every part that a model can have, in an order that differs from every sorted order.
enum EverythingModel {
  static let description = Model.Description(
    entities: [trip, stop, place, train],
    composites: [
      CompositeType(
        "Spot",
        attributes: [
          Attribute("north", .double, isOptional: false, defaultValue: .double(-0.5)),
          Attribute("east", .double),
        ]),
      CompositeType(
        "Address",
        attributes: [
          Attribute("street", .string, validation: .init(maximum: .integer(80))),
          Attribute("spot", .composite, compositeName: "Spot"),
        ]),
    ],
    configurations: [
      Configuration("Remote", entities: ["Stop", "Place", "Trip", "Train"]),
      Configuration("Empty", entities: []),
    ],
    fetchRequestTemplates: requests, versionIdentifiers: ["two", "one"])

  private static let place = Entity(
    "Place", className: "Places.Place", isAbstract: true,
    properties: [
      .attribute(Attribute("name", .string, isOptional: false, defaultValue: .string(""))),
      .relationship(
        Relationship("visits", to: "Trip", inverse: "places", count: .toMany, deleteRule: .deny)),
    ])

  private static let train = Entity("Train", superentity: "Stop")

  private static let stop = Entity(
    "Stop", superentity: "Place",
    properties: [
      .attribute(Attribute("home", .composite, compositeName: "Address")),
      .relationship(
        Relationship(
          "trip", to: "Trip", inverse: "stops", inverseEntity: "Trip", isOptional: false,
          versionHashModifier: "r", userInfo: ["to": "one"])),
    ], renamingIdentifier: "Halt")

  private static let trip = Entity(
    "Trip", className: "Trip",
    properties: attributes.map { .attribute($0) } + [
      .relationship(
        Relationship(
          "stops", to: "Stop", inverse: "trip", inverseEntity: "Stop",
          count: .init(minimum: 1, maximum: 90), isOrdered: true, deleteRule: .cascade)),
      .relationship(
        Relationship(
          "places", to: "Stop", inverse: "visits", inverseEntity: "Place", count: .toMany,
          deleteRule: .noAction, renamingIdentifier: "spots")),
      .relationship(Relationship("scratch", to: "Trip", count: .toMany, isTransient: true)),
      .fetched(
        FetchedProperty(
          "namesakes",
          request: FetchRequestTemplate(
            "likeMe", entity: "Trip", predicate: "name == $FETCH_SOURCE.name AND SELF != nil",
            sortKeys: [.init("start", isAscending: false), .init("name", selector: "caseSort:")]),
          renamingIdentifier: "others", versionHashModifier: "f", userInfo: ["a": "b"])),
      .fetched(
        FetchedProperty(
          "all", request: FetchRequestTemplate("allFetchRequest", entity: "Place"),
          isOptional: false)),
    ],
    uniquenessConstraints: [["name", "start"], ["key"]],
    fetchIndexes: [
      FetchIndex("second", elements: [.init("start", isAscending: false), .init("name")]),
      FetchIndex(
        "first", elements: [.init("name", kind: .fullText), .init("length", kind: .rTree)],
        partialPredicate: "lowercase:(name) BEGINSWITH \"a\""),
      FetchIndex("third", elements: [.init("key")], partialPredicate: "length > 3"),
      FetchIndex(
        "third",
        elements: [
          .init("expression0", expression: "lowercase:(name)"), .init("key"),
          .init("expression1", expression: "", isAscending: false),
          .init("expression7", expression: "length + 1"),
        ]),
    ],
    compoundIndexes: [["start", "name"], ["self", "entity"]], versionHashModifier: "m",
    userInfo: ["z": "1", "a": "ü"])

  private static let attributes: [Attribute] = [
    Attribute(
      "name", .string, isOptional: false, defaultValue: .string("new"),
      validation: .init(minimum: .integer(1), maximum: .integer(40), pattern: "[a-z\\\\ ]*"),
      options: [.isIndexed, .isIndexedBySpotlight, .preservesValueOnDeletion],
      renamingIdentifier: "title", versionHashModifier: "n", userInfo: ["k": "v"]),
    Attribute(
      "start", .date, defaultValue: .date(Date(timeIntervalSinceReferenceDate: 1.25)),
      validation: .init(
        minimum: .date(Date(timeIntervalSinceReferenceDate: 0)),
        maximum: .date(Date(timeIntervalSinceReferenceDate: 1e9)))),
    Attribute(
      "days", .int16, defaultValue: .integer(-3), validation: .init(minimum: .integer(-9))),
    Attribute("seats", .int32, validation: .init(maximum: .integer(.init(Int32.max)))),
    Attribute("length", .int64, defaultValue: .integer(.min)),
    Attribute(
      "budget", .decimal, defaultValue: .decimal(Decimal(string: "-1234.50")!),
      validation: .init(minimum: .decimal(Decimal(string: "-1e30")!))),
    Attribute(
      "born", .date, defaultValue: .date(Date(timeIntervalSinceReferenceDate: 86_400 * 9_000)),
      validation: .init(
        minimum: .date(Date(timeIntervalSinceReferenceDate: -86_400)), precision: .day)),
    Attribute(
      "price", .decimal, defaultValue: .decimal(Decimal(string: "30676.20")!),
      validation: .init(precision: .places(2)), userInfo: ["quire.day": "YES", "k": "v"]),
    Attribute(
      "height", .double, defaultValue: .double(0.1), validation: .init(maximum: .double(9))),
    Attribute("weight", .float, defaultValue: .float(0.1), validation: .init(minimum: .float(0.1))),
    Attribute("isDone", .boolean, isOptional: false, defaultValue: .boolean(false)),
    Attribute("isOpen", .boolean, isOptional: false, defaultValue: .boolean(true)),
    Attribute(
      "photo", .binary, defaultValue: .binary(Data([0, 255])), options: .allowsExternalStorage),
    Attribute(
      "key", .uuid,
      defaultValue: .uuid(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF")!)),
    Attribute("page", .uri, defaultValue: .uri("https://example.org/a b")),
    Attribute(
      "shade", .transformable, defaultValue: .binary(Data([7])),
      valueTransformerName: "ShadeTransformer", valueClassName: "Shade",
      options: [.isStoredInTruthFile, .allowsCloudEncryption]),
    Attribute("tint", .transformable),
    Attribute("home", .composite, compositeName: "Address", userInfo: ["c": "d"]),
    Attribute("work", .composite, compositeName: "Address"),
    Attribute("note", .undefined, isTransient: true, defaultValue: .string("?")),
    Attribute("count", .undefined, isTransient: true, defaultValue: .integer(4)),
    Attribute("owner", .objectID, isTransient: true),
    Attribute("odd", .string, valueClassName: "OddString"),
    Attribute("saved", .date, derivation: .init("now()")),
    Attribute("plainName", .string, derivation: .init("canonical:(name)")),
    Attribute("loudName", .string, derivation: .init("uppercase:( name )")),
    Attribute("copy", .string, derivation: .init("name")),
    Attribute("stopCount", .int64, derivation: .init("stops.@count", filter: "name == \"a\"")),
    Attribute(
      "placeCount", .int64, derivation: .init("count:(places)", filter: "ANY visits.days > 1")),
    Attribute("northmost", .double, derivation: .init("max:(stops.home.spot.north)")),
  ]

  private static let requests = [
    FetchRequestTemplate(
      "Z", entity: "Trip", predicate: "name IN $NAMES OR NOT (days BETWEEN {1, 2})",
      fetchLimit: 7, fetchOffset: 2, fetchBatchSize: 20),
    FetchRequestTemplate(
      "A", entity: "Stop", predicate: "SUBQUERY(visits, $v, $v.days > 1).@count > 0",
      resultType: .dictionaries, flags: [.returnsDistinctResults, .returnsObjectsAsFaults]),
    FetchRequestTemplate("M", entity: "Stop", resultType: .dictionaries, flags: []),
    FetchRequestTemplate("I", entity: "Place", resultType: .identifiers),
    FetchRequestTemplate("C", entity: "Place", resultType: .count, flags: .includesSubentities),
  ]
}
