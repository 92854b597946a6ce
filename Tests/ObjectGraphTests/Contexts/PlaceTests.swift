import Dispatch
import Foundation
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@testable import ObjectGraph

@Suite("The executors of contexts")
struct PlaceTests {
  @Test(
    "Work on a context's own queue returns its result or throws its error",
    arguments: Kind.allCases)
  func perform(_ kind: Kind) async throws {
    let graph = try Graph(kind)
    let context = ManagedObjectContext(graph.coordinator)
    let count = try await context.perform {
      try context.insert(Person.self) { $0.name = "Ada" }
      return try context.count(for: FetchRequest("Person"))
    }
    let name = context.performAndWait { context.insertedObjects.map { ($0 as? Person)?.name } }
    #expect(count == 1 && name == ["Ada"])
    await #expect(throws: Unwanted(what: "async")) {
      try await context.perform { throw Unwanted(what: "async") }
    }
    #expect(throws: Unwanted(what: "waiting")) {
      try context.performAndWait { throw Unwanted(what: "waiting") }
    }
    // Within a turn another turn begins at once.
    let nested = context.performAndWait {
      context.performAndWait { context.performAndWait { context.hasChanges } }
    }
    #expect(nested)
    let scheduled = await withCheckedContinuation { continuation in
      context.schedule { continuation.resume(returning: context.insertedObjects.count) }
    }
    #expect(scheduled == 1)
  }

  @Test("A main-actor context is used as it is on the main actor, and elsewhere through perform")
  @MainActor
  func mainActor() async throws {
    let graph = try Graph(.memory)
    let context = ManagedObjectContext(graph.coordinator, concurrency: .mainActor)
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    let elsewhere = Task.detached {
      try await context.perform { try context.fetch(Person.self).map(\.name) }
    }
    #expect(try await elsewhere.value == ["Ada"] && ada.name == "Ada")
    #expect(context.performAndWait { context.hasChanges })
  }

  @Test("The main thread counts as the main actor's only while the main actor runs or waits")
  @MainActor
  func thread() async throws {
    let graph = try Graph(.memory)
    let context = ManagedObjectContext(graph.coordinator, concurrency: .mainActor)
    let child = ManagedObjectContext(parent: context)
    try context.insert(Person.self) { $0.name = "Ada" }
    #expect(context.workspace.place.isHeld)
    // The queue may run its work on this thread. Even then the work is not the main actor's.
    DispatchQueue(label: "elsewhere").sync {
      #expect(context.workspace.place.isCurrent)
      #expect(context.workspace.place.isHeld == Thread.isMainThread)
    }
    // If the main actor waits for the work of a context, that work is the main actor's too.
    try child.performAndWait {
      #expect(context.workspace.place.isHeld)
      try child.insert(Person.self) { $0.name = "Bo" }
      try child.save()
      let found = try context.performAndWait { try context.fetch(Person.self).count }
      #expect(found == 2)
    }
    #expect(context.insertedObjects.count == 2)

    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    #expect(context.workspace.place.isCurrent == Thread.isMainThread)
    try context.save()
    #expect(context.workspace.place.isHeld)
    // Another task has a turn in between. Afterwards the main actor is still the executor of the context.
    let elsewhere = Task.detached {
      try await context.perform { try context.fetch(Person.self).count }
    }
    #expect(try await elsewhere.value == 2)
    #expect(!context.hasChanges && context.workspace.place.isHeld)
  }

  @Test("A turn processes changes at its end, so that a child sees them", arguments: Kind.allCases)
  func turns(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let parent = ManagedObjectContext(graph.coordinator)
    let child = ManagedObjectContext(parent: parent)
    parent.performAndWait { _ = try? parent.insert(Person.self) { $0.name = "Ada" } }

    #expect(try child.performAndWait { try child.fetch(Person.self).map(\.name) } == ["Ada"])
  }
}
