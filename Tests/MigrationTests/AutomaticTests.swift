import Foundation
import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Stores that are migrated when a coordinator adds them")
struct AutomaticTests {
  @Test(
    "A coordinator migrates a store of another version or of another type",
    arguments: Kind.allCases)
  func automatic(_ kind: Kind) throws {
    let world = World(kind)
    try world.make(Versions.all[0].model, Versions.fill)
    let new = Versions.all[2].model
    let coordinator = PersistentStoreCoordinator(model: new, places: world.places)
    let refused = #expect(throws: ContextError.self) { try coordinator.addStore(at: World.path) }
    #expect(refused?.code == .incompatibleModel)
    let readOnly = #expect(throws: ContextError.self) {
      try coordinator.addStore(at: World.path, readOnly: true, migrator: Migrator.automatic)
    }
    #expect(readOnly?.code == .incompatibleModel)
    let store = try coordinator.addStore(at: World.path, migrator: Migrator.automatic)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    #expect(try World.dump(context) == ["Trip name=Lisbon"])
    try coordinator.remove(store)

    // The same test with another type.
    let type: StoreType = kind == .xml ? .compressed : .xml
    let container = try PersistentContainer(
      Versions.all[3].model, at: World.path, type: type, places: world.places,
      migrator: Migrator.automatic)
    let other = container.newBackgroundContext()
    let found = try other.performAndWait { try other.count(for: FetchRequest("Trip")) }
    #expect(found == 1)
    #expect(try world.metadata().type == type)

    // An impossible migration is refused with the reasons.
    let impossible = model(
      Entity("Trip", .number("name", .date), .text("code", required: true)))
    let last = PersistentStoreCoordinator(model: impossible, places: world.places)
    let error = #expect(throws: MigrationError.self) {
      try last.addStore(at: World.path, migrator: Migrator.automatic)
    }
    #expect(error?.code == .noPath)
    #expect(last.stores.isEmpty, "Nothing is added silently.")
  }

  @Test("A store of a configuration is migrated with its entities only", arguments: Kind.allCases)
  func configurations(_ kind: Kind) throws {
    func version(_ number: Int) throws -> Model {
      try Model(
        Model.Description(
          entities: [
            Entity(
              "Trip", properties: [.text("name")] + (1..<number).map { .number("n\($0)") }),
            Entity("Setting", .text("name")),
          ],
          configurations: [
            Configuration("Main", entities: ["Trip"]),
            Configuration("Settings", entities: ["Setting"]),
          ]))
    }
    let world = World(kind)
    let old = PersistentStoreCoordinator(model: try version(1), places: world.places)
    for (path, name) in [("/main", "Main"), ("/settings", "Settings")] {
      try old.addStore(at: path, type: kind.type, configuration: name)
    }
    let context = ManagedObjectContext(old, concurrency: .confined)
    try context.insert("Trip")["name"] = .string("Lisbon")
    try context.insert("Setting")["name"] = .string("dark")
    try context.save()
    for store in old.stores { try old.remove(store) }
    let new = PersistentStoreCoordinator(model: try version(3), places: world.places)
    for (path, name) in [("/main", "Main"), ("/settings", "Settings")] {
      try new.addStore(at: path, configuration: name, migrator: Migrator.automatic)
    }
    let after = ManagedObjectContext(new, concurrency: .confined)
    #expect(try World.dump(after) == ["Setting name=dark", "Trip name=Lisbon"])
  }
}
