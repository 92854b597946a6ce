import DiskSimulation
import Documents
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import TestEffort
import Testing

/// A moment of a document with several stores, read while the stores move to the next version.
@Suite("A moment of several stores")
struct WholeMomentTests {
  /// Sets the name of the object of each store, in one save after another.
  private struct Renaming {
    let world: DocumentWorld
    let document: Document
    let coordinator: PersistentStoreCoordinator

    init(_ world: DocumentWorld, _ document: Document) throws {
      (self.world, self.document) = (world, document)
      coordinator = try world.context(document).coordinator
    }

    func rename(_ name: String) throws {
      let context = ManagedObjectContext(coordinator, concurrency: .confined)
      for entity in ["Trip", "Person", "Note"] {
        for object in try context.fetch(FetchRequest<ManagedObject>(entity)) {
          object["name"] = .string(name)
        }
      }
      try context.save()
    }
  }

  /// Returns the names of the objects at one moment.
  private func names(_ coordinator: PersistentStoreCoordinator) throws -> Set<Value> {
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    try context.setQueryGeneration(QueryGeneration(coordinator))
    return Set(
      try ["Trip", "Person", "Note"].flatMap { entity in
        try context.fetch(FetchRequest<ManagedObject>(entity)).map { $0["name"] }
      })
  }

  @Test(
    "It shows a save of several stores as a whole, of this process and of another",
    arguments: [Mix.binaryAndXML, .threeStores], [false, true])
  func whole(_ mix: Mix, isOfOther: Bool) throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(mix, on: disk)
    let document = try world.create()
    try world.add("start", to: document)
    try document.close()
    let shared = try world.open(.shared)
    let other = DocumentWorld(mix, on: disk.seen(by: DocumentWorld.otherProcess))
    let saving = try isOfOther ? Renaming(other, other.open(.shared)) : Renaming(world, shared)
    let coordinator = try isOfOther ? world.context(shared).coordinator : saving.coordinator
    let isEnded = Atomic(false)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do {
        for number in 0..<Effort.count(60) {
          try saving.rename("\(number)")
          if isOfOther { try shared.refresh() }
        }
      } catch { Issue.record(error) }
      isEnded.store(true, ordering: .relaxed)
      done.signal()
    }

    var count = 0
    while !isEnded.load(ordering: .relaxed) {
      let names = try names(coordinator)
      #expect(names.count == 1, "\(names)")
      count += 1
    }
    done.wait()
    #expect(count > 0)
  }
}
