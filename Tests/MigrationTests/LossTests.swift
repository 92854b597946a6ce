import BinaryStore
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing
import Validation

@Suite("Migrations that would lose or break objects")
struct LossTests {
  private static let old = model(
    Entity("Trip", .text("name"), .text("note"), .many("stops", "Stop", back: "trip")),
    Entity("Stop", .text("name"), .one("trip", "Trip", back: "stops")))

  private func fill(_ context: ManagedObjectContext) throws {
    try Change.tripsAndStops(context)
    for trip in try context.fetch(FetchRequest("Trip")) { trip["note"] = .string("kept") }
  }

  @Test(
    "A path is refused if a version in between lacks an entity that both ends have",
    arguments: Kind.allCases)
  func detour(_ kind: Kind) throws {
    let lean = model(Entity("Trip", .number("size")))
    let new = model(
      Entity(
        "Trip", .text("name"), .number("note"), .text("code", required: true),
        .many("stops", "Stop", back: "trip")),
      Entity("Stop", .text("name"), .one("trip", "Trip", back: "stops")))
    let world = World(kind)
    try world.make(LossTests.old, fill)
    let before = try world.disk.read(World.path, byteLimit: 1 << 22)
    var migrator = Migrator(knowing: [
      KnownVersion("Old", LossTests.old), KnownVersion("Lean", lean), KnownVersion("New", new),
    ])
    for allowsLoss in [false, true] {
      migrator.allowsLoss = allowsLoss
      let error = #expect(throws: MigrationError.self) {
        try migrator.migrate(storeAt: World.path, to: new, in: world.places)
      }
      #expect(error?.code == .noPath)
      let words = error?.description ?? ""
      #expect(words.contains("\"Old\" to \"Lean\" would lose Stop"), "\(words)")
      #expect(words.contains("The step from \"Old\" to \"New\" can't be inferred"), "\(words)")
    }
    #expect(try world.disk.read(World.path, byteLimit: 1 << 22) == before)
  }

  @Test(
    "A number that the new type can't represent exactly counts as a drop", arguments: Kind.allCases)
  func inexact(_ kind: Kind) throws {
    let steps = [AttributeType.int64, .double, .float].map { type in
      model(Entity("Trip", .text("name"), .number("count", type), .number("size", .decimal)))
    }
    let versions = steps.enumerated().map { KnownVersion("V\($0 + 1)", $1) }
    let world = World(kind)
    try world.make(steps[0]) { context in
      // The first number is exact as a double only, the second as neither type, the third as both.
      for count in [16_777_217, 9_007_199_254_740_993, 5] {
        try context.insert("Trip")["count"] = .integer(Int64(count))
      }
    }
    let direct = try Migrator().plan(forStoreAt: World.path, to: steps[1], in: world.places)
    #expect(direct.drops.map(\.description) == ["Trip.count: in 1 object"])
    #expect(!direct.description.contains("Nothing is lost"))
    var migrator = Migrator(stages: [.lightweight(versions)])
    let plan = try migrator.plan(forStoreAt: World.path, to: steps[2], in: world.places)
    #expect(plan.drops.map(\.description) == ["Trip.count: in 2 objects"])
    let error = #expect(throws: MigrationError.self) {
      try migrator.migrate(storeAt: World.path, to: steps[2], in: world.places)
    }
    #expect(error?.code == .wouldLose)
    #expect(try world.dump(steps[0]).count == 3)

    migrator.allowsLoss = true
    try migrator.migrate(storeAt: World.path, to: steps[2], in: world.places)

    let counts = try world.read(steps[2]) { context in
      try context.fetch(FetchRequest("Trip", sortedBy: [SortKey("count")])).map { $0["count"] }
    }
    #expect(counts == [.float(5), .float(16_777_216), .float(9_007_199_254_740_992)])
  }

  @Test(
    "A text becomes a value of another type, and a text that is none counts as a drop",
    arguments: Kind.allCases)
  func texts(_ kind: Kind) throws {
    func version(_ types: [AttributeType]) -> Model {
      model(
        Entity(
          "Trip",
          .text("name"), .number("start", types[0]), .number("count", types[1]),
          .number("price", types[2]), .number("open", types[3])))
    }
    let old = version([.string, .string, .string, .string])
    let new = version([.date, .int16, .decimal, .boolean])
    let world = World(kind)
    try world.make(old) { context in
      for (name, texts) in [
        ("Lisbon", ["2026-05-01", "12", "1.50", "true"]),
        ("Rome", ["1 May 2026", "40000", "1,50", "false"]), ("Oslo", []),
      ] {
        let trip = try context.insert("Trip")
        trip["name"] = .string(name)
        for (key, text) in zip(["start", "count", "price", "open"], texts) {
          trip[key] = .string(text)
        }
      }
    }
    var migrator = Migrator()
    let plan = try migrator.plan(forStoreAt: World.path, to: new, in: world.places)
    #expect(
      plan.drops.map(\.description) == [
        "Trip.count: in 1 object", "Trip.price: in 1 object", "Trip.start: in 1 object",
      ])
    let error = #expect(throws: MigrationError.self) {
      try migrator.migrate(storeAt: World.path, to: new, in: world.places)
    }
    #expect(error?.code == .wouldLose)

    migrator.allowsLoss = true
    try migrator.migrate(storeAt: World.path, to: new, in: world.places)

    let after = try world.dump(new)
    #expect(after.count == 3 && after.contains { $0.contains("count=12") }, "\(after)")
    #expect(after.contains { $0.contains("Rome") && !$0.contains("count=") }, "\(after)")
    // Each value has a text again.
    let texts = version([.string, .string, .string, .string])
    let back = try Migrator().plan(forStoreAt: World.path, to: texts, in: world.places)
    #expect(back.drops.isEmpty)
    try Migrator().migrate(storeAt: World.path, to: texts, in: world.places)
    let all = try world.dump(texts)
    #expect(
      all.contains { $0.contains("2026-05-01T00:00:00Z") && $0.contains("1.5") }, "\(all)")
  }

  @Test("Dropped values are counted, and refused unless allowed", arguments: Kind.allCases)
  func drops(_ kind: Kind) throws {
    let new = model(Entity("Trip", .text("name")))
    let world = World(kind)
    try world.make(LossTests.old, fill)
    let before = try world.disk.read(World.path, byteLimit: 1 << 22)
    var migrator = Migrator()
    let plan = try migrator.plan(forStoreAt: World.path, to: new, in: world.places)
    #expect(plan.drops.map(\.description) == ["Trip.note: in 2 objects", "Stop: 4 objects"])
    let error = #expect(throws: MigrationError.self) {
      try migrator.migrate(storeAt: World.path, to: new, in: world.places)
    }
    #expect(error?.code == .wouldLose)
    #expect(try world.disk.read(World.path, byteLimit: 1 << 22) == before)
    let coordinator = PersistentStoreCoordinator(model: new, places: world.places)
    #expect(throws: MigrationError.self) {
      try coordinator.addStore(at: World.path, migrator: Migrator.automatic)
    }
    #expect(try world.disk.read(World.path, byteLimit: 1 << 22) == before)
    migrator.allowsLoss = true
    try migrator.migrate(storeAt: World.path, to: new, in: world.places)
    #expect(try world.dump(new) == ["Trip name=Lisbon", "Trip name=Rome"])
  }

  @Test("Dropping an attribute without values loses nothing", arguments: Kind.allCases)
  func emptyDrop(_ kind: Kind) throws {
    let world = World(kind)
    try world.make(
      model(Entity("Trip", .text("name"), .text("note"))), Change.trips)
    let new = model(Entity("Trip", .text("name")))
    try Migrator().migrate(storeAt: World.path, to: new, in: world.places)
    #expect(try world.dump(new) == ["Trip name=Lisbon", "Trip name=Rome"])
  }

  @Test("Values that break a tightened rule are counted and refused", arguments: Kind.allCases)
  func invalid(_ kind: Kind) throws {
    func version(_ length: Int64) -> Model {
      model(
        Entity(
          "Trip",
          .attribute(
            Attribute(
              "name", .string, validation: Attribute.Validation(maximum: .integer(length)))),
          .attribute(Attribute("note", .string, versionHashModifier: "\(length)"))))
    }
    let world = World(kind)
    try world.make(version(200)) { context in
      try context.insert("Trip")["name"] = .string(String(repeating: "a", count: 150))
      try context.insert("Trip")["name"] = .string("short")
    }
    let before = try world.disk.read(World.path, byteLimit: 1 << 22)
    var migrator = Migrator()
    let plan = try migrator.plan(forStoreAt: World.path, to: version(100), in: world.places)
    #expect(plan.violations.count == 1)
    #expect(plan.description.contains("Trip.name: 1, for example"), "\(plan)")
    let error = #expect(throws: MigrationError.self) {
      try migrator.migrate(storeAt: World.path, to: version(100), in: world.places)
    }
    #expect(error?.code == .invalidResult)
    #expect(try world.disk.read(World.path, byteLimit: 1 << 22) == before)
    migrator.allowsInvalid = true
    try migrator.migrate(storeAt: World.path, to: version(100), in: world.places)
    #expect(try world.dump(version(100)).count == 2)
  }

  @Test(
    "A new store that fails its check does not replace the old one", arguments: Kind.allCases
  )
  func refusedResult(_ kind: Kind) throws {
    struct Refusal: Error {}
    let world = World(kind)
    try world.make(
      model(Entity("Trip", .text("name"), .number("size", .int16))), Change.trips)
    let new = model(Entity("Trip", .text("name"), .number("size", .decimal)))
    let before = try world.disk.read(World.path, byteLimit: 1 << 22)
    var migrator = Migrator()
    let looked = Mutex(0)
    let disk = world.disk
    migrator.checksResult = { path in
      looked.withLock { $0 += 1 }
      #expect(path != World.path)
      #expect(try Validator().validate(path, on: disk).verdict == .valid)
      throw Refusal()
    }
    #expect(throws: Refusal.self) {
      try migrator.migrate(
        storeAt: World.path, to: new, as: kind == .xml ? .binary : .xml, in: world.places)
    }
    #expect(looked.withLock { $0 } == 1)
    #expect(try world.disk.read(World.path, byteLimit: 1 << 22) == before)
    #expect(try disk.list("/").filter { $0.name.hasPrefix(".") }.isEmpty)
  }

  @Test(
    "An index over a widened attribute is valid and finds objects", arguments: Kind.allCases,
    [AttributeType.int32, .int64, .decimal])
  func widenedIndex(_ kind: Kind, _ wide: AttributeType) throws {
    func version(_ type: AttributeType) -> Model {
      var entity = Entity("Trip", .text("name"), .number("size", type))
      entity.fetchIndexes = [
        FetchIndex("bySize", elements: [FetchIndex.Element("size")])
      ]
      return model(entity)
    }
    let world = World(kind)
    try world.make(version(.int16)) { context in
      for number in -1500...1500 {
        let trip = try context.insert("Trip")
        trip["name"] = .string("\(number)")
        trip["size"] = .integer(Int64(number))
      }
    }
    let request = FetchRequest("Trip", where: try QueryPredicate("size < -1490"))
    #expect(try world.read(version(.int16)) { try $0.count(for: request) } == 10)
    try Migrator().migrate(storeAt: World.path, to: version(wide), in: world.places)
    #expect(try world.faults() == [])
    #expect(try world.read(version(wide)) { try $0.count(for: request) } == 10)
  }

  /// A change that removes a part of a property's values while the property stays.
  struct PartialLoss: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let old: Model
    let new: Model
    let drops: [String]
    let fill: @Sendable (ManagedObjectContext) throws -> Void
  }

  static let partialLosses: [PartialLoss] = [
    PartialLoss(
      testDescription: "a one-to-many relationship loses its order",
      old: model(
        Entity("Trip", .text("name"), .many("stops", "Stop", back: "trip", ordered: true)),
        Entity("Stop", .text("name"), .one("trip", "Trip", back: "stops"))),
      new: model(
        Entity("Trip", .text("name"), .many("stops", "Stop", back: "trip")),
        Entity("Stop", .text("name"), .one("trip", "Trip", back: "stops"))),
      drops: ["Trip.stops: the order in 1 object"], fill: Change.stopsInOrder),
    PartialLoss(
      testDescription: "a many-to-many relationship loses its order",
      old: model(
        Entity("Trip", .text("name"), .many("tags", "Tag", back: "trips", ordered: true)),
        Entity("Tag", .text("name"), .many("trips", "Trip", back: "tags"))),
      new: model(
        Entity("Trip", .text("name"), .many("tags", "Tag", back: "trips")),
        Entity("Tag", .text("name"), .many("trips", "Trip", back: "tags"))),
      drops: ["Trip.tags: the order in 2 objects"]
    ) { context in
      let tags = try ["a", "b"].map { _ in try context.insert("Tag") }
      for count in [2, 2, 1] {
        try context.insert("Trip").setObjects(Array(tags.prefix(count)), forKey: "tags")
      }
    },
    PartialLoss(
      testDescription: "a relationship leads to fewer entities",
      old: model(
        Entity("Trip", .many("places", "Place", back: "trip"), .one("start", "Place")),
        Entity("Place", .text("name"), .one("trip", "Trip", back: "places")),
        Entity("Museum", .text("prize"), parent: "Place")),
      new: model(
        Entity("Trip", .many("places", "Place", back: "trip"), .one("start", "Museum")),
        Entity("Place", .text("name"), .one("trip", "Trip", back: "places")),
        Entity("Museum", .text("prize"), parent: "Place")),
      drops: ["Trip.start: in 2 objects"]
    ) { context in
      let place = try context.insert("Place")
      let museum = try context.insert("Museum")
      for target in [place, place, museum] {
        try context.insert("Trip").setObjects([target], forKey: "start")
      }
    },
    PartialLoss(
      testDescription: "a composite attribute loses a part",
      old: model(
        Entity("Trip", .attribute(Attribute("place", .composite, compositeName: "Place"))),
        composites: [
          CompositeType(
            "Place", attributes: [Attribute("street", .string), Attribute("city", .string)])
        ]),
      new: model(
        Entity("Trip", .attribute(Attribute("place", .composite, compositeName: "Place"))),
        composites: [CompositeType("Place", attributes: [Attribute("city", .string)])]),
      drops: ["Trip.place.street: in 1 object"]
    ) { context in
      try context.insert("Trip").setValues(["place.city": .string("Lisbon")])
      try context.insert("Trip").setValues(["place.street": .string("Rua A")])
    },
  ]

  @Test(
    "Values that a kept property would lose are counted, and refused unless allowed",
    arguments: Kind.allCases, partialLosses)
  func partialLoss(_ kind: Kind, _ change: PartialLoss) throws {
    let world = World(kind)
    try world.make(change.old, change.fill)
    let before = try world.disk.read(World.path, byteLimit: 1 << 22)
    var migrator = Migrator()

    let plan = try migrator.plan(forStoreAt: World.path, to: change.new, in: world.places)
    let error = #expect(throws: MigrationError.self) {
      try migrator.migrate(storeAt: World.path, to: change.new, in: world.places)
    }

    #expect(plan.drops.map(\.description) == change.drops)
    #expect(error?.code == .wouldLose)
    #expect(try world.disk.read(World.path, byteLimit: 1 << 22) == before)
    migrator.allowsLoss = true
    try migrator.migrate(storeAt: World.path, to: change.new, in: world.places)
    #expect(try world.faults() == [])
  }

  @Test(
    "Dropping the order of relationships with at most one object loses nothing",
    arguments: Kind.allCases)
  func shortOrder(_ kind: Kind) throws {
    let change = LossTests.partialLosses[1]
    let world = World(kind)
    try world.make(change.old) { context in
      try context.insert("Trip").setObjects([try context.insert("Tag")], forKey: "tags")
    }

    try Migrator().migrate(storeAt: World.path, to: change.new, in: world.places)

    #expect(try world.faults() == [])
  }

  @Test("A path is refused if a version in between loses an order that both ends have")
  func orderDetour() throws {
    func version(ordered: Bool, _ more: Property...) -> Model {
      let trip: [Property] = [
        .text("name"), .many("stops", "Stop", back: "trip", ordered: ordered),
      ]
      return model(
        Entity("Trip", superentity: nil, properties: trip + more),
        Entity("Stop", .text("name"), .one("trip", "Trip", back: "stops")))
    }
    let old = version(ordered: true)
    let lean = version(ordered: false, .text("code", required: true, standard: "none"))
    let new = version(ordered: true, .text("code", required: true))
    let world = World(.binary)
    try world.make(old, Change.stopsInOrder)
    let migrator = Migrator(knowing: [
      KnownVersion("Old", old), KnownVersion("Lean", lean), KnownVersion("New", new),
    ]).allowingLoss

    let error = #expect(throws: MigrationError.self) {
      try migrator.migrate(storeAt: World.path, to: new, in: world.places)
    }

    #expect(error?.code == .noPath)
    let words = error?.description ?? ""
    #expect(
      words.contains("\"Old\" to \"Lean\" would lose the order of Trip.stops"), "\(words)")
  }

  @Test(
    "Objects that no condition of a mapping selects are counted, and refused unless allowed")
  func leftOut() throws {
    let old = model(Entity("Trip", .text("name"), .number("size")))
    let new = model(Entity("Tour", .text("name")), Entity("Walk", .text("name")))
    let mapping = try MappingModel(
      """
      map Trip -> Tour
        where size > 10
      map Trip -> Walk
        where size < 5
      """, from: old, to: new)
    let world = World(.binary)
    try world.make(old) { context in
      for size in [Int64?.none, 1, 4, 7, 12] {
        try context.insert("Trip")["size"] = size.map { .integer($0) } ?? .null
      }
    }
    let before = try world.disk.read(World.path, byteLimit: 1 << 22)
    let migrator = Migrator(mappings: [mapping])

    let plan = try migrator.plan(forStoreAt: World.path, to: new, in: world.places)
    let error = #expect(throws: MigrationError.self) {
      try migrator.migrate(storeAt: World.path, to: new, in: world.places)
    }

    #expect(plan.drops.map(\.description).contains("Trip: 2 objects"), "\(plan.drops)")
    #expect(error?.code == .wouldLose)
    #expect(try world.disk.read(World.path, byteLimit: 1 << 22) == before)
    try migrator.allowingLoss.migrate(storeAt: World.path, to: new, in: world.places)
    #expect(try world.dump(new).count == 3)
  }
}
