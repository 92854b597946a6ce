import Dispatch
import Foundation
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

@testable import ObjectGraph

/// Children that show by themselves what was saved above them.
@Suite("Children that follow")
struct FollowingChildrenTests {
  /// What a parent saves.
  enum Change: CaseIterable {
    case value, deletion, thereAndBack
  }

  @Test(
    "A child of the main actor's shows what its parent has saved, also when it has fetched before the save",
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
    "What a child has read before it looked again and hands over is in conflict with what was saved",
    arguments: Kind.allCases)
  func handedOver(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (parent, other) = (graph.context(), graph.context())
    let trip = try parent.insert(Trip.self) { $0.name = "counted" }
    try parent.save()
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    child.automaticallyMergesChangesFromParent = true
    let mine = child.object(trip)
    #expect(mine.cost == 0)
    let theirs = other.object(trip)
    theirs.cost = 10
    try other.save()
    // The parent looks again, and the child at what lies beneath and not at the object.
    parent.refreshAllObjects()
    _ = try child.fetch(Person.self)
    #expect(mine.cost == 0)

    mine.cost += 1
    try child.handOver()
    let error = #expect(throws: ContextError.self) { try parent.save() }
    #expect(error?.code == .conflict)
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [10])
  }

  @Test(
    "Who follows a context that follows shows what others have saved into the stores",
    arguments: Kind.allCases, [false, true])
  func throughTheParent(_ kind: Kind, isBatch: Bool) throws {
    let graph = try Graph(kind)
    let (parent, other) = (graph.context(), graph.context())
    parent.automaticallyMergesChangesFromParent = true
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    child.automaticallyMergesChangesFromParent = true
    let trip = try parent.insert(Trip.self) { $0.name = "counted" }
    try parent.save()
    let mine = child.object(trip)
    let theirs = other.object(trip)
    #expect(mine.cost == 0 && theirs.cost == 0)

    if isBatch {
      var update = BatchUpdateRequest("Trip")
      update.valuesToUpdate = ["cost": try QueryExpression("10.0")]
      try parent.execute(update)
    } else {
      theirs.cost = 10
      try other.save()
    }

    #expect(trip.cost == 10 && mine.cost == 10)
  }

  @Test(
    "What its parent merges from two saves at once a child of the main actor's shows of both",
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

  @Test("Nothing is kept for a context that is gone")
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
