import Dispatch
import DurableFiles
import Foundation
import ObjectModel
import ObjectQuery
import SeededRandom
import StoreInterface
import Synchronization
import Testing

@testable import ObjectGraph

/// Many who count the same, in every way there is: what each was told is saved is there.
///
/// `QUIRE_STEPS=1000` has each count so often.
@Suite("Counts that many keep")
struct CountingTests {
  @Test("Nobody's count is lost", arguments: Kind.allCases)
  func counts(_ kind: Kind) throws {
    let graph = try RealGraph(kind)
    defer { graph.remove() }
    let setUp = ManagedObjectContext(try graph.opened(), concurrency: .confined)
    for number in 0..<Counter.tripCount {
      try setUp.insert(Trip.self) { $0.name = "T\(number)" }
      try setUp.save()
    }
    let steps = ProcessInfo.processInfo.environment["QUIRE_STEPS"].flatMap { Int($0) } ?? 40
    let seed = UInt64.random(in: 0...1_000_000_000)
    print("counts on \(kind): seed \(seed)")
    // Two share a coordinator, and two have one each.
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

/// One of those who count.
private struct Counter {
  static let tripCount = 3

  /// What it was told is saved.
  private(set) var counts = [Int](repeating: 0, count: tripCount)
  private var random: SeededGenerator
  private let context: ManagedObjectContext
  private let child: ManagedObjectContext
  private let trips: [ObjectID]
  /// The trips, so that they are what they were read as; nothing in who looks them up each time.
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

  /// Gives up what is in conflict with what others have saved.
  private static func unlessOvertaken<R>(
    _ context: ManagedObjectContext, _ body: () throws -> R
  ) throws -> R? {
    do { return try body() } catch let error as ContextError where error.code == .conflict {
      context.rollback()
      context.refreshAllObjects()
      return nil
    }
  }

  /// Counts one more, saves, and takes it back where that is to be had.
  ///
  /// - Returns: How many more were saved.
  private static func countAndTakeBack(
    _ id: ObjectID, _ context: ManagedObjectContext
  ) throws -> Int {
    (context.object(with: id) as! Trip).cost += 1
    try context.save()
    // Whoever merges what others save has seen it, and would take that back too.
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

  /// Counts one more, and saves.
  ///
  /// - Returns: How many more were saved.
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
