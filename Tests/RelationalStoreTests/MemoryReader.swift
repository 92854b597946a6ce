import RelationalStore
import StoreInterface

/// A copy of a database at one commit.
final class MemoryReader: DatabaseReader {
  private let database: MemoryDatabase
  private let tables: MemoryTables

  init(_ database: MemoryDatabase, _ tables: MemoryTables) {
    (self.database, self.tables) = (database, tables)
  }

  var path: String { database.path }
  var answersRequests: Bool { false }

  func sharesHistory(with other: MemoryReader) -> Bool { tables === other.tables }

  func read<R>(_ body: (MemoryDatabase, [RowsBefore]) throws -> R) throws -> R {
    try body(database, [])
  }

  func end() {}
}
