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

  @Test("A way over a version without an entity of both ends is refused", arguments: Kind.allCases)
  func detour(_ kind: Kind) throws {
    let lean = model(Entity("Trip", .number("size")))
    let new = model(
      Entity("Trip", .text("name"), .number("note"), .many("stops", "Stop", back: "trip")),
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

  @Test("A drop is counted, and refused unless it is allowed", arguments: Kind.allCases)
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

  @Test("Dropping an attribute without a value anywhere loses nothing", arguments: Kind.allCases)
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
    "A new store that its check refuses does not take the old one's place", arguments: Kind.allCases
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
}
