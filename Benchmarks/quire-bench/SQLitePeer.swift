import CSQLite3
import Foundation

/// The same people in SQLite, through its C interface with prepared statements: the peer with which queries are compared.
final class SQLitePeer {
  private let folder: URL
  private var database: OpaquePointer?

  /// The path of the database file.
  var path: String { folder.appending(path: "people.sqlite").path }

  /// Creates a database file of `count` people. In addition to the primary key, there is an index of the company. The project's
  /// own stores also keep this way from a company to its people.
  init(_ count: Int, companies: Int) throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "quire-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    check(sqlite3_open(path, &database))
    configure()
    run(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, age INTEGER,
        balance REAL, created REAL, note TEXT, active INTEGER, company INTEGER)
      """)
    run("BEGIN")
    let insert = prepare("INSERT INTO person VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
    for i in 0..<count {
      let person = Person(i, companies: companies)
      sqlite3_bind_int64(insert, 1, Int64(i + 1))
      bind(person.firstName, 2, insert)
      bind(person.lastName, 3, insert)
      sqlite3_bind_int64(insert, 4, person.age)
      sqlite3_bind_double(insert, 5, person.balance)
      sqlite3_bind_double(insert, 6, person.created)
      bind(person.note, 7, insert)
      sqlite3_bind_int(insert, 8, person.active ? 1 : 0)
      sqlite3_bind_int64(insert, 9, Int64(person.company))
      guard sqlite3_step(insert) == SQLITE_DONE else { fatalError(message) }
      sqlite3_reset(insert)
    }
    sqlite3_finalize(insert)
    run("CREATE INDEX person_company ON person (company)")
    run("COMMIT")
    run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  deinit {
    sqlite3_close(database)
    try? FileManager.default.removeItem(at: folder)
  }

  private var message: String { String(cString: sqlite3_errmsg(database)) }

  private func check(_ code: Int32) { precondition(code == SQLITE_OK, message) }

  /// Opens a copy of another peer's database.
  init(copying other: SQLitePeer) {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "quire-bench-\(UUID().uuidString)")
    try! FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try! FileManager.default.copyItem(atPath: other.path, toPath: path)
    sync()
    check(sqlite3_open(path, &database))
    configure()
  }

  /// Settings for a large file with no part in memory.
  static let coldSettings = "PRAGMA journal_mode = WAL; PRAGMA mmap_size = 4294967296"

  /// Opens a database as a new process would, calls `body`, and closes the database.
  static func opening<R>(_ path: String, _ body: (OpaquePointer?) -> R) -> R {
    var database: OpaquePointer?
    sqlite3_open(path, &database)
    defer { sqlite3_close(database) }
    return body(database)
  }

  /// Opens a database, reads every column of the person with the given number, and closes the database.
  ///
  /// - Parameter settings: Statements that run first, such as the best settings for a large cold file.
  static func openingAndReading(_ path: String, _ id: Int, settings: String = "") -> Int {
    opening(path) { database in
      sqlite3_exec(database, settings, nil, nil, nil)
      var statement: OpaquePointer?
      sqlite3_prepare_v2(database, "SELECT * FROM person WHERE id = \(id)", -1, &statement, nil)
      defer { sqlite3_finalize(statement) }
      return count(statement)
    }
  }

  /// Configures durable commits and a large page cache.
  private func configure() {
    run("PRAGMA journal_mode = WAL")
    run("PRAGMA synchronous = FULL")
    run("PRAGMA cache_size = -65536")
    run("PRAGMA mmap_size = 4294967296")
    run("PRAGMA temp_store = MEMORY")
  }

  func run(_ sql: String) { check(sqlite3_exec(database, sql, nil, nil, nil)) }

  func prepare(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
    return statement
  }

  private func bind(_ text: String, _ index: Int32, _ statement: OpaquePointer?) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        // `SQLITE_TRANSIENT`: SQLite copies the text at once.
        _ = sqlite3_bind_text(
          statement, index, $0.baseAddress, Int32($0.count),
          unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }
    }
  }

  /// Steps through the results, reads every column of each, and returns the number of results.
  static func count(_ statement: OpaquePointer?) -> Int {
    var rows = 0
    var sink = 0
    let columns = sqlite3_column_count(statement)
    while sqlite3_step(statement) == SQLITE_ROW {
      for column in 0..<columns {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: sink &+= Int(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: sink &+= Int(sqlite3_column_double(statement, column))
        default:
          sink &+= Int(sqlite3_column_bytes(statement, column))
          if let text = sqlite3_column_text(statement, column) { sink &+= Int(text[0]) }
        }
      }
      rows += 1
    }
    sqlite3_reset(statement)
    return sink == .min ? -1 : rows
  }
}

/// A person as a record of a C program: numbers, and copies of the texts.
struct PersonRecord {
  var id: Int64 = 0
  var firstName: UnsafeMutablePointer<CChar>?
  var lastName: UnsafeMutablePointer<CChar>?
  var age: Int64 = 0
  var balance = 0.0
  var created = 0.0
  var note: UnsafeMutablePointer<CChar>?
  var active = false
  var company: Int64 = 0
}

extension SQLitePeer {
  /// The query with a filter and a sort order.
  static let filterAndSort = """
    SELECT * FROM person WHERE lastName >= 'Sm' AND lastName < 'Sn' AND age > 40
    ORDER BY lastName, age
    """

  /// Makes a record of each result with every column, releases the records, and returns their number.
  static func materialize(_ statement: OpaquePointer?) -> Int {
    let people = records(of: statement)
    defer { letGo(of: people) }
    return people.reduce(0) { $0 + $1.balance }.isNaN ? -1 : people.count
  }

  static func letGo(of people: [PersonRecord]) {
    for person in people {
      free(person.firstName)
      free(person.lastName)
      free(person.note)
    }
  }

  /// Returns a record of each result, with every column.
  static func records(of statement: OpaquePointer?) -> [PersonRecord] {
    var people: [PersonRecord] = []
    func text(_ column: Int32) -> UnsafeMutablePointer<CChar>? {
      sqlite3_column_text(statement, column).flatMap { text in
        text.withMemoryRebound(to: CChar.self, capacity: 1) { strdup($0) }
      }
    }
    while sqlite3_step(statement) == SQLITE_ROW {
      people.append(
        PersonRecord(
          id: sqlite3_column_int64(statement, 0), firstName: text(1), lastName: text(2),
          age: sqlite3_column_int64(statement, 3), balance: sqlite3_column_double(statement, 4),
          created: sqlite3_column_double(statement, 5), note: text(6),
          active: sqlite3_column_int(statement, 7) != 0,
          company: sqlite3_column_int64(statement, 8)))
    }
    sqlite3_reset(statement)
    return people
  }

  /// Changes one number of every `step`-th person, one person at a time, and commits.
  func changeEach(_ step: Int, of count: Int) -> Int {
    let change = prepareChange()
    defer { sqlite3_finalize(change) }
    run("BEGIN")
    self.change(stride(from: 1, through: count, by: step), with: change)
    run("COMMIT")
    return count / step
  }

  /// Prepares the change of one number of a person. The caller finalizes the statement.
  func prepareChange() -> OpaquePointer? {
    prepare("UPDATE person SET balance = balance + 1 WHERE id = ?")
  }

  /// Changes one number of each person with the given numbers, one person at a time. Outside of a transaction, each change
  /// is a commit.
  func change(_ ids: some Sequence<Int>, with change: OpaquePointer?) {
    for id in ids {
      sqlite3_bind_int64(change, 1, Int64(id))
      guard sqlite3_step(change) == SQLITE_DONE else { fatalError(message) }
      sqlite3_reset(change)
    }
  }

  /// Adds the companies of the people.
  func addCompanies(_ count: Int) {
    run("CREATE TABLE company (id INTEGER PRIMARY KEY, name TEXT, city TEXT)")
    run("BEGIN")
    for number in 0..<count {
      run(
        "INSERT INTO company VALUES (\(number + 1), 'Company \(number) Ltd', '\(People.city(number))')"
      )
    }
    run("COMMIT")
    run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Reads all people of each company, and then the company of each person.
  func traverse() -> Int {
    let companies = prepare("SELECT id FROM company")
    let people = prepare("SELECT * FROM person WHERE company = ?")
    let company = prepare("SELECT city FROM company WHERE id = ?")
    defer { for statement in [companies, people, company] { sqlite3_finalize(statement) } }
    var sum = 0
    var members: [Int64] = []
    while sqlite3_step(companies) == SQLITE_ROW {
      let id = sqlite3_column_int64(companies, 0)
      sqlite3_bind_int64(people, 1, id)
      while sqlite3_step(people) == SQLITE_ROW {
        for column: Int32 in [1, 2, 6] { sum &+= Int(sqlite3_column_bytes(people, column)) }
        sum &+= Int(sqlite3_column_int64(people, 3)) &+ Int(sqlite3_column_double(people, 4))
        members.append(id)
      }
      sqlite3_reset(people)
    }
    for id in members {
      sqlite3_bind_int64(company, 1, id)
      if sqlite3_step(company) == SQLITE_ROW { sum &+= Int(sqlite3_column_bytes(company, 0)) }
      sqlite3_reset(company)
    }
    return sum
  }

  /// Makes an object of each company, and a record of each of its people with every column.
  func traverseWhole() -> Int {
    let companies = prepare("SELECT id, city FROM company")
    let people = prepare("SELECT * FROM person WHERE company = ?")
    defer { for statement in [companies, people] { sqlite3_finalize(statement) } }
    var sum = 0
    while sqlite3_step(companies) == SQLITE_ROW {
      let city = Int(sqlite3_column_bytes(companies, 1))
      sqlite3_bind_int64(people, 1, sqlite3_column_int64(companies, 0))
      let found = SQLitePeer.records(of: people)
      for person in found { sum &+= Int(person.age) &+ Int(person.balance) &+ city }
      SQLitePeer.letGo(of: found)
      sqlite3_reset(people)
    }
    return sum
  }
}
