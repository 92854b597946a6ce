import CSQLite3
import Entities
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery

// The rest of the table: fetches with an index, a cold page cache, sizes, and rows of numbers.
extension ObjectBench {
  /// Measures filters and sorts that an index speeds up (W4).
  func measureIndexed() throws {
    guard
      [
        "SQLite: filter and sort, indexed", "filter and sort, indexed",
        "filter and sort, indexed, whole",
      ].contains(where: Measurement.isWanted)
    else { return }
    var measurement = Measurement(rounds: 5)
    let other = SQLitePeer(copying: peer)
    other.run("CREATE INDEX person_name ON person (lastName, age)")
    other.run("ANALYZE")
    let statement = other.prepare(SQLitePeer.filterAndSort)
    measurement.add("SQLite: filter and sort, indexed", 1, "request") {
      SQLitePeer.materialize(statement)
    }
    let path = folder.appending(path: "indexed").path
    insert(at: path, model: People.indexedModel)
    let context = open(path, model: People.indexedModel)
    measurement.add("filter and sort, indexed", 1, "request") {
      try! context.fetch(ObjectBench.filterAndSort).count
    }
    measurement.prepare { tidyMemory() }
    // SQLite's side reads every attribute, so this work is the fair one.
    measurement.add("filter and sort, indexed, whole", 1, "request") {
      ObjectBench.readHits(context)
    }
    measurement.prepare { tidyMemory() }
    let times = measurement.report("Filter and sort with an index (W4)")
    ratio(times, "filter and sort, indexed", atMost: 0.25)
    target(
      "filter and sort, indexed, whole / SQLite",
      Measurement.ratio(
        times, "filter and sort, indexed, whole", to: "SQLite: filter and sort, indexed"),
      atMost: 0.40)
    sqlite3_finalize(statement)
    try FileManager.default.removeItem(atPath: path)
  }

  /// Measures how much longer the first save takes when it builds an index of names and ages.
  func measureIndexing() throws {
    guard Measurement.isWanted("SQLite: build an index") else { return }
    var measurement = Measurement(rounds: 5)
    let other = SQLitePeer(copying: peer)
    measurement.add("SQLite: build an index", count, "row") {
      other.run("CREATE INDEX person_name ON person (lastName, age)")
      return 1
    }
    measurement.prepare { other.run("DROP INDEX IF EXISTS person_name") }
    let path = folder.appending(path: "indexed").path
    measurement.add("build an index: the save without it", count, "row") { self.insert(at: path) }
    measurement.add("build an index: the save with it", count, "row") {
      self.insert(at: path, model: People.indexedModel)
    }
    let times = measurement.run()
    let building = Measurement.median(
      zip(times["build an index: the save with it"]!, times["build an index: the save without it"]!)
        .map { $0 - $1 })
    let theirs = Measurement.median(times["SQLite: build an index"]!)
    print("\nBuilding an index of names and ages")
    print("  SQLite: build an index    \(format(theirs / 1e6)) ms")
    print("  in the first save         \(format(building / 1e6)) ms")
    target("index in the first save / SQLite", building / theirs, atMost: 0.25)
    try FileManager.default.removeItem(atPath: path)
  }

  /// Returns the number of bytes of a file.
  static func size(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.size] as! Int
  }

  /// Reads every attribute of the people of each company.
  static func readCompanies(_ context: ManagedObjectContext) -> Int {
    try! context.fetch(CompanyObject.self).reduce(0) { sum, company in
      let city = company.city.utf8.count
      return company.people.reduce(sum) { $0 &+ $1.readAll() &+ city }
    }
  }

  /// Filters and sorts people, and reads every attribute of the hits.
  static func readHits(_ context: ManagedObjectContext) -> Int {
    try! context.fetch(filterAndSort).reduce(0) { $0 &+ $1.readAll() }
  }

  static let filterAndSort = try! FetchRequest(
    PersonObject.self, where: QueryPredicate("lastName BEGINSWITH 'Sm' AND age > 40"),
    sortedBy: [SortKey("lastName"), SortKey("age")])

  /// Measures opening a store while no part of its file is in the page cache (W2).
  func measureOpeningCold() throws {
    var measurement = Measurement(rounds: 9)
    let (path, middle) = (wholePath, count / 2)
    let theirs = folder.appending(path: "cold.sqlite").path
    try FileManager.default.copyItem(atPath: peer.path, toPath: theirs)
    measurement.add("SQLite: open cold and fetch one", 1, "object") {
      SQLitePeer.openingAndReading(theirs, middle, settings: SQLitePeer.coldSettings)
    }
    measurement.prepare { OpeningBench.dropFromCache(theirs) }
    let one = try open(path).fetchIdentifiers(
      FetchRequest(PersonObject.self, where: QueryPredicate("id == \(middle)")))[0]
    measurement.add("open cold and fetch one", 1, "object") {
      let context = self.open(path)
      return withExtendedLifetime(context) {
        (try! context.existingObject(with: one) as! PersonObject).readAll()
      }
    }
    measurement.prepare { OpeningBench.dropFromCache(path) }
    let times = measurement.report("Opening with a cold page cache (W2)")
    ratio(times, "open cold and fetch one", atMost: 0.20)
  }

  /// Prints the sizes of files, and the bytes that a save adds to a file (W5, W9).
  func measureSizes() throws {
    guard Measurement.isWanted("sizes") else { return }
    print("\nSizes (W5, W9)")
    let whole = try ObjectBench.size(wholePath)
    target(
      "file size / SQLite", Double(whole) / Double(try ObjectBench.size(peer.path)), atMost: 0.65)
    let path = folder.appending(path: "grown").path
    try FileManager.default.copyItem(atPath: wholePath, toPath: path)
    let context = open(path)
    let person = try context.fetch(PersonObject.self, where: QueryPredicate("id == 8"))[0]
    person.balance += 1
    try context.save()
    target(
      "bytes of a save that changes one", Double(try ObjectBench.size(path) - whole), atMost: 2048)
    try FileManager.default.removeItem(atPath: path)
  }

  /// Measures inserting 50 000 objects of ten numbers, and reading 200 000 such objects (P1 of the anchors).
  func measureNumbers() throws {
    guard
      ["SQLite: insert numbers", "insert numbers", "SQLite: read numbers", "read numbers"]
        .contains(where: Measurement.isWanted)
    else { return }
    var measurement = Measurement(rounds: 5)
    let ours = folder.appending(path: "numbers").path
    let theirs = folder.appending(path: "numbers.sqlite").path
    let (few, many) = (50_000, 200_000)
    measurement.add("SQLite: insert numbers", few, "row") {
      NumberPeer(theirs).insert(few)
      return few
    }
    measurement.prepare { NumberPeer.remove(theirs) }
    measurement.add("insert numbers", few, "row") { NumberObject.insert(few, at: ours) }
    measurement.prepare { try? FileManager.default.removeItem(atPath: ours) }
    let manyOurs = ours + "-many"
    let manyTheirs = folder.appending(path: "many-numbers.sqlite").path
    _ = NumberObject.insert(many, at: manyOurs)
    NumberPeer(manyTheirs).insert(many)
    measurement.add("SQLite: read numbers", many, "row") { NumberPeer(manyTheirs).readAll() }
    measurement.add("read numbers", many, "row") { NumberObject.readAll(at: manyOurs) }
    let times = measurement.report("Rows of ten numbers (P1)")
    ratio(times, "insert numbers", atMost: 1.5)
    ratio(times, "read numbers", atMost: 1.5)
  }
}

/// An object with ten integers.
@Entity("Number") final class NumberObject: ManagedObject {
  var n0: Int64
  var n1: Int64
  var n2: Int64
  var n3: Int64
  var n4: Int64
  var n5: Int64
  var n6: Int64
  var n7: Int64
  var n8: Int64
  var n9: Int64

  private func fill(_ first: Int64) {
    (n0, n1, n2, n3, n4) = (first, first &+ 1, first &+ 2, first &+ 3, first &+ 4)
    (n5, n6, n7, n8, n9) = (first &+ 5, first &+ 6, first &+ 7, first &+ 8, first &+ 9)
  }

  private var sum: Int {
    let first = n0 &+ n1 &+ n2 &+ n3 &+ n4
    let second = n5 &+ n6 &+ n7 &+ n8 &+ n9
    return Int(first &+ second)
  }

  private static let model = try! Model(entities: [
    Entity(
      "Number",
      properties: (0..<10).map { .attribute(Attribute("n\($0)", .int64, isOptional: false)) })
  ])

  private static func open(_ path: String) -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(
      model: model, places: ObjectBench.places, classes: [NumberObject.self])
    try! coordinator.addStore(at: path)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    context.undoStack = UndoStack()
    return context
  }

  static func insert(_ count: Int, at path: String) -> Int {
    let context = open(path)
    for number in 0..<count {
      try! context.insert(NumberObject.self).fill(Int64(number &* 10))
    }
    try! context.save()
    try! context.coordinator.stores[0].store.close()
    return count
  }

  static func readAll(at path: String) -> Int {
    let context = open(path)
    return withExtendedLifetime(context) {
      try! context.fetch(NumberObject.self).reduce(0) { $0 &+ $1.sum }
    }
  }
}

/// The same numbers in SQLite.
private struct NumberPeer {
  let path: String
  init(_ path: String) { self.path = path }

  static func remove(_ path: String) {
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
  }

  private func opening<R>(_ body: (OpaquePointer?) -> R) -> R {
    SQLitePeer.opening(path) { database in
      sqlite3_exec(
        database,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536", nil,
        nil, nil)
      return body(database)
    }
  }

  func insert(_ count: Int) {
    opening { database in
      let columns = (0..<10).map { "n\($0) INTEGER" }.joined(separator: ", ")
      sqlite3_exec(
        database, "CREATE TABLE number (id INTEGER PRIMARY KEY, \(columns))", nil, nil, nil)
      sqlite3_exec(database, "BEGIN", nil, nil, nil)
      var statement: OpaquePointer?
      sqlite3_prepare_v2(
        database, "INSERT INTO number VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", -1, &statement, nil
      )
      for number in 0..<count {
        sqlite3_bind_int64(statement, 1, Int64(number + 1))
        for index in 0..<10 {
          sqlite3_bind_int64(statement, Int32(index + 2), Int64(number &* 10 &+ index))
        }
        precondition(sqlite3_step(statement) == SQLITE_DONE)
        sqlite3_reset(statement)
      }
      sqlite3_finalize(statement)
      precondition(sqlite3_exec(database, "COMMIT", nil, nil, nil) == SQLITE_OK)
    }
  }

  /// Makes a record of each row, and returns the sum of all numbers.
  func readAll() -> Int {
    opening { database in
      var statement: OpaquePointer?
      sqlite3_prepare_v2(database, "SELECT * FROM number", -1, &statement, nil)
      defer { sqlite3_finalize(statement) }
      var rows: [InlineNumbers] = []
      while sqlite3_step(statement) == SQLITE_ROW {
        func number(_ index: Int32) -> Int64 { sqlite3_column_int64(statement, index) }
        rows.append(
          (
            number(1), number(2), number(3), number(4), number(5), number(6), number(7), number(8),
            number(9), number(10)
          ))
      }
      return rows.reduce(0) { sum, row in
        let head = row.0 &+ row.1 &+ row.2 &+ row.3 &+ row.4
        return sum &+ Int(head &+ row.5 &+ row.6 &+ row.7 &+ row.8 &+ row.9)
      }
    }
  }

  private typealias InlineNumbers = (
    Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64
  )
}
