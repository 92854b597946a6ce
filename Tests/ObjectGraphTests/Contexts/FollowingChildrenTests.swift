import Dispatch
import Foundation
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

@testable import ObjectGraph

/// Children that merge the saves of their ancestors automatically.
@Suite("Children that merge automatically")
struct FollowingChildrenTests {
  /// A change that a parent saves.
  enum Change: CaseIterable {
    case value, deletion, thereAndBack
  }

  @Test(
    "A child on the main actor shows its parent's save, also after a fetch before the save",
    arguments: Kind.allCases, Change.allCases)
  @MainActor func fetchedBetween(_ kind: Kind, _ change: Change) async throws {
    let graph = try Graph(kind)
    let parent = ManagedObjectContext(graph.coordinator)
    let id = try parent.performAndWait {
      let trip = try parent.insert(Trip.self) { $0.name = "counted" }
      try parent.save()
      return trip.objectID
    }
    let child = ManagedObjectContext(parent: parent, concurrency: .mainActor)
    child.automaticallyMergesChangesFromParent = true
    let mine = try #require(child.existingObject(with: id) as? Trip)
    #expect(mine.cost == 0)
    func inParent(_ body: (Trip) throws -> Void) throws {
      try parent.performAndWait { try body(#require(parent.object(with: id) as? Trip)) }
    }

    try inParent { if change == .deletion { parent.delete($0) } else { $0.cost = 10 } }
    _ = try child.fetch(Person.self)
    if change == .thereAndBack {
      #expect(try child.fetch(Trip.self, where: QueryPredicate("cost == 10")) == [mine])
      child.refresh(mine, mergeChanges: true)
      #expect(mine.cost == 10)
      try inParent { $0.cost = 0 }
      _ = try child.fetch(Person.self)
      try inParent { $0.name = "saved" }
    }
    try parent.performAndWait { try parent.save() }
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }

    switch change {
    case .value: #expect(mine.cost == 10)
    case .deletion: #expect(mine.isDeleted)
    case .thereAndBack: #expect(mine.cost == 0 && mine.name == "saved")
    }
  }

  @Test(
    "A child shows its parent's batches, and the saves that its parent merges automatically",
    arguments: Kind.allCases, [false, true])
  func throughTheParent(_ kind: Kind, isBatch: Bool) throws {
    try scenario(kind, isBatch ? "a batch" : "a save") { s in
      s.parent.follow()
      s.child.follow()
      s.parent.insert("trip").save()
      s.child.expect("trip", cost: 0)
      s.other.expect("trip", cost: 0)

      if isBatch {
        s.parent.step("set all costs to 10 in a batch") { context in
          var update = BatchUpdateRequest("Trip")
          update.valuesToUpdate = ["cost": try QueryExpression("10.0")]
          try context.execute(update)
        }
      } else {
        s.other.set("trip", cost: 10).save()
      }

      s.parent.expect("trip", cost: 10)
      s.child.expect("trip", cost: 10)
    }
  }

  @Test(
    "A child on the main actor shows both of two saves that its parent merges at once",
    arguments: Kind.allCases)
  @MainActor func twoSaves(_ kind: Kind) async throws {
    let graph = try Graph(kind)
    let other = graph.context()
    let theirs = try (1...2).map { number in try other.insert(Trip.self) { $0.name = "\(number)" } }
    try other.save()
    let parent = ManagedObjectContext(graph.coordinator)
    parent.automaticallyMergesChangesFromParent = true
    try parent.performAndWait { _ = try parent.fetch(Trip.self) }
    let child = ManagedObjectContext(parent: parent, concurrency: .mainActor)
    child.automaticallyMergesChangesFromParent = true
    let mine = theirs.map { child.object($0) }
    #expect(mine.map(\.cost) == [0, 0])

    let gate = DispatchSemaphore(value: 0)
    parent.schedule { gate.wait() }
    for trip in theirs {
      trip.cost = 10
      try other.save()
    }
    gate.signal()
    parent.performAndWait {}
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }

    #expect(mine.map(\.cost) == [10, 10])
  }

  @Test("No mail is kept for a deallocated context")
  func gone() async throws {
    let graph = try Graph(.memory)
    let saver = ManagedObjectContext(graph.coordinator)
    let mail: ContextMail = try await withCheckedThrowingContinuation { done in
      Thread.detachNewThread {
        done.resume(
          with: Result {
            let follower = graph.context()
            follower.automaticallyMergesChangesFromParent = true
            _ = try follower.fetch(Trip.self)
            return follower.workspace.mail
          })
      }
    }
    try await saver.perform {
      try saver.insert(Trip.self) { $0.name = "unseen" }
      try saver.save()
    }
    #expect(mail.isGone.load(ordering: .relaxed) && mail.take().isEmpty)
  }
}
