import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import TestEffort
import Testing

@Suite("Interrupted migrations")
struct SafetyTests {
  /// The kinds of migrations that lose power.
  enum Way: String, CaseIterable, Sendable {
    case inPlace, inPlaceWithBackup, rewriting, rewritingWithBackup, written, staged, toAnotherType

    var target: Model {
      switch self {
      case .inPlace, .inPlaceWithBackup: Versions.all[3].model
      case .rewriting, .rewritingWithBackup: SafetyTests.filled
      case .written, .toAnotherType: Versions.all[1].model
      case .staged: Versions.all[2].model
      }
    }

    var migrator: Migrator {
      get throws {
        var migrator = Migrator(knowing: Versions.all)
        switch self {
        case .inPlace, .rewriting, .toAnotherType: break
        case .inPlaceWithBackup, .rewritingWithBackup: migrator.backup = .at("/old")
        case .written: migrator.mappings = [try Versions.written(1, 2)]
        case .staged:
          migrator.stages = [
            .lightweight([Versions.all[0], Versions.all[1]]),
            .custom(
              from: Versions.all[1], to: Versions.all[2],
              before: { context in
                for trip in try context.fetch(FetchRequest("Trip")) { trip["n1"] = .integer(1) }
              },
              after: { context in
                for trip in try context.fetch(FetchRequest("Trip")) { trip["n2"] = .integer(2) }
              }),
          ]
        }
        return migrator
      }
    }
  }

  static let filled = model(
    Entity("Trip", .text("name"), .text("note", required: true, standard: "none")))

  private static let stateCount = Effort.count(1200)

  private func fill(_ context: ManagedObjectContext) throws {
    for number in 1...40 { try context.insert("Trip")["name"] = .string("Trip \(number)") }
  }

  @Test(
    "After a power cut at any moment the store is the old or the new one", arguments: Way.allCases,
    Kind.allCases)
  func cuts(_ way: Way, _ kind: Kind) throws {
    let disk = SimulatedDisk()
    let world = World(kind, on: disk)
    try world.make(Versions.all[0].model, fill)
    disk.settle()
    let before = try world.dump(Versions.all[0].model)
    let type: StoreType? = way == .toAnotherType ? (kind == .xml ? .binary : .xml) : nil
    try way.migrator.migrate(
      storeAt: World.path, to: way.target, as: type, in: world.places)
    let after = try world.dump(way.target)
    #expect(
      after.count == 40
        && (after != before || way == .inPlace || way == .inPlaceWithBackup
          || way == .toAnotherType)
    )
    let states = disk.crashStates(
      limit: max(Self.stateCount / (Way.allCases.count * Kind.allCases.count), 30), seed: 1)
    var seen: Set<Bool> = []
    for state in states {
      let found = World(kind, on: state.disk)
      let hashes = try found.metadata().versionHashes
      let isNew = hashes == way.target.versionHashes
      seen.insert(isNew)
      if isNew {
        #expect(try found.dump(way.target) == after)
        if case .at(let backup) = try way.migrator.backup {
          // If the new store exists, the backup exists too.
          #expect(try found.dump(Versions.all[0].model, at: backup) == before, "\(state)")
        }
      } else {
        #expect(hashes == Versions.all[0].model.versionHashes)
        #expect(try found.dump(Versions.all[0].model) == before, "\(state)")
        // The migration can be repeated, and removes the files that the cut left behind.
        var migrator = try way.migrator
        migrator.backup = .none
        try migrator.migrate(storeAt: World.path, to: way.target, as: type, in: found.places)
        #expect(try found.dump(way.target) == after)
        let litter = try found.files().filter { $0.hasPrefix(".Trips.store.") }
        #expect(litter == [], "What was cut short is tidied up.")
      }
      #expect(try found.faults() == [])
    }
    #expect(seen == [false, true], "Cuts are looked at that come early enough, and late enough.")
  }

  @Test(
    "A disk error at any moment leaves the store unchanged", arguments: Way.allCases,
    Kind.allCases)
  func refusals(_ way: Way, _ kind: Kind) throws {
    var isDone = false
    var number = 0
    while !isDone {
      let disk = SimulatedDisk()
      let world = World(kind, on: disk)
      try world.make(Versions.all[0].model, fill)
      let before = try world.dump(Versions.all[0].model)
      let type: StoreType? = way == .toAnotherType ? (kind == .xml ? .binary : .xml) : nil
      disk.plan(
        PlannedFailure(
          .error(.noSpace), on: [.write, .sync, .rename, .link], after: number, lasting: .forGood))
      do {
        try way.migrator.migrate(
          storeAt: World.path, to: way.target, as: type, in: world.places)
        isDone = true
      } catch {
        disk.planNoFailures()
        let hashes = try world.metadata().versionHashes
        // After the replacement only the store's durability may be in doubt, and the error states this.
        if hashes == way.target.versionHashes {
          #expect("\(error)".contains("may not survive"), "\(error)")
        } else {
          #expect(try world.dump(Versions.all[0].model) == before)
          #expect(try world.faults() == [])
        }
      }
      disk.planNoFailures()
      number += 1
      if number > 200 { break }
    }
    #expect(isDone && number > 2)
  }

  @Test(
    "An error from the progress handler ends the migration and leaves the store unchanged",
    arguments: Way.allCases,
    Kind.allCases)
  func cancelled(_ way: Way, _ kind: Kind) throws {
    struct Enough: Error {}
    let count = Mutex(0)
    let world = World(kind)
    try world.make(Versions.all[0].model, fill)
    var migrator = try way.migrator
    migrator.progress = { progress in
      #expect(progress.step >= 1 && progress.step <= progress.stepCount)
      #expect(progress.share >= 0 && progress.share <= 1)
      count.withLock { $0 += 1 }
    }
    // A first migration to another path counts the calls.
    try migrator.migrate(
      storeAt: World.path, to: way.target, output: "/elsewhere", in: world.places)
    let all = count.withLock { $0 }
    #expect(all > 0)
    for last in 0..<all {
      let left = Mutex(last)
      migrator.progress = { _ in
        if left.withLock({ value in
          defer { value -= 1 }
          return value == 0
        }) {
          throw Enough()
        }
      }
      do {
        try migrator.migrate(storeAt: World.path, to: way.target, in: world.places)
        #expect(way == .inPlace || way == .inPlaceWithBackup || last == all - 1)
        break
      } catch is Enough {}
      #expect(try world.dump(Versions.all[0].model).count == 40)
      #expect(try world.files() == ["Trips.store", "elsewhere"])
    }
  }

  @Test("The backup is kept beside the store, or at the requested path", arguments: Kind.allCases)
  func backups(_ kind: Kind) throws {
    for way in [Way.inPlace, .rewriting] {
      let world = World(kind)
      try world.make(Versions.all[0].model, fill)
      let before = try world.dump(Versions.all[0].model)
      var migrator = try way.migrator
      migrator.backup = .beside
      let report = try migrator.migrate(storeAt: World.path, to: way.target, in: world.places)
      #expect(report.backupPath == "/Trips.store.V1.backup")
      #expect(try world.dump(Versions.all[0].model, at: "/Trips.store.V1.backup") == before)
      #expect(try world.dump(way.target).count == 40)
      // An existing file is not replaced.
      migrator.backup = .at("/Trips.store.V1.backup")
      try world.places.destroy(World.path)
      try world.make(Versions.all[0].model, fill)
      #expect(throws: StoreError.self) {
        try migrator.migrate(storeAt: World.path, to: way.target, in: world.places)
      }
      #expect(try world.dump(Versions.all[0].model) == before)
      migrator.backup = .beside
      let second = try migrator.migrate(storeAt: World.path, to: way.target, in: world.places)
      #expect(second.backupPath == "/Trips.store.V1-2.backup")
    }
  }

  @Test(
    "A migration to another path changes no byte of the old store", arguments: Kind.allCases
  )
  func elsewhere(_ kind: Kind) throws {
    let world = World(kind)
    try world.make(Versions.all[0].model, fill)
    let bytes = try world.disk.read(World.path, byteLimit: 1 << 24)
    for way in [Way.inPlace, .rewriting, .written] {
      let path = "/\(way)"
      try way.migrator.migrate(
        storeAt: World.path, to: way.target, output: path, in: world.places)
      #expect(try world.disk.read(World.path, byteLimit: 1 << 24) == bytes)
      #expect(try world.dump(way.target, at: path).count == 40)
      #expect(try world.metadata(at: path).uuid != world.metadata().uuid, "They are two stores.")
      #expect(throws: StoreError.self) {
        try way.migrator.migrate(
          storeAt: World.path, to: way.target, output: path, in: world.places)
      }
    }
  }

  /// Creates a filled store, and opens it in a context of the former model.
  private func openWorld(_ kind: Kind) throws -> (World, ManagedObjectContext) {
    let world = World(kind)
    try world.make(Versions.all[0].model, fill)
    let coordinator = PersistentStoreCoordinator(
      model: Versions.all[0].model, places: world.places)
    try coordinator.addStore(at: World.path)
    return (world, ManagedObjectContext(coordinator, concurrency: .confined))
  }

  @Test(
    "A context of the former model can't save after a migration, and earlier saves are kept",
    arguments: Kind.allCases)
  func others(_ kind: Kind) throws {
    let (world, context) = try openWorld(kind)
    var migrator = try Way.rewriting.migrator
    // The context saves before the migration reads the objects.
    try context.insert("Trip")["name"] = .string("late")
    try context.save()
    try migrator.migrate(storeAt: World.path, to: Way.rewriting.target, in: world.places)
    #expect(try world.dump(Way.rewriting.target).contains("Trip name=late note=none"))
    // A context of the former model can neither save nor read the migrated store.
    try context.insert("Trip")["name"] = .string("too late")
    let refused = #expect(throws: ContextError.self) { try context.save() }
    #expect(refused?.code == .incompatibleModel)
    let unread = #expect(throws: ContextError.self) { try context.fetch(FetchRequest("Trip")) }
    #expect(unread?.code == .incompatibleModel)
    let refusedAgain = #expect(throws: ContextError.self) { try context.save() }
    #expect(refusedAgain?.code == .incompatibleModel)
    try? context.coordinator.remove(context.coordinator.stores[0])
    #expect(try world.dump(Way.rewriting.target).count == 41)
    migrator.backup = .none
  }

  @Test(
    "A save is refused after a migration that changes only the meaning of values",
    arguments: Kind.allCases)
  func otherMeaning(_ kind: Kind) throws {
    let (world, context) = try openWorld(kind)
    #expect(try context.count(for: FetchRequest("Trip")) > 0)
    var trip = Entity("Trip", .text("name"))
    trip.versionHashModifier = "names in upper case"
    let next = model(trip)
    try Migrator(knowing: Versions.all).migrate(
      storeAt: World.path, to: next, in: world.places)

    try context.insert("Trip")["name"] = .string("too late")
    let refused = #expect(throws: ContextError.self) { try context.save() }

    #expect(refused?.code == .incompatibleModel)
    context.rollback()
    let unread = #expect(throws: ContextError.self) { try context.count(for: FetchRequest("Trip")) }
    #expect(unread?.code == .incompatibleModel)
    try? context.coordinator.remove(context.coordinator.stores[0])
    #expect(try world.dump(next).count == 40)
  }

  @Test(
    "Cancelling the task ends a migration, and the store is unchanged", arguments: Kind.allCases)
  func cancelledTask(_ kind: Kind) async throws {
    let world = World(kind)
    try world.make(Versions.all[0].model, fill)
    await #expect(throws: CancellationError.self) {
      try await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try Way.rewriting.migrator.migrate(
          storeAt: World.path, to: Way.rewriting.target, in: world.places)
      }.value
    }
    #expect(try world.dump(Versions.all[0].model).count == 40)
    #expect(try world.files() == ["Trips.store"])
  }

  @Test(
    "All coordinators that migrate one store at the same time open the migrated store",
    arguments: [Way.inPlace, .rewriting, .written], Kind.allCases)
  func atOnce(_ way: Way, _ kind: Kind) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("Trips.store").path
    let world = World(kind, on: RealDisk())
    try world.make(Versions.all[0].model, at: path, fill)
    let errors = Mutex<[String]>([])
    let migrator = try way.migrator
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      do {
        let coordinator = PersistentStoreCoordinator(model: way.target, places: world.places)
        let store = try coordinator.addStore(at: path, migrator: migrator)
        let context = ManagedObjectContext(coordinator, concurrency: .confined)
        let count = try context.count(for: FetchRequest("Trip"))
        if count != 40 { errors.withLock { $0.append("\(count) trips") } }
        try coordinator.remove(store)
      } catch { errors.withLock { $0.append("\(error)") } }
    }
    #expect(errors.withLock { $0 } == [])
    #expect(try world.dump(way.target, at: path).count == 40)
    #expect(try world.faults(at: path) == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Trips.store"])
  }
}
