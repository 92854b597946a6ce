import DiskSimulation
import Dispatch
import DurableFiles
import Foundation
import ObjectGraph
import StoreInterface
import Synchronization
import Testing

/// Saves of several contexts while the disk is slow: one sync makes several saves durable.
@Suite("Saves that share a sync")
struct SharedSyncTests {
  /// A disk in memory, with syncs that a test makes slow.
  private final class SlowDisk: Disk {
    let base = SimulatedDisk()
    private let pause = Mutex<TimeInterval>(0)
    var calls: any DiskCalls { Calls(base: base.calls, disk: self) }

    func setPause(_ seconds: TimeInterval) { pause.withLock { $0 = seconds } }
    var syncCount: Int { base.operations.count { $0.operation == .sync } }

    private struct Calls: WrappingCalls {
      let base: any DiskCalls
      let disk: SlowDisk
      func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber) {
        Thread.sleep(forTimeInterval: disk.pause.withLock { $0 })
        try base.sync(descriptor, scope)
      }
    }
  }

  /// Contexts on their own queues over one coordinator, each with a person of its own.
  private struct Writers {
    let disk = SlowDisk()
    let places: StorePlaces
    let coordinator: PersistentStoreCoordinator
    let contexts: [ManagedObjectContext]

    init(_ count: Int) throws {
      places = StorePlaces(Graph.backends, on: disk)
      coordinator = try Writers.opened(places)
      contexts = (0..<count).map { [coordinator] _ in ManagedObjectContext(coordinator) }
      for (number, context) in contexts.enumerated() {
        try context.performAndWait {
          try context.insert(Person.self) { $0.name = "\(number)" }
          try context.save()
        }
      }
    }

    static func opened(_ places: StorePlaces) throws -> PersistentStoreCoordinator {
      let coordinator = PersistentStoreCoordinator(
        model: Travels.model, places: places, classes: Travels.classes)
      try coordinator.addStore(at: "/main.store")
      return coordinator
    }

    /// Calls `body` for each writer, all at the same time.
    func all(_ body: @escaping @Sendable (Int, ManagedObjectContext) throws -> Void) {
      let threads = DispatchGroup()
      for (number, context) in contexts.enumerated() {
        DispatchQueue(label: "writer").async(group: threads) {
          do { try context.performAndWait { try body(number, context) } } catch {
            Issue.record(error)
          }
        }
      }
      threads.wait()
    }

    /// The ages of all people in the file, by name.
    func ages() throws -> [String: Int] {
      let context = ManagedObjectContext(try Writers.opened(places), concurrency: .confined)
      return Dictionary(
        uniqueKeysWithValues: try context.fetch(Person.self).map { ($0.name, Int($0.age)) })
    }
  }

  @Test("Several saves share a sync, and each is in the file when it returns")
  func sharing() throws {
    let writers = try Writers(6)
    writers.disk.setPause(0.02)
    let before = writers.disk.syncCount
    writers.all { number, context in
      for round in 1...5 {
        try context.fetch(Person.self).first { $0.name == "\(number)" }!.age = Int32(round)
        try context.save()
        #expect(try writers.ages()["\(number)"] == round)
      }
    }
    #expect(writers.disk.syncCount - before < 25)
    #expect(try writers.ages().values.allSatisfy { $0 == 5 })
  }

  @Test(
    "If the shared sync fails, each of its saves throws, keeps its changes, and can be repeated")
  func failure() throws {
    let writers = try Writers(6)
    writers.disk.setPause(0.05)
    for round in 1...4 {
      writers.disk.base.plan(.failing(.inputOutput, on: .sync))
      let failures = Mutex(0)
      writers.all { number, context in
        let person = try context.fetch(Person.self).first { $0.name == "\(number)" }!
        person.age = Int32(round)
        while true {
          do {
            try context.save()
            break
          } catch is StoreError {
            failures.withLock { $0 += 1 }
            #expect(context.hasChanges && person.age == round)
          }
        }
      }
      #expect(failures.withLock { $0 } > 0)
      writers.disk.base.planNoFailures()
      #expect(try writers.ages().values.allSatisfy { $0 == round })
      // All contexts agree with the file.
      writers.all { _, context in
        context.refreshAllObjects()
        let ages = try context.fetch(Person.self).map(\.age)
        #expect(ages.allSatisfy { $0 == round })
      }
    }
  }
}
