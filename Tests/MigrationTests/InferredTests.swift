import DurableFiles
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Inferred migrations")
struct InferredTests {
  @Test("An inferred mapping keeps the objects", arguments: Change.all, Kind.allCases)
  func carried(_ change: Change, _ kind: Kind) throws {
    let world = World(kind)
    try world.make(change.old, change.fill)
    let before = try world.read(change.old) { try InferredTests.identifiers($0) }
    var migrator = Migrator()
    migrator.allowsLoss = true
    let plan = try migrator.plan(forStoreAt: World.path, to: change.new, in: world.places)
    #expect(plan.rewrites == !change.isInPlace, "\(plan)")
    #expect(plan.losses.map(\.description) == change.losses)
    #expect(
      try world.metadata().versionHashes == change.old.versionHashes, "A plan writes nothing.")

    let uuid = try world.metadata().uuid
    let size = try world.disk.status(of: World.path).byteCount
    let report = try migrator.migrate(storeAt: World.path, to: change.new, in: world.places)
    let found = try world.dump(change.new)
    #expect(found == change.expected)
    #expect(try world.metadata().versionHashes == change.new.versionHashes)
    #expect(try world.metadata().uuid == uuid)
    let faults = try world.faults()
    #expect(faults == [])
    #expect(try world.files() == ["Trips.store"], "Nothing is left lying about.")
    if kind == .binary, change.isInPlace {
      #expect(try world.disk.status(of: World.path).byteCount < size + 4096, "No row is written.")
    }
    #expect(report.plan.steps.count == 1)

    // The objects keep their identifiers.
    let after = try world.read(change.new) { try InferredTests.identifiers($0) }
    for (name, id) in after { #expect(before[name] == id) }

    // The migrated store can be saved to, and another migration has no step.
    try world.read(change.new) { context in
      try context.insert(change.new.entities[0].name)
      try context.save()
    }
    #expect(try world.dump(change.new).count == change.expected.count + 1)
    #expect(try world.faults() == [])
    #expect(try migrator.plan(forStoreAt: World.path, to: change.new, in: world.places).isEmpty)
  }

  /// Returns the identifiers of all objects by the objects' names.
  static func identifiers(_ context: ManagedObjectContext) throws -> [String: ObjectID] {
    var found: [String: ObjectID] = [:]
    for entity in context.coordinator.model.entities where entity.superentity == nil {
      for object in try context.fetch(FetchRequest(entity.name)) {
        let names = ["name", "title"].filter {
          context.coordinator.model.property($0, of: object.entity.name) != nil
        }
        // A renamed property has another name in each version, so the objects are matched by the value.
        if let name = names.first, case .string(let text) = object[name] {
          found[text] = object.objectID
        }
      }
    }
    return found
  }

  @Test("Objects are migrated to another store type in the same step", arguments: Change.all)
  func acrossBackends(_ change: Change) throws {
    for (kind, other) in [(Kind.xml, Kind.binary), (.binary, .xml), (.binary, .compressed)] {
      let world = World(kind)
      try world.make(change.old, change.fill)
      var migrator = Migrator()
      migrator.allowsLoss = true
      try migrator.migrate(
        storeAt: World.path, to: change.new, as: other.type, in: world.places)
      let found = try world.dump(change.new)
      #expect(found == change.expected)
      #expect(try world.metadata().type == other.type)
      #expect(try world.faults() == [])
      #expect(try world.files() == ["Trips.store"])
    }
  }
}
