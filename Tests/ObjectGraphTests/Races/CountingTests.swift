import Dispatch
import DurableFiles
import Foundation
import ObjectModel
import ObjectQuery
import SeededRandom
import StoreInterface
import Synchronization
import TestEffort
import Testing

@testable import ObjectGraph

/// Several contexts increment the same counters in every available way. Each acknowledged increment must be in the store.
///
/// `QUIRE_EFFORT=25` makes each context count so often.
@Suite("Counters that several contexts increment")
struct CountingTests {
  @Test("No context's increment is lost", arguments: Kind.allCases)
  func counts(_ kind: Kind) throws {
    let graph = try RealGraph(kind)
    defer { graph.remove() }
    let setUp = ManagedObjectContext(try graph.opened(), concurrency: .confined)
    for number in 0..<Counter.tripCount {
      try setUp.insert(Trip.self) { $0.name = "T\(number)" }
      try setUp.save()
    }
    let steps = Effort.count(40)
    let seed = UInt64.random(in: 0...1_000_000_000)
    print("counts on \(kind): seed \(seed)")
    // Two of the contexts share a coordinator. Two further contexts have a coordinator each.
    let shared = try graph.opened()
    let coordinators = [shared, shared, try graph.opened(), try graph.opened()]
    let counts = Mutex([Int](repeating: 0, count: Counter.tripCount))
    let threads = DispatchGroup()
    for (number, coordinator) in coordinators.enumerated() {
      DispatchQueue.global().async(group: threads) {
        do {
          var counter = try Counter(coordinator, number, seed: seed)
          for _ in 0..<steps { try counter.step() }
          counts.withLock { counts in
            for index in counts.indices { counts[index] += counter.counts[index] }
          }
        } catch { Issue.record(error, "seed \(seed), counter \(number)") }
      }
    }
    threads.wait()

    let fresh = ManagedObjectContext(try graph.opened(), concurrency: .confined)
    let found = try fresh.fetch(Trip.self, sortedBy: [SortKey("name")]).map { Int($0.cost) }
    #expect(found == counts.withLock { $0 }, "seed \(seed)")
  }
}

/// One of the contexts that count.
private struct Counter {
  static let tripCount = 3

  /// The acknowledged increments of each trip.
  private(set) var counts = [Int](repeating: 0, count: tripCount)
  private var random: SeededGenerator
  private let context: ManagedObjectContext
  private let child: ManagedObjectContext
  private let trips: [ObjectID]
  /// The trips, held so that they keep the base values they were read with. Empty in the context that looks its trips up each
  /// time.
  private let held: [Trip]

  enum Way: CaseIterable {
    case alone, byKey, inChild, undone, takenBack, batch, moved, besideOthers
  }

  init(_ coordinator: PersistentStoreCoordinator, _ number: Int, seed: UInt64) throws {
    random = SeededGenerator(seed: seed &+ UInt64(number))
    let context = ManagedObjectContext(coordinator)
    let found = try context.performAndWait {
      context.automaticallyMergesChangesFromParent = number % 2 == 0
      if number > 1 { context.undoStack = UndoStack() }
      return try context.fetch(Trip.self, sortedBy: [SortKey("name")])
    }
    trips = found.map(\.objectID)
    held = number == 3 ? [] : found
    self.context = context
    child = ManagedObjectContext(parent: context)
  }

  mutating func step() throws {
    let index = Int.random(in: 0..<Counter.tripCount, using: &random)
    let other = (index + Int.random(in: 1..<Counter.tripCount, using: &random)) % Counter.tripCount
    let way = Way.allCases.randomElement(using: &random)!
    let looks = Int.random(in: 0..<4, using: &random)
    let (context, child, trips, held) = (context, child, trips, held)
    var counted: Int?
    while counted == nil {
      counted = try context.performAndWait {
        if held.isEmpty { context.workspace.sweep() }
        switch looks {
        case 0: _ = try context.fetch(Trip.self, where: QueryPredicate("cost >= 0"))
        case 1: context.refresh(context.object(with: trips[index]), mergeChanges: true)
        default: break
        }
        return try Counter.unlessOvertaken(context) {
          way == .takenBack
            ? try Counter.countAndTakeBack(trips[index], context)
            : try Counter.count(way, trips[index], trips[other], context, child)
        }
      }
    }
    counts[index] += counted!
    if way == .moved { counts[other] -= 1 }
  }

  /// Runs `body`; after a conflict with another context's save, discards all changes and returns `nil`.
  private static func unlessOvertaken<R>(
    _ context: ManagedObjectContext, _ body: () throws -> R
  ) throws -> R? {
    do { return try body() } catch let error as ContextError where error.code == .conflict {
      context.rollback()
      context.refreshAllObjects()
      return nil
    }
  }

  /// Increments the counter and saves, and then undoes the increment where an undo stack allows that.
  ///
  /// - Returns: The number of increments that remain saved.
  private static func countAndTakeBack(
    _ id: ObjectID, _ context: ManagedObjectContext
  ) throws -> Int {
    (context.object(with: id) as! Trip).cost += 1
    try context.save()
    // A context that merges automatically has seen later saves, and its undo would revert these too.
    guard let undo = context.undoStack, !context.automaticallyMergesChangesFromParent else {
      return 1
    }
    let isBack: Void? = try unlessOvertaken(context) {
      try context.insert(Stop.self) { $0.place = "beside" }
      try context.save()
      context.workspace.sweep()
      try undo.undo()
      try undo.undo()
      try context.save()
    }
    return isBack == nil ? 1 : 0
  }

  /// Increments the counter and saves.
  ///
  /// - Returns: The number of saved increments.
  private static func count(
    _ way: Way, _ id: ObjectID, _ otherID: ObjectID, _ context: ManagedObjectContext,
    _ child: ManagedObjectContext
  ) throws -> Int {
    let trip = context.object(with: id) as! Trip
    let other = context.object(with: otherID) as! Trip
    switch way {
    case .alone, .takenBack: trip.cost += 1
    case .byKey:
      guard case .double(let cost) = trip["cost"] else {
        Issue.record("The trip has no cost.")
        return 0
      }
      trip["cost"] = .double(cost + 1)
    case .inChild:
      try child.performAndWait {
        child.refreshAllObjects()
        (child.object(with: id) as! Trip).cost += 1
        try child.save()
      }
    case .undone:
      guard let undo = context.undoStack else {
        trip.cost += 1
        break
      }
      trip.cost += 1
      try context.processPendingChanges()
      try undo.undo()
      try undo.redo()
    case .batch:
      let name = trip.name
      try context.execute(
        BatchUpdateRequest(
          "Trip", where: QueryPredicate("name == %@", name),
          set: ["cost": QueryExpression("cost + 1")]))
    case .moved:
      trip.cost += 1
      other.cost -= 1
    case .besideOthers:
      trip.cost += 1
      try context.insert(Stop.self) { $0.trip = other }
    }
    try context.save()
    return 1
  }
}
