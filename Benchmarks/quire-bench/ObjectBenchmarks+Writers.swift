import CSQLite3
import Foundation
import ObjectGraph
import ObjectQuery

extension ObjectBench {
  /// Measures saves of one object each by several contexts of one process, each on its own queue, beside as many SQLite
  /// connections.
  func measureWriters() throws {
    let saveCount = 400
    let names = ["writers: 1 contexts", "writers: 8 contexts"]
    guard names.contains(where: Measurement.isWanted) else { return }
    var measurement = Measurement(rounds: 7)
    let copied = SQLitePeer(copying: peer)
    let coordinator = copy("writers").coordinator
    for writerCount in [1, 8] {
      // Each writer changes people of its own, spread over the whole table. The first eight sets belong to the eight
      // writers, and the ninth to the one.
      let numbers = (0..<writerCount).map { writer in
        (0..<saveCount / writerCount).map {
          ((writerCount == 1 ? 8 : writer) + 9 * $0) * 977 % count + 1
        }
      }
      let connections = (0..<writerCount).map { _ in SQLiteWriter(copied.path) }
      measurement.add("writers: \(writerCount) SQLite connections", saveCount, "save") {
        _ = onThreads(writerCount) { connections[$0].change(numbers[$0]) }
        return 1
      }
      let writers = try numbers.map { numbers in
        let context = ManagedObjectContext(coordinator, concurrency: .privateQueue)
        return try context.performAndWait {
          let people = try numbers.map {
            try context.fetch(PersonObject.self, where: QueryPredicate("id == \($0)"))[0]
          }
          return ObjectWriter(context, people)
        }
      }
      measurement.add("writers: \(writerCount) contexts", saveCount, "save") {
        _ = onThreads(writerCount) { writers[$0].save() }
        return 1
      }
    }
    let times = measurement.report("Saves of one object by several writers of one process")
    for (writerCount, wanted) in [(1, 1.0), (8, 2.0)] {
      target(
        "saves a second, \(writerCount) contexts / SQLite",
        1
          / Measurement.ratio(
            times, "writers: \(writerCount) contexts",
            to: "writers: \(writerCount) SQLite connections"),
        atLeast: wanted)
    }
  }
}

/// A context on its own queue, and the people that it changes.
private final class ObjectWriter: @unchecked Sendable {
  // Sendable: the context's queue guards the people.
  private let context: ManagedObjectContext
  private let people: [PersonObject]

  init(_ context: ManagedObjectContext, _ people: [PersonObject]) {
    (self.context, self.people) = (context, people)
  }

  /// Changes each person and saves it by itself.
  func save() {
    context.performAndWait {
      for person in people {
        person.balance += 1
        try! context.save()
      }
    }
  }
}

/// A connection of its own to a database, for one thread at a time.
private final class SQLiteWriter: @unchecked Sendable {
  // Sendable: one thread uses the connection at a time.
  private var database: OpaquePointer?
  private var statement: OpaquePointer?

  init(_ path: String) {
    precondition(sqlite3_open(path, &database) == SQLITE_OK)
    sqlite3_busy_timeout(database, 60_000)
    sqlite3_exec(
      database, "PRAGMA synchronous = FULL; PRAGMA mmap_size = 4294967296", nil, nil, nil)
    sqlite3_prepare_v2(
      database, "UPDATE person SET balance = balance + 1 WHERE id = ?", -1, &statement, nil)
  }

  deinit {
    sqlite3_finalize(statement)
    sqlite3_close(database)
  }

  /// Changes each person in a commit of its own.
  func change(_ numbers: [Int]) {
    for number in numbers {
      sqlite3_bind_int64(statement, 1, Int64(number))
      guard sqlite3_step(statement) == SQLITE_DONE else {
        fatalError(String(cString: sqlite3_errmsg(database)))
      }
      sqlite3_reset(statement)
    }
  }
}
