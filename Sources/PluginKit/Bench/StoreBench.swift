package import DurableFiles
package import ObjectModel
import ObjectQuery
import Rows
package import StoreInterface

/// Measures a store beside another one, the reference, with the same objects.
///
/// ```text
/// let bench = StoreBench(backend, beside: BinaryStoreBackend(), on: RealDisk(), in: folder)
/// for result in try bench.run() { print(result.workload, result.ratio) }
/// ```
///
/// Each round makes a new store of both kinds and runs each workload on both stores, one right after the other. After
/// each workload the bench compares the results of both stores, so that a store with wrong results gets no ratio.
package struct StoreBench {
  /// A kind of work that is measured.
  package enum Workload: String, CaseIterable {
    case bulkSave = "bulk-save"
    case oneObjectSave = "one-object-save"
    case scan
    case lookUp = "look-up"
    case query
    case open

    package var title: String {
      switch self {
      case .bulkSave: "bulk save"
      case .oneObjectSave: "one-object save"
      case .scan: "scan"
      case .lookUp: "look-up by key"
      case .query: "query"
      case .open: "open"
      }
    }
  }

  /// The median times of a workload in seconds, or the reason why the workload was not measured.
  package struct Result {
    package let workload: Workload
    package let reference: Double
    package let candidate: Double
    package let reason: String?

    /// The candidate's time divided by that of the reference.
    package var ratio: Double { candidate / reference }
  }

  /// An error of the candidate store.
  package struct Failure: Error {
    package let workload: Workload
    package let cause: any Error
  }

  /// Results of the candidate store that differ from those of the reference.
  package struct Difference: Error {
    package let workload: Workload
    package let expected: Reading
    package let found: Reading
  }

  /// The results of a workload: the number of objects, and the hash of all values in their order.
  ///
  /// Both stores are read in the same process, so equal values have equal hashes.
  package struct Reading: Equatable {
    package var count = 0
    private var hasher = Hasher()

    /// Adds the values of an object.
    package mutating func add(_ values: [Value]) {
      count += 1
      hasher.combine(values)
    }

    package static func == (one: Reading, other: Reading) -> Bool {
      one.count == other.count && one.hasher.finalize() == other.hasher.finalize()
    }
  }

  private let objects: BenchObjects
  private let reference: Side
  private let candidate: Side
  package let rounds: Int

  package init(
    _ candidate: any StoreBackend, beside reference: any StoreBackend, on disk: any Disk,
    in folder: String, count: Int = 20_000, rounds: Int = 5, seed: UInt64 = 1
  ) {
    objects = BenchObjects(count: count, seed: seed)
    self.reference = Side(reference, disk, folder.appendingPathComponent("reference"), objects)
    self.candidate = Side(candidate, disk, folder.appendingPathComponent("candidate"), objects)
    self.rounds = rounds
  }

  /// Runs all rounds and returns the results.
  ///
  /// - Parameter progress: Called with the completed share of the work.
  /// - Throws: ``Failure``, ``Difference``, or an error of the reference.
  package func run(progress: (Double) -> Void = { _ in }) throws -> [Result] {
    defer {
      try? reference.close()
      try? candidate.close()
    }
    var reasons: [Workload: String] = [:]
    for workload in Workload.allCases { reasons[workload] = reason(against: workload) }
    var (times, referenceTimes): ([Workload: [Double]], [Workload: [Double]]) = ([:], [:])
    let steps = Double(rounds * Workload.allCases.count)
    var step = 0.0
    for round in 0..<rounds {
      for workload in Workload.allCases {
        step += 1
        // The later workloads need the objects, also if the bulk save is not measured.
        guard reasons[workload] == nil || workload == .bulkSave else { continue }
        // Each store is the first in every second round, because the first one warms up caches for the other.
        var readings: (expected: Reading?, found: Reading?)
        for isCandidate in round % 2 == 0 ? [false, true] : [true, false] {
          if isCandidate {
            do {
              let outcome = try candidate.perform(workload, round)
              guard let outcome else {
                reasons[workload] = "the store does not answer the requests of the bench"
                continue
              }
              times[workload, default: []] += outcome.times
              readings.found = outcome.reading
            } catch { throw Failure(workload: workload, cause: error) }
          } else if let outcome = try reference.perform(workload, round) {
            referenceTimes[workload, default: []] += outcome.times
            readings.expected = outcome.reading
          }
        }
        if let expected = readings.expected, let found = readings.found, expected != found {
          throw Difference(workload: workload, expected: expected, found: found)
        }
        progress(step / steps)
      }
    }
    return Workload.allCases.map { workload in
      Result(
        workload: workload, reference: Self.median(referenceTimes[workload] ?? []),
        candidate: Self.median(times[workload] ?? []), reason: reasons[workload])
    }
  }

  /// Returns the reason why a workload can't be measured; `nil` if the candidate has the capability that it needs.
  private func reason(against workload: Workload) -> String? {
    let (capability, name): (StoreCapabilities, String)
    switch workload {
    case .bulkSave, .oneObjectSave, .open: (capability, name) = (.durable, "durable")
    case .query: (capability, name) = (.querying, "querying")
    case .scan, .lookUp: return nil
    }
    if candidate.backend.capabilities.contains(capability) { return nil }
    return "the store does not declare the capability '\(name)'"
  }

  /// Returns the middle of the values, or the mean of the two middle ones; 0 for an empty list.
  package static func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}

/// One of the two stores that are measured.
private final class Side {
  let backend: any StoreBackend
  private let disk: any Disk
  private let folder: String
  private let objects: BenchObjects
  private var opened: (store: any Store, keys: BenchObjects.Keys)?
  private var path = ""

  init(_ backend: any StoreBackend, _ disk: any Disk, _ folder: String, _ objects: BenchObjects) {
    (self.backend, self.disk, self.folder, self.objects) = (backend, disk, folder, objects)
  }

  func close() throws {
    try opened?.store.close()
    opened = nil
  }

  /// Runs a workload. Returns the times of one operation each, and the results to compare; `nil` if the store does
  /// not answer requests.
  func perform(
    _ workload: StoreBench.Workload, _ round: Int
  ) throws -> (times: [Double], reading: StoreBench.Reading)? {
    switch workload {
    case .bulkSave: try fill(round)
    case .oneObjectSave: try saveOneByOne(round)
    case .scan: try scan()
    case .lookUp: try lookUp(round)
    case .query: try query()
    case .open: try open()
    }
  }

  /// Returns the time of an action in seconds.
  private static func time(_ body: () throws -> Void) rethrows -> Double {
    let duration = try ContinuousClock().measure(body)
    // Avoid a division by zero if the clock did not move.
    return max(duration / .seconds(1), 1e-9)
  }

  /// Makes a new store and saves all objects at once.
  private func fill(_ round: Int) throws -> ([Double], StoreBench.Reading) {
    try close()
    path = folder + "-\(round)"
    let store = try backend.create(
      at: path, model: BenchObjects.model, on: disk, StoreCreation())
    do {
      let keys = try BenchObjects.Keys(store, objects)
      opened = (store, keys)
    } catch {
      try? store.close()
      throw error
    }
    let request = objects.request(opened!.keys, above: try store.snapshot())
    let time = try Self.time { try store.commit(request) }
    return ([time], try reading(Array(objects.people.indices.suffix(1)), of: store))
  }

  private static let savesInRound = 5

  /// Changes one object in each of several saves.
  private func saveOneByOne(_ round: Int) throws -> ([Double], StoreBench.Reading) {
    let (store, keys) = opened!
    var random = objects.random(inRound: round)
    var (times, changed): ([Double], [Int]) = ([], [])
    for save in 0..<Self.savesInRound {
      let place = Int.random(in: objects.people.indices, using: &random)
      let age = Int64.random(in: 18..<90, using: &random)
      changed.append(place)
      times.append(
        try Self.time {
          let base = try store.snapshot()
          let key = keys.person(place)
          let version = try base.view.row(of: key)?.version ?? 0
          let builder = LayerBuilder(base.schema)
          for (name, value) in [("age", Value.integer(age)), ("note", .string("save \(save)"))] {
            builder.set(value, column: keys.column(name, of: "Person"), of: key, basis: version)
          }
          try store.commit(CommitRequest(builder.freeze(), basedOn: base))
        })
    }
    return (times, try reading(changed, of: store))
  }

  /// Opens the store again, so that nothing is in its memory. A store that ends when it is closed stays open.
  private func reopened() throws -> any Store {
    let (store, keys) = opened!
    guard backend.capabilities.contains(.durable) else { return store }
    try close()
    let again = try backend.open(path, on: disk, StoreOpening())
    opened = (again, keys)
    return again
  }

  /// Reads all values of all objects.
  private func scan() throws -> ([Double], StoreBench.Reading) {
    let (store, keys) = (try reopened(), opened!.keys)
    var rows: [[Value]] = []
    rows.reserveCapacity(objects.people.count + objects.companies.count)
    let time = try Self.time {
      let view = try store.snapshot().view
      for layout in [keys.people, keys.companies] {
        for number in try view.keys(ofEntity: layout.entityNumber) {
          let key = ObjectKey(entity: layout.entityNumber, number: number)
          guard let row = try view.row(of: key) else { continue }
          rows.append(try layout.columns.map { try row.value($0) })
        }
      }
    }
    var reading = StoreBench.Reading()
    for row in rows { reading.add(row.map { keys.shared($0) }) }
    return ([time], reading)
  }

  private static let lookUpsInRound = 1000

  /// Reads all values of random people by their keys.
  private func lookUp(_ round: Int) throws -> ([Double], StoreBench.Reading) {
    let store = try reopened()
    var random = objects.random(inRound: round)
    let places = (0..<min(Self.lookUpsInRound, objects.people.count)).map { _ in
      Int.random(in: objects.people.indices, using: &random)
    }
    var rows: [[Value]] = []
    rows.reserveCapacity(places.count)
    let time = try Self.time { rows = try values(of: places, in: store) }
    return ([time / Double(places.count)], reading(rows))
  }

  /// Returns the values of the people at some places. A person that the store lacks gets an empty list.
  private func values(of places: [Int], in store: any Store) throws -> [[Value]] {
    let keys = opened!.keys
    let view = try store.snapshot().view
    return try places.map { place in
      guard let row = try view.row(of: keys.person(place)) else { return [] }
      return try keys.people.columns.map { try row.value($0) }
    }
  }

  private func reading(_ places: [Int], of store: any Store) throws -> StoreBench.Reading {
    reading(try values(of: places, in: store))
  }

  private func reading(_ rows: [[Value]]) -> StoreBench.Reading {
    var reading = StoreBench.Reading()
    for row in rows where !row.isEmpty { reading.add(row.map { opened!.keys.shared($0) }) }
    return reading
  }

  /// The requests of the bench: an equality, a condition with an order and a limit, and a range in the order of keys.
  private static let requests: [QueryRequest] = {
    // Each order is total, so there is one right answer.
    let id = SortKey("id")
    return [
      QueryRequest("Person", where: try! QueryPredicate("age == 40"), sortedBy: [id]),
      QueryRequest(
        "Person", where: try! QueryPredicate("name BEGINSWITH 'Ba' AND balance > 2500"),
        sortedBy: [SortKey("name"), id], limit: 20),
      QueryRequest(
        "Person", where: try! QueryPredicate("age BETWEEN {30, 34} AND isActive == YES"),
        sortedBy: [id]),
    ]
  }()

  /// Finds the objects of each request. The store itself must answer if it declares that it can.
  private func query() throws -> ([Double], StoreBench.Reading)? {
    let (store, keys) = (try reopened(), opened!.keys)
    if backend.capabilities.contains(.querying) {
      guard let querying = store.features.querying else { return nil }
      let snapshot = try store.snapshot()
      for request in Self.requests {
        guard try querying.keys(answering: request, in: snapshot) != nil else { return nil }
      }
    }
    var found: [[ObjectKey]] = []
    let fresh = try reopened()
    let time = try Self.time {
      let snapshot = try fresh.snapshot()
      for request in Self.requests { found.append(try fresh.keys(request, in: snapshot)) }
    }
    var reading = StoreBench.Reading()
    for key in found.joined() { reading.add([keys.shared(.object(key))]) }
    return ([time / Double(Self.requests.count)], reading)
  }

  private static let openingsInRound = 3

  /// Opens the store, reads which commit is the newest, and closes the store.
  private func open() throws -> ([Double], StoreBench.Reading) {
    var times: [Double] = []
    for _ in 0..<Self.openingsInRound {
      try opened?.store.close()
      times.append(
        try Self.time {
          let store = try backend.open(path, on: disk, StoreOpening())
          _ = try store.snapshot()
          try store.close()
        })
    }
    let store = try reopened()
    return (times, try reading(Array(objects.people.indices.prefix(1)), of: store))
  }
}
