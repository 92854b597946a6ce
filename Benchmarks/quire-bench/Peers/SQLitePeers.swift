import CSQLite3
import Foundation

/// SQLite through its C interface: each result becomes a record of a C program.
class SQLiteRecordsPeer: Peer {
  var title: String { "SQLite" }
  let world: PeerWorld
  private let whole: SQLitePeer
  private var copied: SQLitePeer?
  /// The path of a copy that nothing has open, so that each opening is a first one.
  private var opened: String { world.path("\(title).sqlite") }

  init(_ world: PeerWorld) {
    self.world = world
    whole = SQLiteRecordsPeer.made(world)
    // Opening is fastest without a log.
    try! FileManager.default.copyItem(atPath: whole.path, toPath: opened)
    SQLitePeer.opening(opened) { database in
      precondition(
        sqlite3_exec(database, "PRAGMA journal_mode = DELETE", nil, nil, nil) == SQLITE_OK)
    }
  }

  private static func made(_ world: PeerWorld) -> SQLitePeer {
    let peer = try! SQLitePeer(world.count, companies: world.companies)
    peer.addCompanies(world.companies)
    return peer
  }

  /// Returns the sum of the people that a statement finds, each of which becomes a record or a Swift value first.
  private func sum(of statement: OpaquePointer?) -> Int { records(of: statement).sum }

  private func querying(_ sql: String, _ body: (OpaquePointer?) -> Int) -> Int {
    let statement = whole.prepare(sql)
    defer { sqlite3_finalize(statement) }
    return body(statement)
  }

  func insert() -> Int? {
    _ = SQLiteRecordsPeer.made(world)
    return world.count
  }

  func openOne() -> Int? {
    SQLitePeer.opening(opened) { database in
      var statement: OpaquePointer?
      sqlite3_prepare_v2(
        database, "SELECT * FROM person WHERE id = \(world.middle)", -1, &statement, nil)
      defer { sqlite3_finalize(statement) }
      return sum(of: statement)
    }
  }

  func readOneAttribute() -> Int? {
    querying("SELECT age FROM person") { statement in
      var sum = 0
      while sqlite3_step(statement) == SQLITE_ROW {
        sum &+= Int(sqlite3_column_int64(statement, 0))
      }
      return sum
    }
  }

  func readAll() -> Int? { querying("SELECT * FROM person", sum) }
  func filterAndSort() -> Int? { querying(SQLitePeer.filterAndSort, sum) }

  func group() -> Int? {
    querying(
      "SELECT lastName, count(*), avg(age) FROM person GROUP BY lastName", SQLitePeer.count)
  }

  func walk() -> Int? {
    let companies = whole.prepare("SELECT id, city FROM company")
    let people = whole.prepare("SELECT * FROM person WHERE company = ?")
    defer { for statement in [companies, people] { sqlite3_finalize(statement) } }
    var total = 0
    while sqlite3_step(companies) == SQLITE_ROW {
      let city = Int(sqlite3_column_bytes(companies, 1))
      sqlite3_bind_int64(people, 1, sqlite3_column_int64(companies, 0))
      // The records of a company are made first, as a program that holds them does.
      let found = records(of: people)
      total &+= found.sum &+ found.count * city
      sqlite3_reset(people)
    }
    return total
  }

  /// Returns the sum and the number of the people that a statement finds.
  func records(of statement: OpaquePointer?) -> (sum: Int, count: Int) {
    let people = SQLitePeer.records(of: statement)
    defer { SQLitePeer.letGo(of: people) }
    let sum = people.reduce(0) { sum, person in
      sum
        &+ PeerWorld.sum(
          id: Int(person.id), strlen(person.firstName!), strlen(person.lastName!),
          age: Int(person.age), balance: person.balance, created: person.created,
          strlen(person.note!), active: person.active)
    }
    return (sum, people.count)
  }

  func prepareCopy() { copied = SQLitePeer(copying: whole) }

  func changeHundredth() -> Int? {
    copied!.run("UPDATE person SET balance = balance + 1 WHERE id % 100 = 1")
    return (world.count + 99) / 100
  }

  func deleteTenth() -> Int? {
    copied!.run("DELETE FROM person WHERE id % 10 = 1")
    return (world.count + 9) / 10
  }

  func saveOne() -> Int? {
    let change = copied!.prepareChange()
    defer { sqlite3_finalize(change) }
    copied!.change(world.changed, with: change)
    return world.changed.count
  }

  var byteCount: Int? {
    try! FileManager.default.attributesOfItem(atPath: whole.path)[.size] as? Int
  }
}

/// SQLite as libraries of Swift use it: each row becomes a Swift value with Swift's strings and dates. Writing is the same.
final class SQLiteObjectsPeer: SQLiteRecordsPeer {
  override var title: String { "SQLite, Swift rows" }

  private struct Row {
    let id: Int64
    let firstName: String
    let lastName: String
    let age: Int64
    let balance: Double
    let created: Date
    let note: String
    let active: Bool
    let company: Int64

    init(_ statement: OpaquePointer?) {
      func text(_ column: Int32) -> String {
        String(cString: sqlite3_column_text(statement, column))
      }
      id = sqlite3_column_int64(statement, 0)
      firstName = text(1)
      lastName = text(2)
      age = sqlite3_column_int64(statement, 3)
      balance = sqlite3_column_double(statement, 4)
      created = Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 5))
      note = text(6)
      active = sqlite3_column_int(statement, 7) != 0
      company = sqlite3_column_int64(statement, 8)
    }
  }

  override func records(of statement: OpaquePointer?) -> (sum: Int, count: Int) {
    var rows: [Row] = []
    while sqlite3_step(statement) == SQLITE_ROW { rows.append(Row(statement)) }
    let sum = rows.reduce(0) { sum, row in
      sum
        &+ PeerWorld.sum(
          id: Int(row.id), row.firstName.utf8.count, row.lastName.utf8.count, age: Int(row.age),
          balance: row.balance, created: row.created.timeIntervalSinceReferenceDate,
          row.note.utf8.count, active: row.active)
    }
    return (sum, rows.count)
  }

  override func insert() -> Int? { nil }
  override func changeHundredth() -> Int? { nil }
  override func deleteTenth() -> Int? { nil }
  override func saveOne() -> Int? { nil }
  override var byteCount: Int? { nil }
}
