import Dispatch
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Where contexts do their work")
struct PlaceTests {
  @Test(
    "Work on a queue of its own gives what it gives, or throws what it throws",
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
    // Within a turn another begins at once.
    let nested = context.performAndWait {
      context.performAndWait { context.performAndWait { context.hasChanges } }
    }
    #expect(nested)
    let scheduled = await withCheckedContinuation { continuation in
      context.schedule { continuation.resume(returning: context.insertedObjects.count) }
    }
    #expect(scheduled == 1)
  }

  @Test("On the main actor it is used as it is, and from elsewhere through perform")
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

  @Test("Turns process changes at their end, so that others see them", arguments: Kind.allCases)
  func turns(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let parent = ManagedObjectContext(graph.coordinator)
    let child = ManagedObjectContext(parent: parent)
    parent.performAndWait { _ = try? parent.insert(Person.self) { $0.name = "Ada" } }

    #expect(try child.performAndWait { try child.fetch(Person.self).map(\.name) } == ["Ada"])
  }
}
