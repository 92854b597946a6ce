import BinaryStore
import CSQLite3
import DurableFiles
import Entities
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// Compares managed objects with SQLite's C interface in WAL mode and with plain Swift objects. All use the same people in the
/// same run. Change tracking, validation and undo are on.
func runObjectBenchmarks(_ count: Int) throws {
  let bench = try ObjectBench(count)
  defer { bench.clean() }
  try bench.measureInserting()
  try bench.measureReading()
  try bench.measureChanging()
  try bench.measureSaving()
  bench.measureSyncs()
  try bench.measureWriters()
  try bench.measurePieces()
  try bench.measureRelationships()
  try bench.measureIndexed()
  try bench.measureIndexing()
  try bench.measureOpeningCold()
  try bench.measureSizes()
  try bench.measureNumbers()
}

@Entity("Person") final class PersonObject: ManagedObject {
  var id: Int64
  var firstName: String
  var lastName: String
  var age: Int32
  var balance: Double
  var created: Date
  var note: String
  var active: Bool
  var company: CompanyObject?

  /// Sets every attribute through the accessors.
  func fill(_ i: Int, _ person: Person) {
    id = Int64(i + 1)
    firstName = person.firstName
    lastName = person.lastName
    age = Int32(person.age)
    balance = person.balance
    created = Date(timeIntervalSinceReferenceDate: person.created)
    note = person.note
    active = person.active
  }

  /// Sets every attribute by name, with a lookup of the name.
  func fillByKey(_ i: Int, _ person: Person) {
    setValue(Int64(i + 1), forKey: "id")
    setValue(person.firstName, forKey: "firstName")
    setValue(person.lastName, forKey: "lastName")
    setValue(Int32(person.age), forKey: "age")
    setValue(person.balance, forKey: "balance")
    setValue(Date(timeIntervalSinceReferenceDate: person.created), forKey: "created")
    setValue(person.note, forKey: "note")
    setValue(person.active, forKey: "active")
  }

  func readAll() -> Int {
    Int(id) &+ firstName.utf8.count &+ lastName.utf8.count &+ Int(age) &+ Int(balance)
      &+ Int(created.timeIntervalSinceReferenceDate) &+ note.utf8.count &+ (active ? 1 : 0)
  }
}

@Entity("Company") final class CompanyObject: ManagedObject {
  var name: String
  var city: String
  @Relationship(inverse: \PersonObject.company) var people: RelatedObjects<PersonObject>
}

extension PersonObject.Snapshot {
  var sum: Int {
    Int(id) &+ firstName.utf8.count &+ lastName.utf8.count &+ Int(age) &+ Int(balance)
      &+ Int(created.timeIntervalSinceReferenceDate) &+ note.utf8.count &+ (active ? 1 : 0)
  }
}

/// A plain Swift object with the same values, as the lower limit of the cost of an object.
private final class FloorPerson {
  let age: Int32
  unowned(unsafe) let company: FloorCompany
  init(_ age: Int32, _ company: FloorCompany) {
    self.age = age
    self.company = company
  }
}

private final class FloorCompany {
  let city: String
  var people: [FloorPerson] = []
  init(_ city: String) { self.city = city }
}

final class ObjectBench {
  let count: Int
  let companies: Int
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "quire-bench-\(UUID().uuidString)")
  let peer: SQLitePeer
  var wholePath: String { folder.appending(path: "whole").path }
  static let places = StorePlaces(StoreBackends([BinaryStoreBackend()]), on: RealDisk())

  init(_ count: Int) throws {
    self.count = count
    companies = max(1, count / 100)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    peer = try SQLitePeer(count, companies: companies)
    peer.addCompanies(companies)
    _ = insert(at: wholePath, byKey: false)
  }

  func clean() { try? FileManager.default.removeItem(at: folder) }

  func open(_ path: String, model: Model = People.model) -> ManagedObjectContext {
    ObjectBench.open(path, model: model)
  }

  static func open(_ path: String, model: Model = People.model) -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(
      model: model, places: ObjectBench.places,
      classes: [PersonObject.self, CompanyObject.self])
    try! coordinator.addStore(at: path)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    context.undoStack = UndoStack()
    return context
  }

  func copy(_ name: String) -> ManagedObjectContext {
    let path = folder.appending(path: name).path
    try? FileManager.default.removeItem(atPath: path)
    try! FileManager.default.copyItem(atPath: wholePath, toPath: path)
    // The copy is made durable now. Otherwise its writing would be part of the first save's time.
    sync()
    return open(path)
  }

  /// Inserts all people into a new store, and saves them at once.
  @discardableResult
  func insert(at path: String, byKey: Bool = false, model: Model = People.model) -> Int {
    ObjectBench.insert(count, at: path, byKey: byKey, model: model)
  }

  @discardableResult
  static func insert(
    _ count: Int, at path: String, byKey: Bool = false, batch: Int = .max,
    model: Model = People.model, canUndo: Bool = true
  ) -> Int {
    try? FileManager.default.removeItem(atPath: path)
    let context = open(path, model: model)
    if !canUndo { context.undoStack = nil }
    return insert(count, into: context, byKey: byKey, batch: batch)
  }

  /// Inserts people and their companies into a context of a new store, and saves after each batch.
  static func insert(
    _ count: Int, into context: ManagedObjectContext, byKey: Bool = false, batch: Int = .max
  ) -> Int {
    let companies = max(1, count / 100)
    let all = (0..<companies).map { number in
      try! context.insert(CompanyObject.self) {
        $0.name = "Company \(number) Ltd"
        $0.city = People.city(number)
      }.objectID
    }
    try! context.save()
    let employers = all.map { context.object(with: $0) as! CompanyObject }
    for i in 0..<count {
      let person = Person(i, companies: companies)
      let object = try! context.insert(PersonObject.self)
      if byKey { object.fillByKey(i, person) } else { object.fill(i, person) }
      object.company = employers[Int(person.company - 1)]
      if (i + 1) % batch == 0 { try! context.save() }
    }
    try! context.save()
    try! context.coordinator.stores[0].store.close()
    return count
  }

  func measureInserting() throws {
    var measurement = Measurement(rounds: 5)
    measurement.add("SQLite: insert and save", count, "row") { [count, companies] in
      let peer = try! SQLitePeer(count, companies: companies)
      return peer.path.utf8.count
    }
    let path = folder.appending(path: "new").path
    measurement.add("insert and save", count, "row") { self.insert(at: path, byKey: false) }
    measurement.add("insert by key and save", count, "row") { self.insert(at: path, byKey: true) }
    let times = measurement.report("Inserting objects (W1)")
    ratio(times, "insert and save", atMost: 0.40)
    target(
      "insert by key and save / SQLite",
      Measurement.ratio(times, "insert by key and save", to: "SQLite: insert and save"),
      atMost: 0.50)
  }

  /// Fetches all people and reads every attribute. The objects are released before the context, as in programs that fetch
  /// repeatedly. Inlined, the optimizer would reverse the order.
  @inline(never)
  static func readAll(_ context: ManagedObjectContext) -> Int {
    try! context.fetch(PersonObject.self).reduce(0) { $0 &+ $1.readAll() }
  }

  static func readSnapshots(_ context: ManagedObjectContext) -> Int {
    let all: [PersonObject.Snapshot] = try! context.fetchSnapshots(FetchRequest<PersonObject>())
    return all.reduce(0) { $0 &+ $1.sum }
  }

  func measureReading() throws {
    var measurement = Measurement(rounds: 5)
    let (path, count) = (wholePath, count)
    let peerPath = folder.appending(path: "people.sqlite").path
    try FileManager.default.copyItem(atPath: peer.path, toPath: peerPath)
    SQLitePeer.opening(peerPath) { database in
      precondition(
        sqlite3_exec(database, "PRAGMA journal_mode = DELETE", nil, nil, nil) == SQLITE_OK)
    }
    func times(_ body: () -> Int) -> Int { (0..<400).reduce(0) { sum, _ in sum + body() } }
    measurement.add("SQLite: open and fetch one", 400, "object") {
      times { SQLitePeer.openingAndReading(peerPath, count / 2) }
    }
    let warm = open(path)
    let middle = try warm.fetch(
      PersonObject.self, where: QueryPredicate("id == \(count / 2)"))[0].objectID
    measurement.add("open and fetch one", 400, "object") {
      times {
        let context = self.open(path)
        return withExtendedLifetime(context) {
          (try! context.existingObject(with: middle) as! PersonObject).readAll()
        }
      }
    }

    // The results of a round are released before the next round, outside the measured time.
    var records: [PersonRecord] = []
    var kept: (context: ManagedObjectContext, people: [PersonObject])?
    var snapshots: [PersonObject.Snapshot] = []
    func letGo() {
      snapshots = []
      SQLitePeer.letGo(of: records)
      records = []
      kept?.people = []
      kept = nil
    }
    func fetchAll() -> [PersonObject] {
      let context = open(path)
      let people = try! context.fetch(PersonObject.self)
      kept = (context, people)
      return people
    }
    func readAll() -> Int { fetchAll().reduce(0) { $0 &+ $1.readAll() } }
    func tidy() {
      letGo()
      // SQLite's sorter also leaves a fragmented heap. Joining its pieces must not be part of the next work's time.
      tidyMemory()
    }
    let all = peer.prepare("SELECT * FROM person")
    measurement.add("SQLite: fetch all", count, "row") {
      records = SQLitePeer.records(of: all)
      return Int(records.reduce(0) { $0 + $1.balance })
    }
    measurement.prepare { tidy() }
    measurement.add("SQLite: let go of all", count, "row") {
      letGo()
      return 0
    }
    measurement.prepare { if records.isEmpty { records = SQLitePeer.records(of: all) } }
    measurement.add("fetch all, one attribute", count, "row") {
      Int(fetchAll().reduce(0) { $0 + $1.balance })
    }
    measurement.prepare { tidy() }
    measurement.add("fetch all, every attribute", count, "row") { readAll() }
    measurement.prepare { tidy() }
    measurement.add("fetch all as snapshots", count, "row") {
      let context = self.open(path)
      snapshots = try! context.fetchSnapshots(FetchRequest<PersonObject>())
      return snapshots.reduce(0) { $0 &+ $1.sum }
    }
    measurement.prepare { tidy() }
    measurement.add("let go of all", count, "row") {
      letGo()
      return 0
    }
    measurement.prepare { if kept == nil { _ = readAll() } }
    var sum = FetchRequest(PersonObject.self)
    sum.resultType = .dictionaries
    sum.propertiesToFetch = [FetchedValue("sum", .function(.sum, [.path("balance")]))]
    let summed = peer.prepare("SELECT sum(balance) FROM person")
    measurement.add("SQLite: sum", count, "row") { SQLitePeer.count(summed) }
    measurement.add("sum in the store", count, "row") {
      try! self.open(path).fetchTable(sum).rows.count
    }

    let sorted = peer.prepare(SQLitePeer.filterAndSort)
    measurement.add("SQLite: filter and sort", 1, "request") { SQLitePeer.materialize(sorted) }
    let request = ObjectBench.filterAndSort
    measurement.add("filter and sort", 1, "request") { try! warm.fetch(request).count }
    measurement.prepare { tidyMemory() }
    measurement.add("filter, sort and read", 1, "request") {
      ObjectBench.readHits(warm)
    }

    let grouped = peer.prepare("SELECT lastName, count(*), avg(age) FROM person GROUP BY lastName")
    measurement.add("SQLite: group", 1, "request") { SQLitePeer.count(grouped) }
    let groups = ObjectBench.groups
    measurement.add("group", 1, "request") { try! warm.fetchTable(groups).rows.count }
    measurement.prepare { tidyMemory() }

    let results = measurement.report("Fetching objects (W2, W3, W4, W11)")
    func ratio(_ name: String, to other: String, atMost limit: Double) {
      target(
        "\(name) / \(other)", Measurement.ratio(results, name, to: other), atMost: limit)
    }
    ratio("open and fetch one", to: "SQLite: open and fetch one", atMost: 0.60)
    ratio("fetch all, one attribute", to: "SQLite: fetch all", atMost: 0.25)
    ratio("fetch all, every attribute", to: "SQLite: fetch all", atMost: 0.50)
    ratio("fetch all as snapshots", to: "fetch all, every attribute", atMost: 0.6)
    showRatio(results, "fetch all as snapshots", to: "SQLite: fetch all")
    showRatio(results, "let go of all", to: "SQLite: let go of all")
    ratio("sum in the store", to: "SQLite: fetch all", atMost: 0.10)
    ratio("sum in the store", to: "SQLite: sum", atMost: 0.15)
    ratio("filter and sort", to: "SQLite: filter and sort", atMost: 0.08)
    ratio("filter, sort and read", to: "SQLite: filter and sort", atMost: 0.20)
    ratio("group", to: "SQLite: group", atMost: 0.010)
  }

  func measureChanging() throws {
    var measurement = Measurement(rounds: 5)
    var copied: SQLitePeer?
    var context: ManagedObjectContext?
    var objects: [PersonObject] = []
    func add(
      _ name: String, _ changes: Int, sql: String, ids: String,
      _ change: @escaping (PersonObject) -> Void
    ) {
      measurement.add("SQLite: \(name)", changes, "row") {
        copied!.run(sql)
        return 1
      }
      let peer = peer
      measurement.prepare { copied = SQLitePeer(copying: peer) }
      measurement.add(name, changes, "row") {
        for object in objects { change(object) }
        try! context!.save()
        return 1
      }
      measurement.prepare { [self] in
        context = copy("copy")
        objects = try! context!.fetch(PersonObject.self, where: QueryPredicate(ids))
        for object in objects { _ = object.balance }
      }
    }
    add(
      "change one", 1, sql: "UPDATE person SET balance = balance + 1 WHERE id = 8", ids: "id == 8"
    ) { $0.balance += 1 }
    add(
      "change one in a hundred", count / 100,
      sql: "UPDATE person SET balance = balance + 1 WHERE id % 100 = 1",
      ids: "modulus:by:(id, 100) == 1"
    ) { $0.balance += 1 }
    add(
      "delete one in ten", count / 10, sql: "DELETE FROM person WHERE id % 10 = 1",
      ids: "modulus:by:(id, 10) == 1"
    ) { $0.managedObjectContext!.delete($0) }
    let times = measurement.report("Changing objects (W5, W6, W7)")
    ratio(times, "change one", atMost: 1.0)
    ratio(times, "change one in a hundred", atMost: 0.10)
    ratio(times, "delete one in ten", atMost: 0.10)
  }

  func measureRelationships() throws {
    var measurement = Measurement(rounds: 5)
    let path = wholePath
    measurement.add("SQLite: companies and people", count, "row") { self.peer.traverse() }
    func traverse(_ context: ManagedObjectContext) -> Int {
      var sum = 0
      let companies = try! context.fetch(CompanyObject.self)
      for company in companies {
        for person in company.people { sum &+= Int(person.age) }
      }
      for company in companies {
        for person in company.people {
          sum &+= person.company!.city.utf8.count
        }
      }
      return sum
    }
    measurement.add("companies and people, cold", count, "row") { traverse(self.open(path)) }
    measurement.prepare { tidyMemory() }
    // The peer at its best: companies stay in memory as objects, and every column of a person is read.
    measurement.add("SQLite: companies and people, whole", count, "row") {
      self.peer.traverseWhole()
    }
    measurement.add("companies and people, whole", count, "row") {
      ObjectBench.readCompanies(self.open(path))
    }
    measurement.prepare { tidyMemory() }
    let warm = open(path)
    let kept = try warm.fetch(PersonObject.self)
    _ = traverse(warm)
    measurement.add("companies and people, hot", count, "row") { traverse(warm) }
    let floor = (0..<companies).map { FloorCompany(People.city($0)) }
    for i in 0..<count {
      let person = Person(i, companies: companies)
      let company = floor[Int(person.company - 1)]
      company.people.append(FloorPerson(Int32(person.age), company))
    }
    measurement.add("plain objects", count, "row") {
      var sum = 0
      for company in floor { for person in company.people { sum &+= Int(person.age) } }
      for company in floor {
        for person in company.people { sum &+= person.company.city.utf8.count }
      }
      return sum
    }
    let times = measurement.report("Relationships (W8)")
    target(
      "companies and people, cold / SQLite",
      Measurement.ratio(times, "companies and people, cold", to: "SQLite: companies and people"),
      atMost: 0.15)
    target(
      "companies and people, hot / plain objects",
      Measurement.ratio(times, "companies and people, hot", to: "plain objects"), atMost: 1.5)
    ratio(times, "companies and people, whole", atMost: 0.40)
    withExtendedLifetime(kept) {}
  }
}
