import CPostgreSQL
import Foundation
import PostgreSQLConnection

/// A program with libpq on the same server: the peer of the store in PostgreSQL. Its tables are copies of the store's
/// tables, with the same keys, indexes and foreign keys.
final class PostgreSQLPeer {
  private let connection: OpaquePointer

  init(_ address: String) {
    connection = PQconnectdb(address)
    precondition(PQstatus(connection) == CONNECTION_OK, String(cString: PQerrorMessage(connection)))
    PQsetNoticeReceiver(connection, { _, _ in }, nil)
  }

  deinit { PQfinish(connection) }

  func run(_ text: String) {
    let result = PQexec(connection, text)
    let status = PQresultStatus(result)
    precondition(
      status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK,
      "\(text): \(String(cString: PQerrorMessage(connection)))")
    PQclear(result)
  }

  /// Makes empty copies of the store's tables.
  func makeTables(like schema: String) {
    run(
      """
      DROP SCHEMA IF EXISTS peer CASCADE; CREATE SCHEMA peer; SET search_path TO peer;
      CREATE TABLE person (LIKE \(schema).person INCLUDING ALL);
      CREATE TABLE company (LIKE \(schema).company INCLUDING ALL);
      ALTER TABLE person ADD FOREIGN KEY (company) REFERENCES company (id) DEFERRABLE INITIALLY DEFERRED;
      INSERT INTO company SELECT * FROM \(schema).company
      """)
  }

  /// Copies people into the table, in one transaction.
  func insert(_ count: Int, companies: Int) -> Int {
    run("BEGIN")
    PQclear(
      PQexec(
        connection,
        "COPY person (id, entity, version, first_name, last_name, age, balance, created, note, active, company) FROM STDIN (FORMAT binary)"
      ))
    send(Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8))
    var rows = BinaryValues()
    for i in 0..<count {
      let person = Person(i, companies: companies)
      rows.beginRow(11)
      rows.append(Int64(i + 1))
      rows.append(Int32(1))
      rows.append(Int64(1))
      rows.append(Array(person.firstName.utf8))
      rows.append(Array(person.lastName.utf8))
      rows.append(Int32(person.age))
      rows.append(person.balance)
      rows.append(person.created)
      rows.append(Array(person.note.utf8))
      rows.append(person.active)
      rows.append(Int64(person.company))
      guard rows.byteCount >= 1 << 16 else { continue }
      send(rows.bytes)
      rows.removeAll()
    }
    rows.beginRow(-1)
    send(rows.bytes)
    precondition(PQputCopyEnd(connection, nil) == 1)
    while let result = PQgetResult(connection) {
      precondition(
        PQresultStatus(result) == PGRES_COMMAND_OK, String(cString: PQerrorMessage(connection)))
      PQclear(result)
    }
    run("COMMIT")
    return count
  }

  private func send(_ bytes: [UInt8]) {
    let isSent = bytes.withUnsafeBytes {
      PQputCopyData(
        connection, $0.baseAddress!.assumingMemoryBound(to: CChar.self), Int32($0.count))
    }
    precondition(isSent == 1)
  }

  /// Runs a selection in binary form, and returns the number of its bytes.
  func select(_ text: String) -> Int {
    let result = PQexecParams(connection, text, 0, nil, nil, nil, nil, 1)
    defer { PQclear(result) }
    precondition(
      PQresultStatus(result) == PGRES_TUPLES_OK, String(cString: PQerrorMessage(connection)))
    var sum = 0
    for row in 0..<PQntuples(result) {
      for column in 0..<PQnfields(result) {
        sum &+= Int(PQgetlength(result, row, column))
        sum &+= Int(PQgetvalue(result, row, column).pointee)
      }
    }
    return sum
  }
}
