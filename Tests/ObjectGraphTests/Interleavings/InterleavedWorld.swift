import BinaryStore
import DiskSimulation
import Documents
import DurableFiles
import Foundation
import Interleavings
import ObjectGraph
import ObjectModel
import SeededRandom
import StoreInterface
import TestEffort
import Threads
import Tracing

/// Contexts on several threads over one store or document, in an order that a number chooses,
/// and the laws of every order.
///
/// - No change is lost: the shared counter has the sum of all acknowledged steps.
/// - A save is seen whole: two people always have the same age.
/// - An acknowledged save is seen by each later fetch of the coordinator, and is in the file after each crash. So is all
///   that a fetch has seen, if no other process saves.
/// - Of several saves of one unique value, one succeeds.
/// - What a child context has pushed is seen by its parent and its siblings, and is in the file after the parent's save.
/// - A context that follows saves shows in the end what the file contains.
/// - Undo brings back the former values.
final class InterleavedWorld: @unchecked Sendable {
  // Sendable: one thread of the schedule runs at a time.
  private let seed: UInt64
  private var random: SeededGenerator
  private let kind: Kind
  private let isDocument: Bool
  private let hasOtherProcess: Bool
  private let disk = ScheduledDisk()
  private let schedule: SeededSchedule
  private var coordinators: [PersistentStoreCoordinator] = []
  private var documents: [Document] = []
  private var works: [(name: String, body: @Sendable () -> Void)] = []
  private var contexts: [ManagedObjectContext] = []
  private var follower: ManagedObjectContext?
  private(set) var problems: [String] = []
  /// The cases of this run.
  private(set) var tally = Tally()
  private var hasFailures = false

  /// A promise, with the number of operations of the disk after which it holds.
  private struct Promise {
    let name: String
    let coordinator: Int
    let operationCount: Int
  }
  /// The acknowledged steps of the counter, with the number of operations of the disk after each.
  private var counted: [(coordinator: Int, operationCount: Int)] = []
  /// The numbers that fetches have seen.
  private var seen: [(count: Int, operationCount: Int)] = []
  private var countedAtMost = 0
  private var promises: [Promise] = []
  private var winners: [String: Int] = [:]
  private var pushed: Set<String> = []

  var trace: UInt64 { schedule.trace }

  /// The cases of one or several runs.
  struct Tally {
    var choices = 0
    /// The saves that were acknowledged.
    var saves = 0
    /// The saves that found a conflict.
    var conflicts = 0
    /// The steps that the disk refused.
    var failures = 0
    var images = 0

    mutating func add(_ other: Tally) {
      choices += other.choices
      saves += other.saves
      conflicts += other.conflicts
      failures += other.failures
      images += other.images
    }
  }

  init(_ seed: UInt64) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    kind =
      Int.random(in: 0..<4, using: &random) == 0
      ? .xml : [.binary, .compressed].randomElement(using: &random)!
    isDocument = Int.random(in: 0..<3, using: &random) == 0
    hasOtherProcess = Bool.random(using: &random)
    schedule = SeededSchedule(random.next())
    let first = try opened(disk, hasOtherProcess ? .shared : .exclusive, isNew: true)
    coordinators = [first]
    let context = ManagedObjectContext(first, concurrency: .confined)
    for name in ["counter", "left", "right"] {
      try context.insert(Person.self) { $0.name = name }
    }
    try context.save()
    disk.base.settle()
    if hasOtherProcess { coordinators.append(try opened(anotherProcess, .shared)) }
    for number in 0..<Int.random(in: 1...4, using: &random) { addWriter("writer \(number)", 0) }
    if hasOtherProcess { addWriter("writer of another process", 1) }
    if Int.random(in: 0..<3, using: &random) > 0 { try addFamily() }
    if Bool.random(using: &random) { try addFollower() }
    if isDocument { addKeeper() }
    if works.count < 2 { addWriter("one more writer", 0) }
    if Int.random(in: 0..<3, using: &random) == 0 { addFailures() }
  }

  /// The disk as another process sees it.
  private var anotherProcess: ScheduledDisk {
    var identity = disk.calls.process
    identity.processID += 1
    return ScheduledDisk(disk.base.seen(by: identity))
  }

  private func opened(
    _ disk: any Disk, _ access: Document.Access, isNew: Bool = false
  ) throws -> PersistentStoreCoordinator {
    let places = StorePlaces(Graph.backends, on: disk)
    let coordinator = PersistentStoreCoordinator(
      model: Travels.model, places: places, classes: Travels.classes)
    guard isDocument else {
      try coordinator.addStore(at: "/main.store", type: isNew ? kind.type : nil)
      return coordinator
    }
    if isNew {
      let stores = [DocumentStoreDescription(type: kind.type)]
      try Document.create(
        "/main.quire", model: Travels.model, stores: stores, title: "Trips", in: places
      ).close()
    }
    let document = try Document.open("/main.quire", in: places, access: access)
    documents.append(document)
    try coordinator.add(document.stores[0], readOnly: document.isReadOnly)
    return coordinator
  }

  /// Runs all threads to their end, and checks what they left.
  func run() throws {
    try schedule.run(works)
    try checkFile(disk, .readOnly, operationCount: disk.base.operationCount, "at the end")
    checkFollower()
    tally.choices = schedule.stepCount
    for state in disk.base.crashStates(limit: Effort.isSearch ? 40 : 15, seed: seed) {
      tally.images += 1
      try checkFile(
        state.disk, .exclusive, operationCount: state.operationCount, "after a crash, \(state)")
    }
    if winners.values.contains(where: { $0 != 1 }) {
      problems.append("Unique values have other than one winner: \(winners)")
    }
  }

  private func note(_ problem: String) { problems.append(problem) }

  /// Records that a fetch or the reply to a save has shown a person, and that the counter had reached a number.
  private func promise(_ names: [String], count: Int? = nil, in coordinator: Int) {
    let operationCount = disk.base.operationCount
    promises += names.map {
      Promise(name: $0, coordinator: coordinator, operationCount: operationCount)
    }
    if let count { seen.append((count, operationCount)) }
  }
}

// MARK: - Threads

extension InterleavedWorld {
  private func add(
    _ name: String, _ context: ManagedObjectContext, _ coordinator: Int,
    _ steps: @escaping @Sendable (inout SeededGenerator, Writer) throws -> Void
  ) {
    contexts.append(context)
    let random = SeededGenerator(seed: random.next())
    let writer = Writer(name: name, context: context, coordinator: coordinator)
    works.append(
      (
        name,
        { [self] in
          var random = random
          do { try steps(&random, writer) } catch { note("\(name) failed: \(error)") }
          Threads.pass()
        }
      ))
  }

  private struct Writer: Sendable {
    let name: String
    let context: ManagedObjectContext
    let coordinator: Int
  }

  /// Adds a context that changes the shared objects and objects of its own.
  private func addWriter(_ name: String, _ coordinator: Int) {
    let context = ManagedObjectContext(coordinators[coordinator])
    context.performAndWait { context.undoStack = UndoStack() }
    add(name, context, coordinator) { [self] random, writer in
      for step in 0..<Int.random(in: 2...5, using: &random) {
        let choice = Int.random(in: 0..<9, using: &random)
        try attempt(in: writer) {
          switch choice {
          case 0, 1: try count(writer)
          case 2: try changePair(writer, to: Int32.random(in: 1...100, using: &random))
          case 3: try insert("\(name), \(step)", writer)
          case 4: try insertUnique("\(Int.random(in: 0..<2, using: &random))", writer)
          case 5: try undo(writer)
          default: try read(writer)
          }
        }
      }
    }
  }

  /// Adds a parent context with two children.
  private func addFamily() throws {
    let parent = ManagedObjectContext(coordinators[0])
    add("parent", parent, 0) { [self] random, writer in
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let saves = Bool.random(using: &random)
        // A turn begins with the pushes that have arrived. Later ones belong to the next turn.
        let expected = pushed
        try attempt(in: writer, dropsChanges: false) {
          try readPushed(expected, writer)
          if saves { try savePushed(expected, writer) }
        }
      }
    }
    for number in 0..<2 {
      let child = ManagedObjectContext(parent: parent)
      add("child \(number)", child, 0) { [self] random, writer in
        for step in 0..<Int.random(in: 1...3, using: &random) {
          let waits = Bool.random(using: &random)
          try attempt(in: writer) {
            let name = "child \(number), \(step)"
            try child.insert(Person.self) { $0.name = name }
            if waits { try child.save() } else { try child.handOver() }
            pushed.insert(name)
            Threads.pass()
            try readPushed(pushed, writer)
          }
        }
      }
    }
  }

  /// Adds a thread that looks after the versions of the document.
  private func addKeeper() {
    let random = SeededGenerator(seed: random.next())
    let document = documents[0]
    works.append(
      (
        "keeper",
        { [self] in
          var random = random
          for _ in 0..<Int.random(in: 1...3, using: &random) {
            let choice = Int.random(in: 0..<3, using: &random)
            do {
              switch choice {
              case 0: try document.nameVersion(document.versions.last!.number, "Named")
              case 1: try document.thin(.newestOnly)
              default: _ = try document.refresh()
              }
            } catch  where isExpected(error) { tally.failures += 1 } catch {
              note("keeper failed: \(error)")
            }
          }
        }
      ))
  }

  /// Adds a thread that lets syncs fail for a while.
  private func addFailures() {
    hasFailures = true
    let random = SeededGenerator(seed: random.next())
    works.append(
      (
        "failures",
        { [self] in
          var random = random
          for _ in 0..<Int.random(in: 0..<30, using: &random) { Threads.pass() }
          disk.base.plan(.failing(.inputOutput, on: .sync))
          for _ in 0..<Int.random(in: 1..<10, using: &random) { Threads.pass() }
          disk.base.planNoFailures()
        }
      ))
  }

  /// Runs a step in a turn of a context. If the disk fails, the step may throw, and its changes are dropped.
  private func attempt(
    in writer: Writer, dropsChanges: Bool = true, _ step: () throws -> Void
  ) throws {
    try writer.context.performAndWait {
      do { try step() } catch  where isExpected(error) {
        tally.failures += 1
        if Trace.isOn { print("\(writer.name) is refused: \(error)") }
        if dropsChanges { writer.context.rollback() }
      }
    }
  }

  /// Whether a step may throw an error. A process sees the bytes of another one before their sync, and finds zeros once the
  /// other has taken them back because the sync failed.
  private func isExpected(_ error: any Error) -> Bool {
    guard hasFailures else { return false }
    switch error {
    case let error as StoreError:
      return error.code == .inputOutput || hasOtherProcess && error.code == .damaged
    case let error as DocumentError: return error.code == .inputOutput
    default: return false
    }
  }

  /// Adds a context that follows the saves of the other contexts.
  private func addFollower() throws {
    let context = ManagedObjectContext(coordinators[0])
    context.performAndWait {
      context.automaticallyMergesChangesFromParent = true
      context.retainsRegisteredObjects = true
    }
    follower = context
    add("follower", context, 0) { [self] random, writer in
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        try context.performAndWait { try read(writer) }
      }
    }
  }
}

// MARK: - Steps

extension InterleavedWorld {
  /// Saves. Returns false and drops the changes if another save came first.
  private func saves(_ writer: Writer) throws -> Bool {
    do {
      try writer.context.save()
      tally.saves += 1
      if Trace.isOn { print("\(writer.name) has saved") }
      return true
    } catch let error as ContextError where error.code == .conflict && !error.conflicts.isEmpty {
      tally.conflicts += 1
      writer.context.rollback()
      return false
    }
  }

  private func person(_ name: String, _ writer: Writer) throws -> Person {
    try writer.context.fetch(Person.self).first { $0.name == name }!
  }

  private func count(_ writer: Writer) throws {
    let counter = try person("counter", writer)
    counter.age += 1
    countedAtMost += 1
    if try saves(writer) { counted.append((writer.coordinator, disk.base.operationCount)) }
  }

  private func changePair(_ writer: Writer, to age: Int32) throws {
    try person("left", writer).age = age
    Threads.pass()
    try person("right", writer).age = age
    _ = try saves(writer)
  }

  private func insert(_ name: String, _ writer: Writer) throws {
    try writer.context.insert(Person.self) { $0.name = name }
    if try saves(writer) { promise([name], in: writer.coordinator) }
  }

  private func insertUnique(_ number: String, _ writer: Writer) throws {
    let passport = try writer.context.insert(Passport.self) { $0.number = number }
    do {
      if try saves(writer) { winners[number, default: 0] += 1 }
    } catch let error as ContextError where !error.constraintConflicts.isEmpty {
      writer.context.delete(passport)
      try writer.context.save()
    }
  }

  private func undo(_ writer: Writer) throws {
    let counter = try person("counter", writer)
    let before = counter.age
    try writer.context.processPendingChanges()
    counter.age = 77
    try writer.context.processPendingChanges()
    Threads.pass()
    try writer.context.undoStack!.undo()
    if counter.age != before, before != 77 {
      note("\(writer.name) finds \(counter.age) after undo and not \(before)")
    }
    writer.context.rollback()
  }

  private func read(_ writer: Writer) throws {
    let promised = promises.filter { $0.coordinator == writer.coordinator }.map(\.name)
    // A document learns of the saves of another process when it looks for them.
    let counted = counted.count { !isDocument || $0.coordinator == writer.coordinator }
    let people = try writer.context.fetch(Person.self)
    let ages = people.map { (name: $0.name, age: $0.age) }
    check(ages, promised, counted, "\(writer.name) reads")
    // The bytes of another process are in the file before its sync.
    if hasOtherProcess { return }
    promise(
      ages.map(\.name), count: ages.first { $0.name == "counter" }.map { Int($0.age) },
      in: writer.coordinator)
  }

  /// Checks the people that somebody has read.
  private func check(
    _ people: [(name: String, age: Int32)], _ promised: [String], _ counted: Int, _ place: String
  ) {
    let ages = Dictionary(people.map { ($0.name, $0.age) }, uniquingKeysWith: { $1 })
    let lost = promised.filter { ages[$0] == nil }
    if !lost.isEmpty { note("\(place): \(lost) are lost") }
    if ages.count != people.count { note("\(place): people are there twice: \(people)") }
    if ages["left"] != ages["right"] {
      note("\(place): a save is seen in part: \(ages["left"]!), \(ages["right"]!)")
    }
    let count = Int(ages["counter"]!)
    if count < counted || count > countedAtMost {
      note("\(place): the counter is \(count) after \(counted) acknowledged steps")
    }
  }

  private func readPushed(_ expected: Set<String>, _ writer: Writer) throws {
    let found = Set(try writer.context.fetch(Person.self).map(\.name))
    let lost = expected.subtracting(found)
    if !lost.isEmpty { note("\(writer.name) does not see \(lost.sorted())") }
  }

  private func savePushed(_ expected: Set<String>, _ writer: Writer) throws {
    try writer.context.save()
    tally.saves += 1
    promise(expected.sorted(), in: writer.coordinator)
  }
}

// MARK: - What is left

extension InterleavedWorld {
  /// Checks the file against all promises that were made within a number of operations.
  private func checkFile(
    _ disk: any Disk, _ access: Document.Access, operationCount: Int, _ place: String
  ) throws {
    let context: ManagedObjectContext
    do {
      context = ManagedObjectContext(try opened(disk, access), concurrency: .confined)
    } catch { return note("\(place): the file can't be opened: \(error)") }
    let due = promises.filter { $0.operationCount <= operationCount }.map(\.name)
    let people = try context.fetch(Person.self)
    check(
      people.map { ($0.name, $0.age) }, due, counted.count { $0.operationCount <= operationCount },
      place)
    let count = people.first { $0.name == "counter" }.map { Int($0.age) } ?? 0
    if let before = seen.filter({ $0.operationCount <= operationCount }).map(\.count).max(),
      count < before
    {
      note("\(place): the counter is \(count), and a fetch has seen \(before)")
    }
    for problem in try context.disagreements() { note("\(place): \(problem)") }
  }

  /// Checks that the context that followed all saves shows what a new context reads.
  private func checkFollower() {
    guard let follower else { return }
    follower.performAndWait {
      for case let person as Person in follower.registeredObjects {
        let shown = person.age
        follower.refresh(person, mergeChanges: false)
        if !hasOtherProcess, shown != person.age {
          note("The context that follows shows \(shown) for \(person.name) and not \(person.age)")
        }
      }
    }
  }
}
