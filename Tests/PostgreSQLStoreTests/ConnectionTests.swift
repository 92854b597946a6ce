import DurableFiles
import Foundation
import PostgreSQLConnection
import PostgreSQLServer
import PostgreSQLStore
import StoreInterface
import Testing

@Suite(
  "Connections to a PostgreSQL server",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"))
struct ConnectionTests {
  private func connection() throws -> PostgreSQLConnection {
    let server = try PostgreSQLServer.shared.get()
    return try PostgreSQLConnection(server.address, connectSeconds: 5, name: "test")
  }

  struct Stop: Error {}

  @Test("Another thread cancels a statement, and the connection stays usable")
  func cancels() throws {
    let connection = try connection()
    let canceller = connection.canceller()
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) { canceller.cancel() }

    let error = #expect(throws: PostgreSQLError.self) {
      try connection.execute("SELECT pg_sleep(20)")
    }

    #expect(error?.state == "57014")
    #expect(try connection.texts("SELECT 1") == [["1"]])
  }

  @Test("A statement ends at its time-out, and the store names the next step")
  func timeouts() throws {
    let connection = try connection()
    try connection.execute("SET statement_timeout TO 200")
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.execute("SELECT pg_sleep(20)")
    }
    #expect(error?.state == "57014")
    #expect(error?.isConnectionLost == false)
  }

  @Test("A caller that throws ends a statement or a copy, and the connection stays usable")
  func callersThatThrow() throws {
    let connection = try connection()
    let numbers = "SELECT g::bigint FROM generate_series(1, 2000000) AS g"
    #expect(throws: Stop.self) { try connection.forEachRow(numbers) { _ in throw Stop() } }
    #expect(throws: Stop.self) {
      try connection.copyRows(of: numbers, columnCount: 1) { _ in throw Stop() }
    }
    try connection.execute("CREATE TEMPORARY TABLE t (n bigint)")
    #expect(throws: Stop.self) {
      try connection.copy(into: "t") { row in
        try row { values in
          values.beginRow(1)
          values.append(Int64(1))
        }
        throw Stop()
      }
    }
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.copy(into: "t") { row in try row { $0.beginRow(2) } }
    }

    #expect(error?.state == "22P04")
    #expect(try connection.texts("SELECT count(*) FROM t") == [["0"]])
    var sum: Int64 = 0
    try connection.copyRows(of: numbers, columnCount: 1) { sum += $0[0].integer ?? 0 }
    #expect(sum == 2_000_001_000_000)
  }

  @Test("Statements of the same length are prepared under names of their own")
  func preparedNames() throws {
    let connection = try connection()
    for _ in 0..<3 {
      for number in 1...9 as ClosedRange<Int64> {
        var found: [Int64?] = []
        try connection.forEachRow(
          "SELECT $1 + \(number)::bigint", [PostgreSQLParameter(100 as Int64)]
        ) { found.append($0[0].integer) }
        #expect(found == [100 + number])
      }
    }
  }

  @Test("A prepared statement whose columns have got other types needs a new connection")
  func changedTypes() throws {
    let schema = try PostgreSQLServer.shared.get().newSchema()
    let (one, other) = (try connection(), try connection())
    try other.execute(
      "CREATE SCHEMA \(schema); CREATE TABLE \(schema).t AS SELECT 7::bigint AS v")
    func read(_ connection: PostgreSQLConnection) throws -> [Int64?] {
      var found: [Int64?] = []
      try connection.forEachRow("SELECT v FROM \(schema).t") { found.append($0[0].integer) }
      return found
    }
    for _ in 0..<3 { #expect(try read(one) == [7]) }
    try other.execute("ALTER TABLE \(schema).t ALTER COLUMN v TYPE integer")

    let error = #expect(throws: PostgreSQLError.self) { try read(one) }

    #expect(error?.isConnectionLost == true)
    #expect(!one.isAlive)
    #expect(try read(connection()) == [7])
  }

  @Test("A row with too few columns is an error, and the connection stays usable")
  func fewColumns() throws {
    let connection = try connection()
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.forEachRow("SELECT 1, 2", columnCount: 3) { _ = $0[2].integer }
    }
    #expect(error?.message.contains("2 columns instead of 3") == true)
    #expect(throws: PostgreSQLError.self) {
      try connection.forEachRow("SELECT FROM generate_series(1, 3)") { _ = $0[0].integer }
    }
    #expect(try connection.texts("SELECT 1") == [["1"]])
  }

  @Test("A parameter is never a part of the statement, whatever it contains")
  func parameters() throws {
    let connection = try connection()
    let hostile = "'); DROP TABLE x; -- \\ \" $1"
    var found: [String] = []
    for _ in 0..<3 {
      // The second use prepares the statement.
      try connection.forEachRow(
        "SELECT $1, $2::bigint[]",
        [PostgreSQLParameter(hostile), PostgreSQLParameter([1, 2] as [Int64])]
      ) { found.append($0[0].text) }
    }
    #expect(found == [hostile, hostile, hostile])
  }
}
