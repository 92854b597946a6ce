import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SeededRandom
import StoreInterface

/// Random work in contexts side by side and nested, each compared with a naive model of it.
///
/// The choices of a step follow from the seed and the number of the step alone. So steps can be left out to find the few steps
/// that matter.
final class RandomWork {
  let kind: Kind
  let seed: UInt64
  let graph: Graph
  private var other: PersistentStoreCoordinator
  private(set) var seats: [Seat] = []
  /// The expected content of the store.
  private var saved = NaiveGraph()
  private var savedVersion = 0
  private var random: SeededGenerator
  /// A description of each step, for the report of a failure.
  private(set) var trace: [String] = []
  private var next = 0
  /// Whether there is one root context without children. Only then the order of ordered relationships is certain.
  private let isAlone: Bool

  init(_ kind: Kind, seed: UInt64) throws {
    self.kind = kind
    self.seed = seed
    random = SeededGenerator(seed: seed)
    isAlone = seed % 4 == 0
    graph = try Graph(kind, model: Wild.model, classes: [])
    other = graph.coordinator
    other = try reopened()

    try addRoot(graph.coordinator)
  }

  private func reopened() throws -> PersistentStoreCoordinator {
    if kind == .memory { return graph.coordinator }
    let coordinator = PersistentStoreCoordinator(
      model: Wild.model, places: graph.places)
    try coordinator.addStore(at: graph.path("/main.store"), type: kind.type)
    return coordinator
  }

  private func addRoot(_ coordinator: PersistentStoreCoordinator) throws {
    let context = ManagedObjectContext(coordinator, concurrency: place(nil))
    context.automaticallyMergesChangesFromParent = chance(1, in: 2)
    seat(Seat(nextName("root"), context, nil, saved, savedVersion))
  }

  private func seat(_ seat: Seat) {
    seat.policy = chance(1, in: 3) ? .error : NaivePolicy.allCases.randomElement(using: &random)!
    seats.append(seat)
  }

  /// Returns a random concurrency for a new context. A child of a confined parent is confined, because a child with its own
  /// queue could not save into the parent.
  private func place(_ parent: Seat?) -> ContextConcurrency {
    parent?.context.concurrency != .confined && chance(1, in: 2) ? .privateQueue : .confined
  }

  private func nextName(_ word: String) -> String {
    next += 1
    return "\(word)\(next)"
  }

  private func chance(_ one: Int, in many: Int) -> Bool {
    Int.random(in: 0..<many, using: &random) < one
  }

  // MARK: - Steps

  func step(_ number: Int) throws {
    random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ UInt64(number))
    if !isAlone, chance(1, in: 25) { try changeSeats() }
    let seat = seats.randomElement(using: &random)!
    try catchUp(seat)
    if seat.context.concurrency == .privateQueue, chance(1, in: 12) {
      try search(seat)
    } else {
      try work(seat)
    }
    if chance(1, in: 6) {
      try catchUp(seat)
      try seat.compare(&random, fetching: chance(1, in: 2), ordered: isAlone)
    }
    if chance(1, in: 30) { try compareAll() }
  }

  private func note(_ seat: Seat?, _ words: String) {
    trace.append("\(seat?.name ?? "world"): \(words)")
  }

  /// Compares every context, and a newly opened store, with the model.
  func compareAll() throws {
    note(nil, "compare all")
    for seat in seats {
      try catchUp(seat)
      try seat.compare(&random, fetching: true, ordered: isAlone)
    }
    let context = ManagedObjectContext(try reopened(), concurrency: .confined)
    let fresh = Seat("fresh", context, nil, saved, savedVersion)
    try fresh.compare(&random, fetching: true, ordered: isAlone)
  }

  private func changeSeats() throws {
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      if seats.filter({ $0.parent == nil }).count < 3 {
        try addRoot(chance(1, in: 2) ? graph.coordinator : other)
        note(seats.last, "is new")
      }
    case 1, 2, 3:
      guard seats.count < 6 else { return }
      let parent = seats.randomElement(using: &random)!
      try catchUp(parent)
      let context = ManagedObjectContext(parent: parent.context, concurrency: place(parent))
      seat(Seat(nextName("child"), context, parent, parent.now.seenFromAbove, parent.version))
      note(seats.last, "is a new child of \(parent.name)")
    default:
      let free = seats.filter { one in !seats.contains { $0.parent === one } }
      if seats.count > 1, let one = free.randomElement(using: &random) {
        note(one, "goes away")
        seats.removeAll { $0 === one }
      }
    }
  }

  /// Makes a context show the changes below it.
  private func catchUp(_ seat: Seat) throws {
    if let parent = seat.parent { try catchUp(parent) }
    let (beneath, version) = (
      seat.parent?.now.seenFromAbove ?? saved, seat.parent?.version ?? savedVersion
    )
    guard seat.seen != version else { return }
    note(seat, "refreshes all")
    seat.context.performAndWait { seat.context.refreshAllObjects() }
    look(seat, beneath, version)
  }

  private func look(_ seat: Seat, _ beneath: NaiveGraph, _ version: Int) {
    let (mine, reverted) = seat.repairs.reverted(from: seat.now)
    let (merged, repairs) = NaiveGraph.merged(
      base: seat.base, mine: mine, theirs: beneath, reverted: reverted)
    seat.repairs = repairs
    if merged != seat.now {
      seat.now = merged
      seat.version += 1
    }
    seat.base = beneath
    seat.seen = version
    seat.dropGone()
  }

  // MARK: - Random steps in a context

  private func work(_ seat: Seat) throws {
    let ids = seat.now.objects.keys.sorted()
    let one = ids.randomElement(using: &random)
    let choice = Int.random(in: 0..<100, using: &random)
    let isBefore = seat.now
    try seat.context.performAndWait {
      switch choice {
      case 0..<18: try insert(seat)
      case 18..<38: if let one { try change(one, in: seat) }
      case 38..<62: if let one { try relate(one, in: seat) }
      case 62..<69: if let one { delete(one, ids, in: seat) }
      case 69..<72: if let one { refresh(one, in: seat) }
      case 72..<75: forget(seat)
      case 75..<77: rollback(seat)
      case 77: reset(seat)
      case 78..<82:
        note(seat, "processes")
        try seat.context.processPendingChanges()
      case 82..<85:
        if let one {
          note(seat, "looks for \(short(one))")
          let object = try seat.context.existingObject(with: one)
          try seat.require(object.objectID == one, "another object for \(short(one))")
        }
      default: try save(seat)
      }
    }
    if seat.now != isBefore { seat.version += 1 }
  }

  /// Starts a search that runs on another thread during the next steps.
  private func search(_ seat: Seat) throws {
    let question = NaiveQuestion.all.randomElement(using: &random)!
    let search = RandomSearch(question, RandomSearch.Form.allCases.randomElement(using: &random)!)
    note(seat, "searches for \(search.form) with \(question.text), while it")
    seat.isRecording = true
    defer { seat.isRecording = false }
    try search.begin(in: seat.context)
    for _ in 0..<Int.random(in: 0..<4, using: &random) { try work(seat) }
    if chance(1, in: 6) {
      note(seat, "cancels the search")
      search.cancel()
    }
    try search.finish(of: seat)
  }

  private func insert(_ seat: Seat) throws {
    let entity = ["Node", "Node", "SubNode", "Badge", "Item", "Item", "Guard", "Tag"].randomElement(
      using: &random)!
    guard seat.now.objects.count < 60 else { return }
    let object = try seat.context.insert(entity)
    let id = object.objectID
    try seat.require(seat.now.objects[id] == nil, "\(short(id)) is there already")
    note(seat, "inserts \(short(id))")
    seat.held[id] = object
    seat.now.objects[id] = NaiveGraph.Object(entity: entity)
    seat.insertions.append(id)
    if chance(1, in: 4) { label(id, in: seat) }
    if chance(2, in: 3) { try change(id, in: seat) }
    if chance(1, in: 3) { try relate(id, in: seat) }
  }

  private func label(_ id: ObjectID, in seat: Seat) {
    let value = chance(1, in: 4) ? .null : Wild.label(&random)
    note(seat, "labels \(short(id)) \(value.text)")
    seat.object(id)[Wild.label] = value
    seat.now.objects[id]!.values[Wild.label] = value == .null ? nil : value
  }

  private func change(_ id: ObjectID, in seat: Seat) throws {
    if chance(1, in: seat.base.objects[id] == nil ? 6 : 40) { label(id, in: seat) }
    let attributes = Wild.attributes(of: seat.now.objects[id]!.entity)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let (name, type) = attributes.randomElement(using: &random)!
      let value = Wild.value(type, Wild.pattern(of: name, seed: seed), &random)
      note(seat, "sets \(name) of \(short(id)) to \(value.text.prefix(20))")
      if chance(1, in: 2) {
        seat.object(id)[name] = value
      } else {
        try seat.object(id).setValues([name: value])
      }
      seat.now.objects[id]!.values[name] = value == .null ? nil : value
    }
  }

  private func relate(_ id: ObjectID, in seat: Seat) throws {
    let relations = Wild.relations(of: seat.now.objects[id]!.entity)
    let relation = relations.randomElement(using: &random)!
    let others = seat.now.all(relation.destination)
    let name = relation.name
    let object = seat.object(id)
    switch relation.shape {
    case .oneToOne, .reference:
      let other = chance(1, in: 4) ? nil : others.randomElement(using: &random)
      note(seat, "leads \(name) of \(short(id)) to \(short(other))")
      object.setObjects(other.map { [seat.object($0)] } ?? [], forKey: name)
      seat.now.set(id, name, to: other)
    case .members, .links:
      // The context may renumber the members of an ordered relationship that keep their order in the naive model.
      seat.version += 1
      let there = seat.now.related(id, name)
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        guard let other = others.randomElement(using: &random) else { return }
        note(seat, "adds \(short(other)) to \(name) of \(short(id))")
        object.add(seat.object(other), to: name)
        seat.now.add(other, to: id, name)
      case 2:
        guard let other = there.randomElement(using: &random) else { return }
        note(seat, "removes \(short(other)) from \(name) of \(short(id))")
        object.remove(seat.object(other), from: name)
        seat.now.remove(other, from: id, name)
      case 3:
        let wanted = there.shuffled(using: &random)
        note(seat, "sets \(name) of \(short(id)) to \(wanted.map { short($0) }), another order")
        object.setObjects(wanted.map { seat.object($0) }, forKey: name)
        seat.now.set(id, name, to: wanted)
      default:
        let wanted = (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in
          others.randomElement(using: &random)
        }
        note(seat, "sets \(name) of \(short(id)) to \(wanted.map { short($0) })")
        object.setObjects(wanted.map { seat.object($0) }, forKey: name)
        seat.now.set(id, name, to: wanted)
      }
    }
  }

  private func delete(_ one: ObjectID, _ ids: [ObjectID], in seat: Seat) {
    var doomed: Set<ObjectID> = [one]
    if chance(1, in: 3), let more = ids.randomElement(using: &random) { doomed.insert(more) }
    note(seat, "deletes \(short(doomed))")
    for id in doomed { seat.context.delete(seat.object(id)) }
    seat.now.delete(Array(doomed))
    for id in seat.held.keys where seat.now.objects[id] == nil { seat.held[id] = nil }
  }

  private func refresh(_ id: ObjectID, in seat: Seat) {
    note(seat, "refreshes \(short(id))")
    seat.context.refresh(seat.object(id), mergeChanges: true)
  }

  private func forget(_ seat: Seat) {
    note(seat, "drops what it holds")
    if chance(1, in: 2) {
      seat.held = [:]
    } else {
      seat.held = seat.held.filter { _ in chance(1, in: 2) }
    }
    _ = seat.context.registeredObjects
  }

  private func rollback(_ seat: Seat) {
    note(seat, "rolls back")
    seat.context.rollback()
    seat.now = seat.base
    seat.repairs = NaiveRepairs()
    seat.held = seat.held.filter { seat.now.objects[$0.key] != nil }
  }

  private func reset(_ seat: Seat) {
    note(seat, "resets")
    seat.held = [:]
    seat.context.reset()
    seat.now = seat.base
    seat.repairs = NaiveRepairs()
  }

  private func save(_ seat: Seat) throws {
    // The result of a partial merge is not certain, so each context that merges automatically catches up before.
    for other in seats where other !== seat && other.context.automaticallyMergesChangesFromParent {
      try catchUp(other)
    }
    // A context without changes saves nothing, and validates nothing.
    let isNothing = !seat.context.hasChanges && seat.now == seat.base
    var merged = seat.now
    if !isNothing { while merged.mergeDuplicates(seat.policy, inserted: seat.inserted) {} }
    // An unchanged object that shares a value is not a failure. An object that was set to its own values may be one.
    let doubles = merged.doubles
    let changed = doubles.filter { merged.objects[$0] != seat.base.objects[$0] }
    if !isNothing, merged.isDenied || !doubles.isEmpty {
      note(seat, "fails to save")
      do {
        try seat.context.save()
      } catch let error as ContextError
        where error.code == .validation || !error.constraintConflicts.isEmpty
      {
        let rules = Set(error.failures.map(\.rule))
        try seat.require(rules.isSubset(of: [.deletionDenied]), "fails otherwise: \(error)")
        try seat.require(
          rules.contains(.deletionDenied) == merged.isDenied, "denies otherwise: \(error)")
        try seat.require(
          changed.isEmpty || !error.constraintConflicts.isEmpty,
          "shares \(short(doubles)): \(error)")
        rollback(seat)
        return
      }
      if merged.isDenied || !changed.isEmpty {
        throw Difference("\(seat.name): What can't be saved was.")
      }
    }
    seat.now = merged
    seat.dropGone()
    note(seat, "saves")
    try seat.context.save()
    if isNothing { return }
    try seat.require(!seat.context.hasChanges, "there are changes after saving")
    seat.now.denials = []
    seat.now.settle()
    merged = seat.now
    seat.base = merged
    defer { seat.repairs = NaiveRepairs() }
    if let parent = seat.parent {
      defer { parent.dropGone() }
      let before = parent.now
      parent.now =
        NaiveGraph.merged(
          base: parent.now.seenFromAbove, mine: merged, theirs: parent.now,
          denials: before.denials
        ).graph
      // The deletion of objects that the parent has inserted leaves no trace, so the repairs that follow from it are final.
      let isFinal = before.objects.keys.contains {
        parent.base.objects[$0] == nil && merged.objects[$0] == nil
      }
      if !isFinal { parent.repairs.add(seat.repairs, above: parent.base) }
      parent.insertions += merged.objects.keys.sorted().filter { before.objects[$0] == nil }
      if parent.now != before { parent.version += 1 }
      seat.seen = parent.version
    } else {
      // A save includes objects that were set to the values they had, and merges refresh these objects.
      saved = merged
      savedVersion += 1
      let before = seat.seen
      seat.seen = savedVersion
      for other in seats
      where other !== seat && other.parent == nil && other.seen == before
        && other.context.coordinator === seat.context.coordinator
        && other.context.automaticallyMergesChangesFromParent
      {
        note(other, "merges")
        // A context with its own queue merges there, so this waits for the queue.
        other.context.performAndWait {}
        look(other, saved, savedVersion)
      }
    }
  }
}
