import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SQLiteStore
import StoreInterface

/// Compares the store in SQLite with SQLite's own C interface and prepared statements.
func runSQLiteBenchmarks(_ count: Int) throws {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "quire-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let usual = StorePlaces(StoreBackends([SQLiteStoreBackend()]), on: RealDisk())
  let companies = max(1, count / 100)
  func open(_ path: String, _ places: StorePlaces? = nil) -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(
      model: People.model, places: places ?? usual,
      classes: [PersonObject.self, CompanyObject.self])
    try! coordinator.addStore(at: path, type: .sqlite)
    return ManagedObjectContext(coordinator, concurrency: .confined)
  }
  func insert(at path: String) -> Int {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
    return ObjectBench.insert(count, into: open(path))
  }

  var inserting = Measurement(rounds: 5)
  inserting.add("SQLite: insert and save", count, "row") {
    try! SQLitePeer(count, companies: companies).path.utf8.count
  }
  let new = folder.appending(path: "new.sqlite").path
  inserting.add("insert and save", count, "row") { insert(at: new) }
  let first = inserting.report("Objects into SQLite (W1)")
  target(
    "insert and save / SQLite",
    Measurement.ratio(first, "insert and save", to: "SQLite: insert and save"), atMost: 1.35)

  let path = folder.appending(path: "people.sqlite").path
  _ = insert(at: path)
  let peer = try SQLitePeer(count, companies: companies)
  let all = peer.prepare("SELECT * FROM person")
  var reading = Measurement(rounds: 5)
  reading.add("SQLite: fetch all", count, "row") { SQLitePeer.materialize(all) }
  reading.add("rows alone", count, "row") {
    let store = try! usual.open(path, StoreOpening(readOnly: true))
    let snapshot = try! store.snapshot()
    return try! snapshot.tables[0].changes(ofEntity: snapshot.schema["Person"]!.entityNumber)!.count
  }
  reading.add("fetch all, all attributes", count, "row") {
    let context = open(path)
    return withExtendedLifetime(context) { ObjectBench.readAll(context) }
  }
  let times = reading.report("Objects out of SQLite (W3)")
  target(
    "fetch all, all attributes / SQLite",
    Measurement.ratio(times, "fetch all, all attributes", to: "SQLite: fetch all"), atMost: 1.3)

  // Measures the cost of the history when existing rows are changed: the store reads and keeps the old rows first.
  var changing = Measurement(rounds: 5)
  changing.add("SQLite: change one in ten", count / 10, "row") {
    peer.changeEach(10, of: count)
  }
  for (name, share) in [("change one in ten", 0.5), ("the same without history", 0)] {
    var options = SQLiteStoreOptions()
    options.historyShare = share
    let places = StorePlaces(
      StoreBackends([SQLiteStoreBackend(options: options)]), on: RealDisk())
    let copy = folder.appending(path: "\(share).sqlite").path
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let context = open(copy, places)
    let people = try context.fetch(
      PersonObject.self, where: QueryPredicate("modulus:by:(id, 10) == 1"))
    changing.add(name, count / 10, "row") {
      for person in people { person.balance += 1 }
      try! context.save()
      return people.count
    }
    changing.prepare { context.refreshAllObjects() }
  }
  changing.report("Changing objects in SQLite")
}
