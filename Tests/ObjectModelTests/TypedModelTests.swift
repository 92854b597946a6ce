import Foundation
import ObjectModel
import Testing

private struct Trip: EntityType {
  let name = Attribute<String>("name").length(1...80)
  let start = Attribute<Date?>("start")
  let kind = Attribute<Kind>("kind", default: .leisure)
  let days = Attribute<Int16>("days", default: 1).bounded(1...365)
  let code = Attribute<String?>("code").matching("[A-Z]{3}").renamed(from: "shortName")
  let stopCount = Attribute<Int>("stopCount").derived(by: "count:(stops)")
  let stops = ToMany<Stop>("stops", inverse: \.trip, onDelete: .cascade).ordered()
  let firstStop = ToOne<Stop>("firstStop")
  let others = Fetched<Trip>("others", where: "name != $FETCH_SOURCE.name")
  let unique = Unique(\.name, \.start)
  let byStart = Index("byStart", \.start, \.name)
}

private struct Cruise: SubentityType {
  typealias Superentity = Trip
  let ship = Attribute<String>("ship", default: "")
  let byShip = Index("byShip", \.ship, \.name, isAscending: false)
}

private struct Stop: EntityType {
  let photo = Attribute<Data?>("photo").storedExternally().preservedOnDeletion()
  let trip = ToOne<Trip>("trip").required()
  // The two entities state each other's inverses; making one must not make the other for ever.
  let opens = ToOne<Trip>("opens", inverse: \.firstStop)
}

private struct Person: EntityType {
  static let entityName = "Human"
  static func describe(_ entity: inout Entity) {
    entity.isAbstract = true
    entity.userInfo = ["color": "red"]
  }
  let friends: ToMany<Person> = ToMany("friends", inverse: \.friends).count(0...9)
}

private enum Kind: String, AttributeValue {
  case leisure
  case work
}

@Suite("Models written in Swift")
struct TypedModelTests {
  private func model() throws -> Model {
    try Model(strict: true) {
      Trip.self
      Cruise.self
      Stop.self
      Person.self
      Configuration("trips", entities: ["Trip", "Cruise", "Stop"])
    }
  }

  @Test("Entity types say what the same parts written out say")
  func same() throws {
    let written = try Model(
      Model.Description(
        entities: [
          Entity(
            "Trip",
            properties: [
              .attribute(
                Attribute(
                  "name", .string, isOptional: false,
                  validation: .init(minimum: .integer(1), maximum: .integer(80)))),
              .attribute(Attribute("start", .date)),
              .attribute(
                Attribute("kind", .string, isOptional: false, defaultValue: .string("leisure"))),
              .attribute(
                Attribute(
                  "days", .int16, isOptional: false, defaultValue: .integer(1),
                  validation: .init(minimum: .integer(1), maximum: .integer(365)))),
              .attribute(
                Attribute(
                  "code", .string, validation: .init(pattern: "[A-Z]{3}"),
                  renamingIdentifier: "shortName")),
              .attribute(
                Attribute(
                  "stopCount", .int64, isOptional: false, derivation: .init("count:(stops)"))),
              .relationship(
                Relationship(
                  "stops", to: "Stop", inverse: "trip", inverseEntity: "Stop", count: .toMany,
                  isOrdered: true, deleteRule: .cascade)),
              .relationship(
                Relationship("firstStop", to: "Stop", inverse: "opens", inverseEntity: "Stop")),
              .fetched(
                FetchedProperty(
                  "others",
                  request: FetchRequestTemplate(
                    "others", entity: "Trip", predicate: "name != $FETCH_SOURCE.name"))),
            ],
            uniquenessConstraints: [["name", "start"]],
            fetchIndexes: [FetchIndex("byStart", elements: [.init("start"), .init("name")])]),
          Entity(
            "Cruise", superentity: "Trip",
            properties: [
              .attribute(
                Attribute("ship", .string, isOptional: false, defaultValue: .string("")))
            ],
            fetchIndexes: [
              FetchIndex(
                "byShip",
                elements: [
                  .init("ship", isAscending: false), .init("name", isAscending: false),
                ])
            ]),
          Entity(
            "Stop",
            properties: [
              .attribute(
                Attribute(
                  "photo", .binary, options: [.allowsExternalStorage, .preservesValueOnDeletion])),
              .relationship(
                Relationship(
                  "trip", to: "Trip", inverse: "stops", inverseEntity: "Trip",
                  count: .init(minimum: 1, maximum: 1), isOptional: false)),
              .relationship(
                Relationship("opens", to: "Trip", inverse: "firstStop", inverseEntity: "Trip")),
            ]),
          Entity(
            "Human", isAbstract: true,
            properties: [
              .relationship(
                Relationship(
                  "friends", to: "Human", inverse: "friends", inverseEntity: "Human",
                  count: .init(minimum: 0, maximum: 9)))
            ],
            userInfo: ["color": "red"]),
        ],
        configurations: [Configuration("trips", entities: ["Trip", "Cruise", "Stop"])]))

    let model = try model()

    #expect(ModelDifference(from: written, to: model).description == "")
    #expect(model == written)
  }

  @Test("Keys tell their names, inherited ones too")
  func keys() {
    #expect(Trip().stops.name == "stops")
    #expect(Cruise().name.name == "name")
    #expect(Cruise()[keyPath: \.stops].relationship.destination == "Stop")
  }

  @Test("What the compiler cannot check is checked when the model is made")
  func faults() {
    let error = #expect(throws: ModelError.self) {
      try Model { Trip.self }
    }

    #expect(error?.faults.contains { $0.code == .unknownDestination } == true)
  }

  @Test("Parts may depend on conditions and loops")
  func conditions() throws {
    func names(_ isComplete: Bool) throws -> [String] {
      let model = try Model {
        if isComplete { Person.self } else { Entity("Nobody") }
        for number in 0..<2 { Entity("E\(number)") }
        if isComplete { CompositeType("Pair", attributes: []) }
        FetchRequestTemplate("all", entity: "E0")
      }
      return model.entities.map(\.name)
    }

    #expect(try names(true) == ["Human", "E0", "E1"])
    #expect(try names(false) == ["Nobody", "E0", "E1"])
  }

  @Test("Values go to rows and back, and nothing else comes back")
  func values() throws {
    func check<T: AttributeValue & Equatable>(_ value: T, _ stored: Value) {
      #expect(value.storedValue == stored)
      #expect(T(storedValue: stored) == value)
      #expect(T.attributeType.accepts(stored))
      #expect(T(storedValue: .object(ObjectKey(rawValue: 1))) == nil)
    }
    let uuid = UUID()
    check(true, .boolean(true))
    check(Int16.min, .integer(-32_768))
    check(Int32.max, .integer(2_147_483_647))
    check(Int64.min, .integer(.min))
    check(7, .integer(7))
    check(Decimal(string: "1.1")!, .decimal(Decimal(string: "1.1")!))
    check(1.5, .double(1.5))
    check(Float(1.5), .float(1.5))
    check("x", .string("x"))
    check(Date(timeIntervalSinceReferenceDate: 1), .date(Date(timeIntervalSinceReferenceDate: 1)))
    check(Data([1]), .binary(Data([1])))
    check(uuid, .uuid(uuid))
    check(try #require(URL(string: "https://example.com/a?b")), .uri("https://example.com/a?b"))
    check(Kind.work, .string("work"))
    check(Int?.some(7), .integer(7))
    check(Int?.none, .null)
    #expect(Int16(storedValue: .integer(40_000)) == nil)
    #expect(Kind(storedValue: .string("sleep")) == nil)
    #expect(Int(storedValue: .null) == nil)
  }
}
