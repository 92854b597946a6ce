import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SeededRandom
import StoreInterface

/// Random saves of one process, beside another process that saves into the same file.
///
/// Each process writes a line to its log before a save and another line after it, so the log shows which saves were
/// acknowledged.
struct ProcessWork {
  let folder: String
  let kind: Kind
  /// The number of the process, 0 or 1.
  let number: Int
  private var random: SeededGenerator
  private let context: ManagedObjectContext
  /// A child of the context that all steps share.
  private let child: ManagedObjectContext
  private let log: FileHandle
  private var ownTrips: [String] = []
  /// The number of trips that the process has inserted.
  private var tripCount = 0
  /// The number of acknowledged saves in the log.
  private(set) var savedCount = 0

  /// The number of trips, and of guides, that the processes share.
  static let sharedCount = 3

  init(_ kind: Kind, in folder: String, number: Int, seed: UInt64) throws {
    (self.folder, self.kind, self.number) = (folder, kind, number)
    random = SeededGenerator(seed: seed &+ UInt64(number))
    context = ManagedObjectContext(
      try ProcessWork.opened(kind, in: folder), concurrency: .confined)
    child = ManagedObjectContext(parent: context, concurrency: .confined)
    let path = ProcessWork.logPath(number, in: folder)
    try Data().write(to: URL(fileURLWithPath: path))
    log = FileHandle(forWritingAtPath: path)!
  }

  static func logPath(_ number: Int, in folder: String) -> String { "\(folder)/log\(number)" }

  static func storePath(_ folder: String) -> String { "\(folder)/main.store" }

  static func opened(_ kind: Kind, in folder: String) throws -> PersistentStoreCoordinator {
    let coordinator = PersistentStoreCoordinator(
      model: Travels.model, places: StorePlaces(Graph.backends, on: RealDisk()),
      classes: Travels.classes)
    try coordinator.addStore(at: storePath(folder), type: kind.type)
    return coordinator
  }

  /// Inserts the trips and guides that the processes share, and a person for each process.
  static func setUp(_ kind: Kind, in folder: String) throws {
    let context = ManagedObjectContext(try opened(kind, in: folder), concurrency: .confined)
    for index in 0..<sharedCount {
      try context.insert(Trip.self) { $0.name = "S\(index)" }
      try context.insert(Guide.self) { $0.name = "-" }
      try context.save()
    }
    for number in 0..<2 {
      try context.insert(Person.self) { $0.name = "own \(number)" }
      try context.save()
    }
  }

  // MARK: - Steps

  /// Does one random step, which saves nothing when no object for it exists yet.
  mutating func step() throws {
    let index = Int.random(in: 0..<ProcessWork.sharedCount, using: &random)
    context.mergePolicy = Bool.random(using: &random) ? .objectWins : .storeWins
    if Int.random(in: 0..<8, using: &random) == 0 { context.refreshAllObjects() }
    switch Int.random(in: 0..<11, using: &random) {
    case 0, 1:
      // The name of each trip is unique.
      tripCount += 1
      let name = "T\(number)-\(tripCount)"
      let owner = try guide(index)
      try save(.insert(name, owner: index)) { context in
        try context.insert(Trip.self) {
          $0.name = name
          $0.owner = owner
        }
      }
      ownTrips.append(name)
    case 2:
      guard let name = ownTrips.randomElement(using: &random) else { return }
      let trip = try trip(name)
      try save(.delete(name)) { $0.delete(trip) }
      ownTrips.removeAll { $0 == name }
    case 3: try count(index, inChild: false)
    case 4: try count(index, inChild: true)
    case 5:
      let guide = try guide(index)
      let value = Int.random(in: 0..<100, using: &random)
      if number == 0 {
        try save(.name(index, "N\(value)")) { _ in guide.name = "N\(value)" }
      } else {
        try save(.age(index, value)) { _ in guide.age = Int32(value) }
      }
    case 6:
      let trip = try trip("S\(index)")
      let own = try context.fetch(
        Person.self, where: try QueryPredicate("name == %@", "own \(number)"))[0]
      if trip.members.contains(own) {
        try save(.leave(index)) { _ in own.remove(trip, from: \.joined) }
      } else {
        try save(.join(index)) { _ in own.add(trip, to: \.joined) }
      }
    case 7:
      let value = Int.random(in: 0..<6, using: &random)
      context.mergePolicy = .objectWins
      try save(.passport("\(value)")) { context in
        try context.insert(Passport.self) { $0.number = "\(value)" }
      }
    case 8:
      guard let name = ownTrips.randomElement(using: &random) else { return }
      let (trip, owner) = (try trip(name), try guide(index))
      try save(.insert(name, owner: index)) { _ in trip.owner = owner }
    case 9:
      let trip = try trip("S\(index)")
      guard trip.stops.count > 1 else { return }
      let places = trip.stops.indices
      let (from, to) = (
        places.randomElement(using: &random)!, places.randomElement(using: &random)!
      )
      try save(nil) { _ in trip.move(in: "stops", from: from, to: to) }
    default:
      let name = "\(number)-\(Int.random(in: 0..<100_000, using: &random))"
      let trip = try trip("S\(index)")
      try save(.stop(index, name)) { context in
        try context.insert(Stop.self) {
          $0.place = name
          $0.trip = trip
        }
      }
    }
  }

  /// Increments a counter; after a conflict, reads the counter again and retries.
  private mutating func count(_ index: Int, inChild: Bool) throws {
    context.mergePolicy = .error
    while true {
      do {
        let trip = try trip("S\(index)")
        guard inChild else { return try save(.count(index)) { _ in trip.cost += 1 } }
        // The closure must not read a property while the function changes this value.
        let child = child
        child.refreshAllObjects()
        let same = child.object(trip)
        return try save(.count(index)) { [child] _ in
          same.cost += 1
          try child.save()
        }
      } catch let error as ContextError where error.code == .conflict {
        context.rollback()
        context.refreshAllObjects()
      }
    }
  }

  private func trip(_ name: String) throws -> Trip {
    try context.fetch(Trip.self, where: try QueryPredicate("name == %@", name))[0]
  }

  private func guide(_ index: Int) throws -> Guide {
    let all = try context.fetch(Guide.self)
    return all.sorted { $0.objectID < $1.objectID }[index]
  }

  private mutating func save(
    _ change: ProcessChange?, _ body: (ManagedObjectContext) throws -> Void
  ) throws {
    try note("?", change)
    try body(context)
    do { try context.save() } catch {
      try note("-", change)
      throw error
    }
    try note("+", change)
    if change != nil { savedCount += 1 }
  }

  private func note(_ mark: String, _ change: ProcessChange?) throws {
    // A step that only moves objects is not logged, because the result does not depend on it.
    guard let change else { return }
    let line = String(decoding: try JSONEncoder().encode(change), as: UTF8.self)
    try log.write(contentsOf: Data("\(mark)\(line)\n".utf8))
  }
}

/// A change that a process makes in one save.
enum ProcessChange: Codable, Hashable {
  case insert(String, owner: Int)
  case delete(String)
  case count(Int)
  case name(Int, String)
  case age(Int, Int)
  case join(Int)
  case leave(Int)
  case passport(String)
  case stop(Int, String)
}

/// The result of the saves of all processes. The order of the saves does not matter: the processes change different values, and
/// only add to the same counters.
struct ProcessOutcome: Equatable {
  var trips: [String: Int] = [:]
  var counts = [Int](repeating: 0, count: ProcessWork.sharedCount)
  var names = [String](repeating: "-", count: ProcessWork.sharedCount)
  var ages = [Int](repeating: 0, count: ProcessWork.sharedCount)
  /// The shared trips that each process has joined.
  var joined: [Set<Int>] = [[], []]
  var passports: Set<String> = []
  var stops: [Set<String>] = Array(repeating: [], count: ProcessWork.sharedCount)

  private mutating func apply(_ change: ProcessChange, of number: Int) {
    switch change {
    case .insert(let name, let owner): trips[name] = owner
    case .delete(let name): trips[name] = nil
    case .count(let index): counts[index] += 1
    case .name(let index, let name): names[index] = name
    case .age(let index, let age): ages[index] = age
    case .join(let index): joined[number].insert(index)
    case .leave(let index): joined[number].remove(index)
    case .passport(let value): passports.insert(value)
    case .stop(let index, let name): stops[index].insert(name)
    }
  }

  /// Returns the results that the logs allow: with all acknowledged saves, and with or without a save that was not acknowledged
  /// when its process ended.
  static func allowed(in folder: String) throws -> (outcomes: [ProcessOutcome], saveCount: Int) {
    var outcomes = [ProcessOutcome()]
    var saveCount = 0
    for number in 0..<2 {
      let text = try String(
        contentsOfFile: ProcessWork.logPath(number, in: folder), encoding: .utf8)
      var open: ProcessChange?
      for line in text.split(separator: "\n") {
        let change = try JSONDecoder().decode(
          ProcessChange.self, from: Data(line.dropFirst().utf8))
        open = line.hasPrefix("?") ? change : nil
        guard line.hasPrefix("+") else { continue }
        saveCount += 1
        for index in outcomes.indices { outcomes[index].apply(change, of: number) }
      }
      guard let open else { continue }
      outcomes += outcomes.map { outcome in
        var other = outcome
        other.apply(open, of: number)
        return other
      }
    }
    return (outcomes, saveCount)
  }

  /// Creates the result that a store contains.
  init(_ context: ManagedObjectContext) throws {
    let guides = try context.fetch(Guide.self).sorted { $0.objectID < $1.objectID }
    names = guides.map(\.name)
    ages = guides.map { Int($0.age) }
    let all = try context.fetch(Trip.self, sortedBy: [SortKey("name")])
    let shared = all.filter { $0.name.hasPrefix("S") }
    for trip in all where !trip.name.hasPrefix("S") {
      trips[trip.name] = trip.owner.flatMap { guides.firstIndex(of: $0 as! Guide) } ?? -1
    }
    counts = shared.map { Int($0.cost) }
    stops = shared.map { Set($0.stops.map(\.place)) }
    for number in 0..<2 {
      let own = try context.fetch(
        Person.self, where: try QueryPredicate("name == %@", "own \(number)"))
      joined[number] = Set(shared.indices.filter { shared[$0].members.contains(own[0]) })
    }
    let numbers = try context.fetch(Passport.self).map(\.number)
    passports = Set(numbers)
    if passports.count < numbers.count { passports.insert("twice") }
  }

  init() {}
}
