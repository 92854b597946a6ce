import BinaryStore
import CSQLite3
import DurableFiles
import Foundation
import Migration
import ObjectModel
import Rows
import StoreInterface

/// Measures migrations of a store to another version of its model. A migration that writes no rows is compared with SQLite's
/// `ALTER TABLE … ADD COLUMN`, with a copy of the file, and with other sizes of the store. A migration that writes all rows is
/// compared with SQLite's way to do the same. For a written mapping, the time for each object is measured.
func runMigrationBenchmarks(_ count: Int) throws {
  let bench = try MigrationBench(count)
  defer { bench.clean() }
  try bench.measureInPlace()
  try bench.measureRewriting()
}

private final class MigrationBench {
  private let count: Int
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "quire-bench-\(UUID().uuidString)")
  private let peer: SQLitePeer
  private let places = StorePlaces(StoreBackends([BinaryStoreBackend()]), on: RealDisk())

  init(_ count: Int) throws {
    self.count = count
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    peer = try SQLitePeer(count, companies: max(1, count / 100))
    try People.fillStore(at: path("whole"), count)
    try People.fillStore(at: path("hundredth"), max(1000, count / 100))
    try FileManager.default.copyItem(atPath: peer.path, toPath: path("whole.sqlite"))
  }

  func clean() { try? FileManager.default.removeItem(at: folder) }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Returns the people's model with a changed person.
  private static func changed(_ change: (inout Entity) -> Void) -> Model {
    var description = People.model.description
    let place = description.entities.firstIndex { $0.name == "Person" }!
    change(&description.entities[place])
    return try! Model(description)
  }

  /// The model with one attribute added, one removed and one renamed.
  private static let lighter = changed { person in
    person.declaredProperties.removeAll { $0.name == "note" }
    person.declaredProperties.append(.attribute(Attribute("nickname", .string)))
    for index in person.declaredProperties.indices {
      guard case .attribute(var attribute) = person.declaredProperties[index],
        attribute.name == "lastName"
      else { continue }
      attribute.name = "familyName"
      attribute.renamingIdentifier = "lastName"
      person.declaredProperties[index] = .attribute(attribute)
    }
  }

  /// The model with a to-many relationship in place of a to-one relationship. The migration writes every row, and a link for
  /// each.
  private static let linked: Model = {
    var description = People.model.description
    for entity in description.entities.indices {
      for index in description.entities[entity].declaredProperties.indices {
        guard
          case .relationship(var relationship) = description.entities[entity].declaredProperties[
            index]
        else { continue }
        if relationship.name == "company" {
          relationship.name = "employers"
          relationship.renamingIdentifier = "company"
          relationship.count = .toMany
        } else {
          relationship.inverse = "employers"
        }
        description.entities[entity].declaredProperties[index] = .relationship(relationship)
      }
    }
    return try! Model(description)
  }()

  private func copyFresh(_ name: String) {
    try? FileManager.default.removeItem(atPath: path("work"))
    try! FileManager.default.copyItem(atPath: path(name), toPath: path("work"))
    let file = open(path("work"), O_RDWR)
    fdatasync(file)
    close(file)
  }

  func measureInPlace() throws {
    var measurement = Measurement(rounds: 9)
    let work = path("work")
    measurement.add("SQLite: ALTER TABLE … ADD COLUMN", 1, "migration") {
      SQLitePeer.opening(work) { database in
        _ = sqlite3_exec(database, "ALTER TABLE person ADD COLUMN nickname TEXT", nil, nil, nil)
      }
      return 1
    }
    measurement.prepare { [self] in copyFresh("whole.sqlite") }
    let places = places
    measurement.add("copy the file", 1, "migration") {
      try! places.copy(work, to: work + ".copy")
      return 1
    }
    measurement.prepare { [self] in
      copyFresh("whole")
      try? FileManager.default.removeItem(atPath: work + ".copy")
    }
    for (name, what) in [("whole", "all"), ("hundredth", "a hundredth")] {
      measurement.add("add, drop and rename: \(what)", 1, "migration") {
        var migrator = Migrator()
        migrator.allowsLoss = true
        try! migrator.migrate(storeAt: work, to: MigrationBench.lighter, in: places)
        return 1
      }
      measurement.prepare { [self] in copyFresh(name) }
    }
    let times = measurement.report("Migrating \(count) objects without writing a row")
    let name = "add, drop and rename: all"
    target(
      "\(name) / SQLite's ALTER TABLE",
      Measurement.ratio(times, name, to: "SQLite: ALTER TABLE … ADD COLUMN"), atMost: 1)
    target(
      "\(name) / copying the file", Measurement.ratio(times, name, to: "copy the file"),
      atMost: 0.2)
    target(
      "\(name) / a hundredth of them",
      Measurement.ratio(times, name, to: "add, drop and rename: a hundredth"), atMost: 1.15)
  }

  func measureRewriting() throws {
    var measurement = Measurement(rounds: 3)
    let work = path("work")
    measurement.add("SQLite: to a new table, and links", count, "object") { [self] in
      SQLitePeer.opening(work) { database in
        for statement in [
          "BEGIN", "CREATE TABLE links (source INTEGER, target INTEGER)",
          "INSERT INTO links SELECT id, company FROM person WHERE company IS NOT NULL",
          "CREATE INDEX bySource ON links (source, target)",
          "CREATE INDEX byTarget ON links (target, source)",
          """
          CREATE TABLE other AS SELECT id, firstName, lastName, age, balance, created, note, active \
          FROM person
          """, "DROP TABLE person", "ALTER TABLE other RENAME TO person", "COMMIT",
        ] {
          if sqlite3_exec(database, statement, nil, nil, nil) != SQLITE_OK {
            fatalError("\(statement): \(String(cString: sqlite3_errmsg(database)))")
          }
        }
      }
      return count
    }
    measurement.prepare { [self] in copyFresh("whole.sqlite") }
    let places = places
    measurement.add("inferred: to one becomes links", count, "object") { [self] in
      noteMemory("inferred") {
        try! Migrator().migrate(storeAt: work, to: MigrationBench.linked, in: places)
      }
      return count
    }
    measurement.prepare { [self] in copyFresh("whole") }
    let mapping = try MappingModel(
      """
      map Person -> Person
        nickname = lowercase($source.firstName) + ' ' + $source.lastName
        familyName = $source.lastName
      """, from: People.model, to: MigrationBench.lighter)
    measurement.add("by a written mapping", count, "object") { [self] in
      noteMemory("written") {
        try! Migrator(mappings: [mapping]).migrate(
          storeAt: work, to: MigrationBench.lighter, in: places)
      }
      return count
    }
    measurement.prepare { [self] in copyFresh("whole") }
    let times = measurement.report("Migrating \(count) objects by writing them anew")
    for name in ["inferred: to one becomes links", "by a written mapping"] {
      let ratio = Measurement.ratio(times, name, to: "SQLite: to a new table, and links")
      if !ratio.isNaN { print("  \(name) / SQLite: \(format(ratio))") }
    }
    for (name, most) in memory.sorted(by: { $0.key < $1.key }) {
      print("  memory, \(name): \(most >> 20) MiB more than before")
    }
  }

  /// The peak memory of each piece of work, in bytes above the memory in use before the work.
  private var memory: [String: Int] = [:]

  private func noteMemory(_ name: String, _ work: () -> Void) {
    tidyMemory()
    // Resets the kernel's record of the process's peak memory.
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    let before = MigrationBench.memory("VmRSS:")
    work()
    memory[name] = max(memory[name] ?? 0, MigrationBench.memory("VmHWM:") - before)
  }

  private static func memory(_ name: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return (line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) << 10
  }
}
