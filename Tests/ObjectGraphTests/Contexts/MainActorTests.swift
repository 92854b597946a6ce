import Dispatch
import Foundation
import ObjectModel
import ObjectQuery
import Testing

@testable import ObjectGraph

@Suite("Changes on the main actor, as existing child contexts see them")
struct MainActorTests {
  /// A context of the main actor, and a child that has already read the store.
  private struct Family {
    let view: ManagedObjectContext
    let child: ManagedObjectContext
    let ada: ObjectID

    init(_ kind: Kind, child concurrency: ContextConcurrency = .privateQueue) async throws {
      let graph = try Graph(kind)
      let view = ManagedObjectContext(graph.coordinator, concurrency: .mainActor)
      let child = ManagedObjectContext(parent: view, concurrency: concurrency)
      ada = try await view.perform {
        let ada = try view.insert(Person.self) { $0.name = "Ada" }
        try view.save()
        return ada.objectID
      }
      _ = try await child.perform { try child.fetch(Person.self).map(\.name) }
      (self.view, self.child) = (view, child)
    }
  }

  @Test("A child finds an object that was inserted outside of any turn", arguments: Kind.allCases)
  func insertion(_ kind: Kind) async throws {
    let family = try await Family(kind)
    let (view, child) = (family.view, family.child)
    var missing = 0
    for number in 0..<20 {
      let id = try await MainActor.run {
        try view.insert(Person.self) { $0.name = "P\(number)" }.objectID
      }
      let name = try await child.perform {
        (try? child.existingObject(with: id) as? Person)?.name
      }
      if name != "P\(number)" { missing += 1 }
    }
    #expect(missing == 0)
    #expect(try await child.perform { try child.count(for: FetchRequest("Person")) } == 21)
  }

  @Test(
    "A child fetches objects changed and deleted outside of any turn", arguments: [Kind.memory])
  func changesAndDeletions(_ kind: Kind) async throws {
    let family = try await Family(kind)
    let (view, child, ada) = (family.view, family.child, family.ada)
    func names() async throws -> [String] {
      try await child.perform {
        try child.fetch(Person.self, where: QueryPredicate("name BEGINSWITH 'A'"))
          .map(\.objectID).map { try child.fetchIdentifiers(FetchRequest("Person")).contains($0) }
          .map { "\($0)" }
      }
    }
    for round in 0..<20 {
      try await MainActor.run {
        (try view.existingObject(with: ada) as? Person)?.name = round % 2 == 0 ? "Bo" : "Ada"
      }
      #expect(try await names() == (round % 2 == 0 ? [] : ["true"]), "round \(round)")
    }
    for round in 0..<20 {
      let id = try await MainActor.run {
        try view.insert(Person.self) { $0.name = "Cy" }.objectID
      }
      try await MainActor.run { view.delete(try view.existingObject(with: id)) }
      await #expect(throws: ContextError.self, "round \(round)") {
        try await child.perform { _ = try child.existingObject(with: id) }
      }
    }
  }

  @Test(
    "A child of the main actor's context shows the parent's changes at once",
    arguments: Kind.allCases)
  @MainActor
  func sameActor(_ kind: Kind) async throws {
    let family = try await Family(kind, child: .mainActor)
    let undo = UndoStack()
    family.view.undoStack = undo
    let bo = try family.view.insert(Person.self) { $0.name = "Bo" }
    #expect(try family.child.existingObject(with: bo.objectID).objectID == bo.objectID)
    bo.name = "Cy"
    let request = FetchRequest("Person", where: try QueryPredicate("name == 'Cy'"))
    #expect(try family.child.count(for: request) == 1)
    family.view.delete(bo)
    #expect(try family.child.count(for: request) == 0)

    // The child's read did not end the parent's turn, so one undo takes back all changes.
    try undo.undo()
    #expect(undo.undoCount == 0 && !family.view.hasChanges)
  }

  @Test(
    "The main actor may wait for a child that reads its changes", arguments: Kind.allCases)
  @MainActor
  func waiting(_ kind: Kind) async throws {
    let family = try await Family(kind)
    let (view, child) = (family.view, family.child)
    let start = ContinuousClock.now
    for number in 0..<20 {
      let bo = try view.insert(Person.self) { $0.name = "Bo" }
      let id = bo.objectID
      // The queue is busy with work that reads the parent too.
      child.schedule { _ = try? child.count(for: FetchRequest("Person")) }
      let name = try child.performAndWait {
        (try child.existingObject(with: id) as? Person)?.name
      }
      #expect(name == "Bo", "\(number)")
    }
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test("A child waits a limited time for a main actor that is blocked on the child")
  @MainActor
  func limit() async throws {
    let family = try await Family(.memory)
    let (view, child) = (family.view, family.child)
    view.workspace.mail.owedTurn.setLongestWait(0.05)
    try view.insert(Person.self) { $0.name = "Bo" }
    let done = DispatchSemaphore(value: 0)
    child.schedule {
      // Only the first of these fetches waits.
      for _ in 0..<100 { _ = try? child.count(for: FetchRequest("Person")) }
      done.signal()
    }
    let outcome = block(until: done)
    #expect(outcome == .success)
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    #expect(try await child.perform { try child.count(for: FetchRequest("Person")) } == 2)
  }

  private nonisolated func block(until done: DispatchSemaphore) -> DispatchTimeoutResult {
    done.wait(timeout: .now() + 60)
  }

  @Test("A child does not wait for a parent without open changes", arguments: [Kind.memory])
  func noWait(_ kind: Kind) async throws {
    let family = try await Family(kind)
    let view = family.view
    try await MainActor.run { try view.insert(Person.self) { $0.name = "Bo" }.name = "Cy" }
    try await view.perform {}
    #expect(!view.workspace.mail.owedTurn.isPending)
    await MainActor.run { _ = try? view.insert(Person.self).objectID }
    await MainActor.run { view.rollback() }
    #expect(!view.workspace.mail.owedTurn.isPending)
  }
}
