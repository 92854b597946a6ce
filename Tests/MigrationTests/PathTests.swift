import BinaryStore
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing
import XMLStore

/// Five versions of one model. Each version adds an attribute.
enum Versions {
  static let all: [KnownVersion] = (1...5).map { number in
    let numbers: [Property] = (1..<number).map { .number("n\($0)") }
    return KnownVersion(
      "V\(number)",
      model(Entity("Trip", properties: [.text("name")] + numbers)))
  }

  /// Returns a mapping that adds its versions to the name of each trip.
  static func written(_ from: Int, _ to: Int) throws -> MappingModel {
    try MappingModel(
      """
      map Trip -> Trip
        name = $source.name + ' \(from)>\(to)'
      """, from: all[from - 1].model, to: all[to - 1].model)
  }

  static func fill(_ context: ManagedObjectContext) throws {
    try context.insert("Trip")["name"] = .string("Lisbon")
  }
}

@Suite("The path from one version to another")
struct PathTests {
  /// Returns the names of the versions on a plan's path. An exclamation mark stands for a written mapping.
  func way(_ migrator: Migrator, from: Int, to: Int) throws -> String {
    let world = World(.binary)
    try world.make(Versions.all[from - 1].model, Versions.fill)
    let plan = try migrator.plan(
      forStoreAt: World.path, to: Versions.all[to - 1].model, in: world.places)
    return plan.steps.map { step in
      if case .written = step.means {
        "\(step.from.name)!\(step.to.name)"
      } else {
        "\(step.from.name)-\(step.to.name)"
      }
    }.joined(separator: " ")
  }

  @Test("The shortest path is taken, with written mappings before inferred ones")
  func shortest() throws {
    var migrator = Migrator(knowing: Versions.all)
    #expect(try way(migrator, from: 1, to: 5) == "V1-V5")
    migrator.mappings = [try Versions.written(1, 5)]
    #expect(try way(migrator, from: 1, to: 5) == "V1!V5")
    migrator.mappings = [try Versions.written(2, 3)]
    #expect(
      try way(migrator, from: 1, to: 5) == "V1-V2 V2!V3 V3-V5", "A mapping is not jumped over.")
    #expect(try way(migrator, from: 3, to: 5) == "V3-V5")
    migrator.mappings = [
      try Versions.written(1, 2), try Versions.written(2, 3), try Versions.written(3, 5),
    ]
    #expect(try way(migrator, from: 1, to: 5) == "V1!V2 V2!V3 V3!V5")
    migrator.infersMappings = false
    #expect(try way(migrator, from: 2, to: 5) == "V2!V3 V3!V5")
    #expect(throws: MigrationError.self) { try way(migrator, from: 4, to: 5) }
  }

  @Test(
    "Each version of a chain reaches the last version through all written mappings",
    arguments: Kind.allCases)
  func chain(_ kind: Kind) throws {
    var migrator = Migrator(knowing: Versions.all)
    migrator.infersMappings = false
    migrator.mappings = try (1...4).map { try Versions.written($0, $0 + 1) }
    for start in 1...5 {
      let world = World(kind)
      try world.make(Versions.all[start - 1].model, Versions.fill)
      try migrator.migrate(storeAt: World.path, to: Versions.all[4].model, in: world.places)
      let steps = (start..<5).map { " \($0)>\($0 + 1)" }.joined()
      #expect(try world.dump(Versions.all[4].model) == ["Trip name=Lisbon\(steps)"])
      #expect(try world.faults() == [])
      #expect(try world.files() == ["Trips.store"])
    }
  }

  @Test(
    "Properties that are renamed in each version keep their values", arguments: Kind.allCases
  )
  func renamedAgainAndAgain(_ kind: Kind) throws {
    let versions = ["a", "b", "c", "d"].enumerated().map { index, name in
      KnownVersion(
        "V\(index + 1)",
        model(
          Entity(
            "Trip", .text(name, was: index > 0 ? ["a", "b", "c"][index - 1] : nil))))
    }
    let world = World(kind)
    try world.make(versions[0].model) { try $0.insert("Trip")["a"] = .string("Lisbon") }
    // The first and the last version alone do not tell the former name of `d`.
    let direct = try Migrator().plan(
      forStoreAt: World.path, to: versions[3].model, in: world.places)
    #expect(direct.losses.map(\.description) == ["Trip.a is removed."])
    var migrator = Migrator(knowing: versions)
    migrator.stages = [.lightweight(versions)]
    let plan = try migrator.plan(forStoreAt: World.path, to: versions[3].model, in: world.places)
    #expect(plan.losses.isEmpty && plan.steps.count == 3 && !plan.rewrites)
    try migrator.migrate(storeAt: World.path, to: versions[3].model, in: world.places)
    #expect(try world.dump(versions[3].model) == ["Trip d=Lisbon"])
    #expect(try world.faults() == [])
  }

  @Test("A missing path is an error with the versions, their differences, and the reasons")
  func noWay() throws {
    let old = model(Entity("Trip", .text("name"), .number("cost", .date)))
    let new = model(Entity("Trip", .text("name"), .number("cost"), .text("code", required: true)))
    let world = World(.xml)
    try world.make(old, Versions.fill)
    let migrator = Migrator(
      knowing: [KnownVersion("Old", old), KnownVersion("Middle", Versions.all[1].model)])
    let error = #expect(throws: MigrationError.self) {
      try migrator.migrate(storeAt: World.path, to: new, in: world.places)
    }
    #expect(error?.code == .noPath)
    let words = try #require(error?.description)
    for part in [
      "\"Old\"", "\"Middle\"", "Trip.cost: type changed from Date to Integer 32",
      "Trip.code: added",
      "Trip.cost was of type Date and is of type Integer 32, which can't represent every value of type Date.",
      "Trip.code is new, must have a value, and has no default value.",
    ] { #expect(words.contains(part), "\(part) in \(words)") }
    #expect(try world.dump(old) == ["Trip name=Lisbon"], "The store is as it was.")
    #expect(try world.files() == ["Trips.store"])
  }

  @Test("All changes that can't be inferred are listed with their reasons")
  func reasons() throws {
    let old = model(
      Entity(
        "Trip", .text("name"), .number("what", .date), .number("wide", .double), .text("maybe"),
        .many("stops", "Stop", back: "trip"), .one("guide", "Guide"), .text("kind")),
      Entity("Stop", .one("trip", "Trip", back: "stops")), Entity("Guide", .text("name")),
      Entity("Other", .text("name")), Entity("Solid", .text("name")))
    var hollow = Entity("Solid", .text("name"))
    hollow.isAbstract = true
    let new = model(
      Entity(
        "Trip", .text("name"), .number("what", .uuid), .number("wide", .int16),
        .text("maybe", required: true), .one("stops", "Stop", back: "trip"), .one("guide", "Other"),
        .one("kind", "Other"), .one("must", "Other", required: true), .text("new", required: true)),
      Entity("Stop", .one("trip", "Trip", back: "stops")), Entity("Guide", .text("name")),
      Entity("Other", .text("name")), hollow)
    let problems = InferredMapping.problems(from: old, to: new).map(\.description)
    #expect(
      problems == [
        "Trip.what was of type Date and is of type UUID, which can't represent every value of type Date.",
        "Trip.wide was of type Double and is of type Integer 16, which can't represent every value of type Double.",
        "Trip.maybe must have a value now, and has no default value for objects without a value.",
        "Trip.stops was to-many and is to-one, and no mapping selects the object.",
        "Trip.guide referred to objects of \"Guide\" and refers to objects of \"Other\", which continues none of these objects.",
        "Trip.kind was an attribute and is a relationship.",
        "Trip.must is new and must refer to an object, and no mapping gives the object.",
        "Trip.new is new, must have a value, and has no default value.",
        "Solid is abstract now, and no entity continues its objects.",
      ])
    let error = #expect(throws: MigrationError.self) { try InferredMapping(from: old, to: new) }
    #expect(error?.code == .notInferable && error?.problems.count == 9)
  }

  @Test("A store without its model is opened with the known version that matches its hashes")
  func withoutModel() throws {
    let disk = World(.xml).disk
    var options = XMLStoreOptions()
    options.embedsModel = false
    let places = StorePlaces(
      StoreBackends([XMLStoreBackend(options: options), BinaryStoreBackend()]), on: disk)
    let coordinator = PersistentStoreCoordinator(model: Versions.all[1].model, places: places)
    let store = try coordinator.addStore(at: World.path, type: .xml)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    try Versions.fill(context)
    try context.save()
    try coordinator.remove(store)

    let error = #expect(throws: MigrationError.self) {
      try Migrator(knowing: [Versions.all[0], Versions.all[3]]).migrate(
        storeAt: World.path, to: Versions.all[4].model, in: places)
    }
    #expect(error?.code == .noPath)
    #expect(error?.message.contains("\"V1\": changed: Trip") ?? false)
    let plan = try Migrator(knowing: Versions.all).plan(
      forStoreAt: World.path, to: Versions.all[4].model, in: places)
    #expect(plan.from.name == "V2")
    try Migrator(knowing: Versions.all).migrate(
      storeAt: World.path, to: Versions.all[4].model, in: places)
    #expect(
      try places.metadata(at: World.path).versionHashes == Versions.all[4].model.versionHashes)
  }
}
