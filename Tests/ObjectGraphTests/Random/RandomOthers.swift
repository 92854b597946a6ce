import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SeededRandom
import StoreInterface

/// Random work of contexts that have not seen each other's changes. Each context changes objects as it read them, and saves
/// with a policy of its own while further saves overtake it.
///
/// The result depends on the order of the saves, but it must be consistent: no reference refers to a missing object, and both
/// ends of relationships agree. Unique values are unique, derived values are right, and all contexts see the same.
final class RandomOthers {
  private let graph: Graph
  private let seed: UInt64
  var contexts: [ManagedObjectContext] = []
  private var random: SeededGenerator
  private(set) var trace: [String] = []
  /// The numbers of the contexts that are saving, the innermost last.
  private var saving: [Int] = []
  /// The work of further contexts while a save is under way.
  private var interruption: (() throws -> Void)?
  private var observers: [any NSObjectProtocol] = []
  /// The objects that each context holds, which become stale.
  private var held: [[ManagedObject]] = []

  static let policies: [(name: String, policy: MergePolicy)] = [
    ("error", .error), ("storeWins", .storeWins), ("objectWins", .objectWins),
    ("overwrite", .overwrite), ("rollback", .rollback),
    ("delete", .custom { $0.isDeletedThere ? .keepStored : .delete }),
  ]

  /// - Parameter graph: The store to work on; `nil` for a new store.
  init(_ kind: Kind, seed: UInt64, in graph: Graph? = nil) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    self.graph = try graph ?? Graph(kind)
    let graph = self.graph
    for number in 0..<3 {
      let coordinator = number % 2 == 0 ? graph.coordinator : try graph.reopened()
      try add(ManagedObjectContext(coordinator, concurrency: .confined), "root\(number)")
    }
    if seed % 2 == 0 {
      try add(ManagedObjectContext(parent: contexts[0], concurrency: .confined), "child")
    }
    if seed % 3 == 0 { contexts[1].undoStack = UndoStack() }
  }

  deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

  private func add(_ context: ManagedObjectContext, _ name: String) throws {
    context.name = name
    context.mergePolicy = RandomOthers.policies[Int(seed / 7) % RandomOthers.policies.count].policy
    context.automaticallyMergesChangesFromParent = chance(1, in: 4)
    contexts.append(context)
    held.append([])
    // Sendable: confined contexts post on this thread.
    nonisolated(unsafe) weak let work = self
    observers.append(
      NotificationCenter.default.addObserver(
        forName: .managedObjectContextWillSave, object: context, queue: nil
      ) { _ in
        guard let work, let interruption = work.interruption else { return }
        work.interruption = nil
        do { try interruption() } catch { work.failure = error }
      })
  }
  private var failure: (any Error)?

  private func chance(_ one: Int, in many: Int) -> Bool {
    Int.random(in: 0..<many, using: &random) < one
  }

  private func note(_ number: Int, _ words: String) {
    trace.append("\(contexts[number].name!): \(words)")
  }

  func step(_ step: Int) throws {
    random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ UInt64(step))
    let number = Int.random(in: 0..<contexts.count, using: &random)
    try contexts[number].performAndWait { try work(number) }
    if let failure { throw failure }
  }

  private func work(_ number: Int) throws {
    let context = contexts[number]
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<3: try insert(number)
    case 3..<22: try change(number)
    case 22..<24:
      if let one = try any(ManagedObject.self, number) {
        note(number, "deletes \(name(one))")
        context.delete(one)
      }
    case 24:
      note(number, "looks again at all")
      context.refreshAllObjects()
    case 25:
      if let one = try any(ManagedObject.self, number) {
        let merging = chance(1, in: 2)
        note(number, "looks again at \(name(one)), merging: \(merging)")
        context.refresh(one, mergeChanges: merging)
      }
    case 26:
      note(number, "rolls back")
      context.rollback()
    case 27:
      note(number, "lets go")
      held[number] = []
      _ = context.registeredObjects
    case 28:
      note(number, "resets")
      held[number] = []
      context.reset()
    case 29..<31:
      if let undo = context.undoStack {
        let redo = chance(1, in: 3)
        note(number, redo ? "redoes" : "undoes")
        _ = try redo ? undo.redo() : undo.undo()
      }
    case 31:
      note(number, "processes")
      try context.processPendingChanges()
    default: try save(number)
    }
  }

  /// Returns an object of a type: one that the context holds, or one that the context fetches.
  private func any<T: ManagedObject>(_ type: T.Type, _ number: Int) throws -> T? {
    let known = held[number].compactMap { $0 as? T }.filter { !$0.isDeleted }
    if chance(2, in: 3), let one = known.randomElement(using: &random) { return one }
    let entity = ["Person", "Trip", "Stop", "Passport"].randomElement(using: &random)!
    let found: [ManagedObject] = try contexts[number].fetch(
      FetchRequest(T.self == ManagedObject.self ? entity : T.entityName))
    held[number] += found
    return found.compactMap { $0 as? T }.randomElement(using: &random)
  }

  private func name(_ object: ManagedObject?) -> String {
    object.map { "\($0.entity.name) \($0.objectID.key.number)" } ?? "none"
  }

  private func insert(_ number: Int) throws {
    let entity = ["Person", "Person", "Guide", "Trip", "Trip", "Stop", "Passport"].randomElement(
      using: &random)!
    let object = try contexts[number].insert(entity)
    note(number, "inserts \(name(object))")
    held[number].append(object)
    if object is Passport {
      (object as! Passport).number = "\(Int.random(in: 0..<12, using: &random))"
    } else if !(object is Stop) {
      object["name"] = .string("N")
    }
  }

  private func change(_ number: Int) throws {
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      guard let person = try any(Person.self, number) else { return }
      note(number, "sets the age of \(name(person))")
      person.age = Int32.random(in: 0..<100, using: &random)
    case 1:
      guard let passport = try any(Passport.self, number) else { return }
      passport.number = "\(Int.random(in: 0..<12, using: &random))"
      note(number, "numbers \(name(passport)) \(passport.number)")
    case 2, 3:
      guard let person = try any(Person.self, number) else { return }
      let passport = chance(1, in: 4) ? nil : try any(Passport.self, number)
      note(number, "leads \(name(person)) to \(name(passport))")
      person.passport = passport
    case 4:
      guard let passport = try any(Passport.self, number) else { return }
      let person = try any(Person.self, number)
      note(number, "leads \(name(passport)) to \(name(person))")
      passport.holder = person
    case 5, 6:
      guard let trip = try any(Trip.self, number) else { return }
      let owner = chance(1, in: 4) ? nil : try any(Person.self, number)
      note(number, "leads \(name(trip)) to its owner \(name(owner))")
      trip.owner = owner
    case 7:
      guard let trip = try any(Trip.self, number) else { return }
      let members = try (0..<3).compactMap { _ in try any(Person.self, number) }
      note(number, "sets the members of \(name(trip)) to \(members.map { name($0) })")
      trip.members = RelatedObjects(members)
    case 8:
      guard let stop = try any(Stop.self, number) else { return }
      let trip = try any(Trip.self, number)
      note(number, "leads \(name(stop)) to \(name(trip))")
      stop.trip = trip
    default:
      guard let person = try any(Person.self, number), let friend = try any(Person.self, number)
      else { return }
      note(number, "makes friends of \(name(person)) and \(name(friend))")
      person.add(friend, to: \.friends)
    }
  }

  private func save(_ number: Int) throws {
    let context = contexts[number]
    note(number, "saves")
    saving.append(number)
    defer { saving.removeLast() }
    // A save is not interrupted by a save of the same context, its parent or its children.
    let others = (0..<contexts.count).filter { other in
      saving.allSatisfy { one in
        other != one && contexts[other].parent !== contexts[one]
          && contexts[one].parent !== contexts[other]
      }
    }
    if chance(1, in: 2), let other = others.randomElement(using: &random) {
      interruption = { [unowned self] in
        note(number, "is overtaken")
        for _ in 0..<4 { try change(other) }
        try save(other)
      }
    }
    do {
      try context.save()
      if context.hasChanges { throw Difference("There are changes after saving.") }
    } catch let error as ContextError
      where error.code == .validation || !error.constraintConflicts.isEmpty
    {
      note(number, "fails: \(error)")
      if let other = error.failures.first(where: { $0.rule != .required }) {
        throw Difference("Something else is wrong: \(other)")
      }
      context.rollback()
    } catch let error as ContextError
      where error.code == .conflict && !error.conflicts.isEmpty
    {
      note(number, "is in conflict: \(error.conflicts.map { "\($0)" })")
      context.rollback()
      context.refreshAllObjects()
    }
    interruption = nil
    try check(number)
  }

  /// Checks that the content of the parent or of the store is consistent.
  private func check(_ number: Int) throws {
    let context = contexts[number]
    if context.parent == nil { return try checkStore() }
    // Objects that the two contexts have read may be of different moments, so both refresh them.
    for one in [context.parent!, context] { one.performAndWait { one.refreshAllObjects() } }
    try check(context.parent!, "the parent")
  }

  /// Checks that the content of the store is consistent.
  func checkStore() throws {
    try check(ManagedObjectContext(try graph.reopened(), concurrency: .confined), "the store")
  }

  /// Checks the store and its file, and that all contexts see the same content.
  func checkAll() throws {
    try graph.checkFile()
    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    try check(fresh, "the store")
    let wanted = try contents(fresh)
    for context in contexts {
      context.performAndWait {
        context.rollback()
        context.refreshAllObjects()
      }
      let found = try contents(context)
      if found != wanted {
        let lines = Set(found).symmetricDifference(wanted).sorted()
        throw Difference("\(context.name!) sees something else: \(lines)")
      }
    }
  }

  private func check(_ context: ManagedObjectContext, _ what: String) throws {
    try context.performAndWait {
      // Each fetch would otherwise advance to what another process has just saved.
      let stores = try QueryGeneration(context.coordinator)
      try context.setQueryGeneration(stores)
      defer { try? context.setQueryGeneration(nil) }
      var wrong = try context.disagreements()
      let isStore = context.parent == nil && !contexts.contains { $0 === context }
      if isStore {
        let numbers = try context.fetch(Passport.self).map(\.number)
        if Set(numbers).count < numbers.count { wrong.append("numbers \(numbers.sorted())") }
        for person in try context.fetch(Person.self) where person.tripCount != person.trips.count {
          wrong.append("\(name(person)) counts \(person.tripCount) of \(person.trips.count) trips")
        }
      }
      if !wrong.isEmpty { throw Difference("In \(what): \(wrong.joined(separator: "; "))") }
    }
  }

  /// Returns the whole content, one line for each object.
  private func contents(_ context: ManagedObjectContext) throws -> [String] {
    try context.performAndWait {
      var lines: [String] = []
      for entity in ["Person", "Trip", "Stop", "Passport"] {
        for object in try context.fetch(FetchRequest(entity)) {
          let values = object.committedValues().sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value.text)" }
          let related = ["trips", "joined", "friends", "members", "stops"].compactMap { key in
            object.entity.relationships.contains { $0.name == key }
              ? "\(key) " + short((object.value(forKey: key) as! [ManagedObject]).map(\.objectID))
              : nil
          }
          lines.append("\(name(object)): \((values + related).joined(separator: ", "))")
        }
      }
      return lines.sorted()
    }
  }
}
