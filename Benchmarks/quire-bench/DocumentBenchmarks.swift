import BinaryStore
import Documents
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface

/// Measures how long the main actor is blocked while a document with 10 000 changed objects is saved. Also compares one small
/// save of a document with a small save of a bare store and of SQLite.
func runDocumentBenchmarks(_ count: Int) throws {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "quire-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let bench = DocumentBench(folder: folder, count: min(count, 100_000))
  try MainLoop.run { try await bench.measurePauses() }
  try bench.measureSmallSaves()
}

/// Runs asynchronous work together with the main actor, and records the longest turn of the main run loop.
private enum MainLoop {
  @MainActor static var longest = 0.0

  @MainActor
  static func spin(until isDone: () -> Bool) {
    while !isDone() {
      let start = DispatchTime.now().uptimeNanoseconds
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.0005))
      let end = DispatchTime.now().uptimeNanoseconds
      longest = max(longest, Double(end - start) / 1e6)
    }
  }

  static func run(_ body: @escaping @MainActor () async throws -> Void) throws {
    try MainActor.assumeIsolated {
      var outcome: Result<Void, any Error>?
      Task { @MainActor in
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
      }
      spin { outcome != nil }
      try outcome?.get()
    }
  }
}

private struct DocumentBench: Sendable {
  let folder: URL
  let count: Int
  private var places: StorePlaces {
    StorePlaces(StoreBackends([BinaryStoreBackend()]), on: RealDisk())
  }

  @MainActor
  func measurePauses() async throws {
    print("\nThe longest turn of the main actor while a document is saved (must: 5 ms)")
    var options = DocumentOptions()
    options.autosave = nil
    let path = folder.appending(path: "Pauses.quire").path
    let document = try await ManagedDocument.create(path, model: People.model, in: places, options)
    let count = count
    try await document.write { context in
      for i in 0..<count {
        let person = Person(i, companies: 1)
        let object = try context.insert("Person")
        object["id"] = .integer(Int64(i))
        object["firstName"] = .string(person.firstName)
        object["lastName"] = .string(person.lastName)
        object["age"] = .integer(person.age)
        object["balance"] = .double(person.balance)
        object["created"] = .date(Date(timeIntervalSinceReferenceDate: person.created))
        object["note"] = .string(person.note)
        object["active"] = .boolean(person.active)
      }
    }
    try await document.save()
    let people = try document.mainContext.fetch(FetchRequest("Person", limit: 10_000))
    func changed(_ what: String, _ change: (Int, ManagedObject) -> Void) async throws {
      var pauses: [Double] = []
      for round in 0..<7 {
        for (i, person) in people.enumerated() { change(i + round * 7, person) }
        // The turns of the user's own changes are not a pause of the save. They are over after this wait.
        try await Task.sleep(for: .milliseconds(50))
        MainLoop.longest = 0
        try await document.save()
        for _ in 0..<200 { try await Task.sleep(for: .milliseconds(1)) }
        pauses.append(MainLoop.longest)
      }
      let shown = pauses.dropFirst().map { format($0) }.joined(separator: ", ")
      print(
        "  \(pad(what, 44)) \(format(Measurement.median(Array(pauses.dropFirst())))) ms (\(shown))")
    }
    try await changed("10 000 objects, one attribute each") { i, person in
      person["age"] = .integer(Int64(18 + i % 70))
    }
    try await changed("10 000 objects, four attributes each") { i, person in
      person["age"] = .integer(Int64(18 + i % 70))
      person["note"] = .string("A note of round \(i)")
      person["balance"] = .double(Double(i))
      person["active"] = .boolean(i % 2 == 0)
    }
    var last = 0
    try await changed("10 000 objects inserted") { i, _ in
      last += 1
      let object = try! document.mainContext.insert("Person")
      object["id"] = .integer(Int64(count + last))
      for name in ["firstName", "lastName", "note"] { object[name] = .string("Person \(i)") }
      object["age"] = .integer(20)
      object["balance"] = .double(1)
      object["created"] = .date(Date(timeIntervalSinceReferenceDate: 0))
      object["active"] = .boolean(true)
    }
    try await document.close()
  }

  /// Measures the save of one changed object in a document, a bare store and SQLite.
  func measureSmallSaves() throws {
    var bench = Measurement(rounds: 5)
    let changeCount = 40
    func saving(_ context: ManagedObjectContext) throws -> () -> Int {
      for i in 0..<100 {
        let object = try context.insert("Company")
        object["name"] = .string("Company \(i)")
      }
      try context.save()
      let company = try context.fetch(FetchRequest("Company"))[0]
      var number = 0
      return {
        for _ in 0..<changeCount {
          number += 1
          company["name"] = .string("Company \(number)")
          try! context.save()
        }
        return number
      }
    }
    let document = try Document.create(
      folder.appending(path: "Small.quire").path, model: People.model, in: places)
    let coordinator = PersistentStoreCoordinator(model: People.model)
    try coordinator.add(document.stores[0])
    let inDocument = try saving(ManagedObjectContext(coordinator, concurrency: .confined))
    while document.manifest.versions.count < 300 { _ = inDocument() }
    bench.add("a document of 300 versions", changeCount, "save", inDocument)
    let bare = PersistentStoreCoordinator(model: People.model, places: places)
    try bare.addStore(at: folder.appending(path: "Small.store").path)
    bench.add(
      "a bare store", changeCount, "save",
      try saving(ManagedObjectContext(bare, concurrency: .confined)))
    let peer = try SQLitePeer(1000, companies: 100)
    peer.addCompanies(100)
    var number = 0
    bench.add("SQLite, WAL, synchronous=FULL", changeCount, "save") {
      peer.run("PRAGMA synchronous=FULL")
      for _ in 0..<changeCount {
        number += 1
        peer.run("UPDATE company SET name = 'Company \(number)' WHERE id = 1")
      }
      return number
    }
    let times = bench.report("One changed object saved, \(changeCount) times")
    for other in ["a bare store", "SQLite, WAL, synchronous=FULL"] {
      let ratio = Measurement.ratio(times, "a document of 300 versions", to: other)
      print("  a document of 300 versions is \(format(ratio)) of \(other)")
    }
    try document.close()
  }
}
