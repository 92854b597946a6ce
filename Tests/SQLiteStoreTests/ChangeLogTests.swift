import AppleFixtures
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import Rows
import SQLiteFiles
import StoreInterface
import Testing

@testable import SQLiteStore

@Suite("The history of Core Data")
struct ChangeLogTests {
  /// The model of `Databases/changelog.sql` and of the fixture.
  private static let model: Model = {
    var stop = Entity("Stop")
    stop.declaredProperties = [
      .attribute(Attribute("name", .string, isOptional: false)),
      .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
    ]
    var trip = Entity("Trip")
    trip.declaredProperties = [
      .attribute(
        Attribute("name", .string, isOptional: false, options: .preservesValueOnDeletion)),
      .attribute(Attribute("nights", .int64, isOptional: false)),
      .attribute(Attribute("start", .date)),
      .relationship(Relationship("stops", to: "Stop", inverse: "trip", count: .toMany)),
    ]
    return try! Model(entities: [stop, trip])
  }()

  private static let tables = """
    CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
    CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
    CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
    """

  private func made(_ folder: TemporaryFolder, then text: String = "") throws -> HandMade {
    try HandMade("changelog", Self.model, at: folder.file("a.sqlite"), then: text)
  }

  private func changes(_ database: RawDatabase, after key: Int64) throws -> [[SQLiteValue]] {
    try database.rows(
      "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS FROM ACHANGE WHERE Z_PK > ? ORDER BY Z_PK",
      [.integer(key)])
  }

  // MARK: - Slots

  @Test("A mask has the slots in Core Data's order, and names what it was made from")
  func slots() throws {
    let trips = Self.model
    let trip = ChangeSlots(of: trips["Trip"]!, in: trips)
    #expect(trip.mask(["nights", "stops"]) == [0x50])
    #expect(ChangeSlots(of: trips["Stop"]!, in: trips).mask(["name"]) == [0x40])
    #expect(trip.properties([0x50]) == ["nights", "stops"])
    #expect(trip.properties([0]) == [] && trip.mask([]) == [0])
    // Another length, and a bit behind the last slot.
    #expect(trip.properties([]) == nil && trip.properties([0x50, 0]) == nil)
    #expect(trip.properties([0x08]) == nil)

    let library = HandMade.library
    let reader = ChangeSlots(of: library["Reader"]!, in: library)
    // A reference to an entity with subentities has two slots.
    #expect(reader.mask(["favourite"]) == [0xC0] && reader.mask(["name"]) == [0x20])
    // A relationship that is its own inverse makes the order of all uncertain.
    #expect(reader.mask(["friends"]) == [0x1E])
    #expect(reader.properties([0x10]) == ["friends", "queue", "read", "shelf"])
    let book = ChangeSlots(of: library["Book"]!, in: library)
    #expect(book.mask(["queuedBy"]) == [0x80, 0] && book.mask(["queuedBy#order"]) == [0x40, 0])
    // The attributes of the root come before those of the entity.
    #expect(book.mask(["added"]) == [0x20, 0] && book.mask(["length"]) == [0x10, 0])
    #expect(book.mask(["title"]) == [0x08, 0])
    #expect(book.mask(["admirers"]) == [0x04, 0] && book.mask(["tags"]) == [0x03, 0x80])
    #expect(book.properties([0x01, 0]) == ["readers", "shelvedBy", "tags"])
    #expect(ChangeSlots(of: Entity("Empty"), in: library).mask(["name"]) == [])
  }

  @Test("Composite and derived attributes make the slots unknown", arguments: [true, false])
  func unknownSlots(isDerived: Bool) throws {
    var entity = Entity("Trip")
    var attribute = Attribute("odd", isDerived ? .date : .composite)
    if isDerived {
      attribute.derivation = .init("now()")
    } else {
      attribute.compositeName = "Place"
    }
    entity.declaredProperties = [.attribute(attribute)]
    let place = CompositeType("Place", attributes: [Attribute("x", .double)])
    let model = try Model(Model.Description(entities: [entity], composites: [place]))
    let slots = ChangeSlots(of: entity, in: model)
    #expect(slots.fault?.contains("odd") == true)
  }

  // MARK: - Reading

  @Test("A database by the known rules shows its transactions, changes and tombstones")
  func fixture() throws {
    guard let folder = AppleFixtures.folder else { return }
    let path = folder.appending(path: "history/made-by-rules.sqlite").path
    guard FileManager.default.fileExists(atPath: path) else { return }
    let store = try SQLiteStoreBackend().open(
      path, on: RealDisk(), StoreOpening(readOnly: true, model: Self.model))
    defer { try? store.close() }
    #expect(store.features.history == nil)
    let log = try #require(store.features.changeLog)
    #expect(try log.newestTransaction() == 3)
    let transactions = try log.transactions(in: 1...3, newest: nil)
    #expect(transactions.map(\.summary.author) == [nil, "importer", nil])
    #expect(transactions.map(\.summary.contextName) == [nil, "viewContext", "viewContext"])
    #expect(transactions.map(\.bundleID) == Array(repeating: "org.example.trips", count: 3))
    #expect(transactions[1].summary.time.timeIntervalSinceReferenceDate == 779_000_060.5)
    #expect(try log.transactions(in: 1...3, newest: 1).map(\.summary.number) == [3])
    let schema = try store.snapshot().schema
    func key(_ entity: String, _ number: UInt64) -> ObjectKey {
      ObjectKey(entity: schema[entity]!.entityNumber, number: number)
    }
    let changes = try log.changes(ofTransactions: 2...3)
    #expect(
      changes[2] == [
        LoggedChange(.insert, key("Stop", 2)),
        LoggedChange(.update, key("Trip", 1), properties: ["nights", "stops"]),
      ])
    #expect(
      changes[3] == [
        LoggedChange(.update, key("Stop", 1), properties: ["name"]),
        LoggedChange(.delete, key("Trip", 2), tombstone: ["name": .string("Harbour")]),
      ])
  }

  @Test(
    "A change that can't be read is an error with its row",
    arguments: [
      ("ZENTITY = 9", "ZENTITY"), ("ZENTITYPK = -1", "ZENTITYPK"),
      ("ZCHANGETYPE = 3", "ZCHANGETYPE"), ("ZCHANGETYPE = NULL", "ZCHANGETYPE"),
      ("ZCHANGETYPE = 2, ZTOMBSTONE0 = x'00'", "ZTOMBSTONE0"),
    ])
  func damagedChange(_ text: String, _ column: String) throws {
    let folder = try TemporaryFolder()
    let made = try made(folder, then: "UPDATE ACHANGE SET \(text) WHERE Z_PK = 2")
    let store = try SQLiteStoreBackend().open(
      made.path, on: RealDisk(), StoreOpening(readOnly: true))
    let log = try #require(store.features.changeLog)
    let error = try #require(throws: StoreError.self) { try log.changes(ofTransactions: 1...9) }
    #expect(error.code == .damaged && error.message.contains("row 2"), "\(error)")
    #expect(error.message.contains(column), "\(error)")
    try store.close()
  }

  // MARK: - Writing

  @Test("A save appends its transaction and changes, with owners, masks, texts and tombstones")
  func appending() throws {
    let folder = try TemporaryFolder()
    let made = try made(folder)
    let library = try Library(made, StoreOpening(writesForeign: true))
    let context = library.context
    (context.transactionAuthor, context.name) = ("importer", "view")
    let trip = try library.object("Trip", 1)
    let stop = try context.insert("Stop")
    stop["name"] = .string("Régua")
    stop.setObjects([trip], forKey: "trip")
    trip["nights"] = .integer(4)
    try library.object("Stop", 1)["name"] = .string("Oporto")
    let pier = try library.object("Stop", 2)
    pier.setObjects([trip], forKey: "trip")
    try context.save()
    context.transactionAuthor = nil
    context.delete(try library.object("Trip", 2))
    try context.save()
    try library.store.close()

    let database = try RawDatabase(made.path)
    #expect(
      try changes(database, after: 4) == [
        [.integer(0), .integer(1), .integer(3), .integer(8), .null],
        [.integer(1), .integer(1), .integer(1), .integer(8), .blob([0x40])],
        [.integer(1), .integer(1), .integer(2), .integer(8), .blob([0x80])],
        [.integer(1), .integer(2), .integer(1), .integer(8), .blob([0x50])],
        [.integer(1), .integer(2), .integer(2), .integer(8), .blob([0x10])],
        [.integer(2), .integer(2), .integer(2), .integer(9), .null],
      ])
    #expect(
      try database.rows("SELECT ZTOMBSTONE0 FROM ACHANGE WHERE ZTOMBSTONE0 NOT NULL")
        == [[.text("Harbour")]])
    // An owner without changes of its own gets a higher version.
    #expect(try database.rows("SELECT Z_PK, Z_OPT FROM ZTRIP") == [[.integer(1), .integer(2)]])
    #expect(
      try database.rows(
        """
        SELECT t.Z_PK, t.Z_ENT, t.Z_OPT, a.ZNAME, b.ZNAME = p.ZNAME, c.ZNAME, t.ZAUTHOR, t.ZQUERYGEN FROM ATRANSACTION t
        LEFT JOIN ATRANSACTIONSTRING a ON a.Z_PK = t.ZAUTHORTS
        LEFT JOIN ATRANSACTIONSTRING b ON b.Z_PK = t.ZBUNDLEIDTS
        LEFT JOIN ATRANSACTIONSTRING c ON c.Z_PK = t.ZCONTEXTNAMETS
        LEFT JOIN ATRANSACTIONSTRING p ON p.Z_PK = t.ZPROCESSIDTS WHERE t.Z_PK > 7 ORDER BY t.Z_PK
        """) == [
          [
            .integer(8), .integer(16002), .null, .text("importer"), .integer(1), .text("view"),
            .null, .null,
          ],
          [.integer(9), .integer(16002), .null, .null, .integer(1), .text("view"), .null, .null],
        ])
    #expect(
      try database.rows("SELECT min(Z_PK), count(*) FROM ATRANSACTIONSTRING WHERE Z_PK > 2")
        == [[.integer(10), .integer(3)]])
    #expect(
      try database.rows("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == [
        [.integer(16001), .integer(10)], [.integer(16002), .integer(9)],
        [.integer(16003), .integer(12)],
      ])
    #expect(try database.value("SELECT count(DISTINCT Z_ENT) FROM ACHANGE") == .integer(1))
    #expect(try database.value("SELECT min(ZTIMESTAMP) > 1 FROM ATRANSACTION") == .integer(1))
  }

  @Test("Links, places and subentities are written as changes of both ends")
  func library() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade(
      "library", HandMade.library, at: folder.file("a.sqlite"), then: Self.tables)
    let library = try Library(made, StoreOpening(writesForeign: true))
    let ada = try library.reader("Ada")
    let book = try library.object("Book", 2)
    book["title"] = .string("Emma")
    // Her favourite was the other book.
    ada.setObjects([try library.object("Book", 5)], forKey: "favourite")
    book.setObjects([try library.object("Tag", 2)], forKey: "tags")
    try library.context.save()
    let before = Set(library.keys(book, "tags"))
    #expect(before == ["Tag/2"])
    try library.store.close()
    let rows = try changes(RawDatabase(made.path), after: 0)
    func mask(_ entity: Int64, _ key: Int64) -> SQLiteValue? {
      rows.first { $0[1] == .integer(entity) && $0[2] == .integer(key) }?[4]
    }
    // Book 2: title, admirers, and the group of tags. Reader 1: the favourite and its entity.
    #expect(mask(3, 2) == .blob([0x0F, 0x80]), "\(rows)")
    #expect(mask(5, 1) == .blob([0xC0]) && mask(3, 5) == .blob([0x04, 0]))
    #expect(mask(7, 2) != nil && rows.allSatisfy { $0[0] == .integer(1) })
    #expect(
      try RawDatabase(made.path).rows(
        "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == [
          [.integer(16001), .text("CHANGE"), .integer(0)],
          [.integer(16002), .text("TRANSACTION"), .integer(0)],
          [.integer(16003), .text("TRANSACTIONSTRING"), .integer(0)],
        ])
  }

  @Test("A save without changes of objects, and a refused save, leave the history as it was")
  func nothing() throws {
    let folder = try TemporaryFolder()
    let made = try made(folder)
    let library = try Library(made, StoreOpening(writesForeign: true))
    try library.context.save()
    let base = try library.store.snapshot()
    try library.store.commit(CommitRequest(Layer(), basedOn: base))
    #expect(try library.store.features.changeLog?.newestTransaction() == 7)
    try library.store.close()
    #expect(try changes(RawDatabase(made.path), after: 4) == [])
  }

  @Test("Two contexts that change an owner and its members do not lose either change")
  func owners() throws {
    let folder = try TemporaryFolder()
    let made = try made(folder)
    let one = try Library(made, StoreOpening(writesForeign: true))
    let other = try Library(made, StoreOpening(writesForeign: true))
    let trip = try other.object("Trip", 1)
    trip["nights"] = .integer(9)
    let stop = try one.context.insert("Stop")
    stop["name"] = .string("Tua")
    stop.setObjects([try one.object("Trip", 1)], forKey: "trip")
    try one.context.save()
    try other.context.save()
    #expect(other.keys(trip, "stops").count == 2)
    try one.store.close()
    try other.store.close()
    #expect(
      try RawDatabase(made.path).rows("SELECT ZNIGHTS, Z_OPT FROM ZTRIP WHERE Z_PK = 1")
        == [[.integer(9), .integer(3)]])
  }

  // MARK: - Requests of the library

  @Test("The coordinator returns transactions after a token, and refuses a token that was pruned")
  func requests() throws {
    let folder = try TemporaryFolder()
    let made = try made(folder)
    let library = try Library(made, StoreOpening(writesForeign: true))
    let (coordinator, context) = (library.coordinator, library.context)
    let start = try coordinator.historyToken
    #expect(start.commits.values.first == 7)
    context.transactionAuthor = "importer"
    try library.object("Trip", 1)["nights"] = .integer(5)
    try context.save()
    context.transactionAuthor = nil
    context.delete(try library.object("Stop", 2))
    try context.save()
    let found = try coordinator.history(HistoryRequest(after: start))
    #expect(found.map(\.number) == [8, 9])
    #expect(found[0].author == "importer" && found[0].processName != nil)
    #expect(found[0].changes.map(\.changedProperties) == [["nights"]])
    #expect(found[1].changes.map(\.kind) == [.delete, .update])
    #expect(found[1].changes[1].changedProperties == ["stops"])
    var request = HistoryRequest(after: start)
    request.excludedAuthors = ["importer"]
    request.entities = ["Stop"]
    #expect(try coordinator.history(request).map(\.changes.count) == [1])
    #expect(try coordinator.history().map(\.number) == [7, 8, 9])

    // Another context merges a transaction and shows the present state.
    let other = ManagedObjectContext(coordinator, concurrency: .confined)
    let trip = try other.existingObject(with: found[0].changes[0].object)
    try other.mergeChanges(from: found[0].contextChange)
    #expect(trip["nights"] == .integer(5))

    try coordinator.forgetHistory(before: found[1].token)
    #expect(try coordinator.history(HistoryRequest(after: found[0].token)).map(\.number) == [9])
    #expect(try coordinator.history(HistoryRequest(after: found[1].token)).isEmpty)
    let error = #expect(throws: ContextError.self) {
      try coordinator.history(HistoryRequest(after: start))
    }
    #expect(error?.code == .historyExpired)
    try coordinator.forgetHistory(before: Date.distantFuture)
    #expect(try coordinator.history().isEmpty)
    #expect(try coordinator.historyToken == found[1].token)
    #expect(throws: ContextError.self) {
      try coordinator.history(HistoryRequest(after: found[0].token))
    }
    var future = found[1].token
    future.commits = future.commits.mapValues { $0 + 1 }
    #expect(throws: ContextError.self) { try coordinator.history(HistoryRequest(after: future)) }
    try library.store.close()
  }

  @Test("An observer returns each transaction once, also those of another program")
  func observer() throws {
    let folder = try TemporaryFolder()
    let made = try made(folder)
    let library = try Library(made, StoreOpening(writesForeign: true))
    let observer = try HistoryObserver(library.coordinator)
    try library.object("Trip", 1)["nights"] = .integer(5)
    try library.context.save()
    try RawDatabase(made.path).run(
      """
      UPDATE ZSTOP SET ZNAME = 'Oporto', Z_OPT = Z_OPT + 1 WHERE Z_PK = 1;
      INSERT INTO ATRANSACTION VALUES (9, 16002, NULL, NULL, 1, NULL, 2, 900000000.0, 'old form', NULL, NULL, NULL, NULL);
      INSERT INTO ACHANGE VALUES (6, 16001, NULL, 1, 1, 1, 9, x'40', NULL);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 9 WHERE Z_ENT = 16002; UPDATE Z_PRIMARYKEY SET Z_MAX = 6 WHERE Z_ENT = 16001;
      """)
    let found = try observer.next()
    #expect(found.map(\.number) == [8, 9] && found.last?.author == "old form")
    #expect(try observer.next().isEmpty)
    try library.store.close()
  }

  // MARK: - Refusals

  @Test(
    "What is not known is refused alone, with the reason",
    arguments: [
      ("DROP TABLE ATRANSACTIONSTRING", "ATRANSACTION"),
      ("ALTER TABLE ACHANGE DROP COLUMN ZCOLUMNS", "ATRANSACTION"),
    ])
  func unknownForm(_ text: String, _ reason: String) throws {
    let folder = try TemporaryFolder()
    let made = try made(folder, then: text)
    let library = try Library(made, StoreOpening(writesForeign: true))
    try library.object("Trip", 1)["nights"] = .integer(5)
    let error = try #require(throws: StoreError.self) { try library.context.save() }
    #expect(error.code == .readOnly && error.message.contains(reason), "\(error)")
    try library.store.close()
  }

  @Test("A history that CloudKit reads is not shortened")
  func mirrored() throws {
    let folder = try TemporaryFolder()
    let made = try made(
      folder, then: "CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY)")
    let library = try Library(made, StoreOpening(writesForeign: true))
    let log = try #require(library.store.features.changeLog)
    let error = try #require(throws: StoreError.self) { try log.forgetTransactions(before: 8) }
    #expect(error.code == .readOnly && error.message.contains("CloudKit"))
    #expect(try log.transactions(in: 1...9, newest: nil).count == 1)
    // A save is written into the history as in other databases.
    try library.object("Trip", 1)["nights"] = .integer(5)
    try library.context.save()
    #expect(try log.newestTransaction() == 8)
    try library.store.close()
  }

  @Test("The check notices a change that fits no model", arguments: [true, false])
  func checking(isSound: Bool) throws {
    let folder = try TemporaryFolder()
    let made = try made(
      folder,
      then: isSound
        ? "SELECT 1" : "UPDATE ACHANGE SET ZCHANGETYPE = 1, ZCOLUMNS = x'FF' WHERE Z_PK = 1")
    let check = try SQLiteStoreBackend().check(made.path, on: RealDisk(), model: nil) { _ in }
    let found = check?.findings.kept.contains { $0.rule.id == "SQLS-035" } ?? false
    #expect(found == !isSound)
  }
}
