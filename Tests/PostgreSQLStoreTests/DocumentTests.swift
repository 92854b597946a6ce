import BinaryStore
import Documents
import DurableFiles
import Foundation
import ObjectModel
import PostgreSQLConnection
import PostgreSQLServer
import PostgreSQLStore
import Rows
import StoreInterface
import Testing
import Validation

@Suite(
  "PostgreSQL stores in documents",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"),
  .timeLimit(.minutes(10)))
final class DocumentTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID())").path
  private let places = StorePlaces(
    StoreBackends([BinaryStoreBackend(), PostgreSQLStoreBackend()]), on: RealDisk())
  private let site: StoreSite

  init() throws {
    site = try StoreSite()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var path: String { "\(folder)/Trips.quire" }

  private func model(_ properties: String...) throws -> Model {
    var note = Entity("Note")
    note.declaredProperties = [.attribute(Attribute("text", .string))]
    var trip = Entity("Trip")
    trip.declaredProperties = (["name"] + properties).map { .attribute(Attribute($0, .string)) }
    return try Model(
      Model.Description(
        entities: [note, trip],
        configurations: [
          Configuration("Own", entities: ["Note"]), Configuration("Shared", entities: ["Trip"]),
        ]))
  }

  /// Makes a document with a block file for notes, and a PostgreSQL store for trips.
  @discardableResult
  private func make(at address: String? = nil) throws -> Document {
    try Document.create(
      path, model: model(),
      stores: [
        DocumentStoreDescription("own", configuration: "Own"),
        DocumentStoreDescription(
          "shared", type: .postgreSQL, configuration: "Shared", address: address ?? site.address),
      ], in: places)
  }

  /// Returns a change that sets the only text of the only object of a store.
  private func change(_ store: DocumentStore, _ text: String) throws -> CommitRequest {
    let base = try store.snapshot()
    let layout = try #require(base.schema.layouts.first)
    let key = ObjectKey(entity: layout.entityNumber, number: 1)
    let builder = LayerBuilder(base.schema)
    let row = try base.view.row(of: key)
    if row == nil { builder.insert(key) }
    builder.set(
      .string(text), layout.columns[0].name, of: key, base.schema, basis: try row?.version ?? 0)
    return CommitRequest(builder.freeze(), basedOn: base)
  }

  /// Saves a text in both stores as one version.
  private func save(_ text: String, in document: Document) throws {
    try document.commit(document.stores.map { ($0, try change($0, text)) })
  }

  private func texts(_ document: Document) throws -> [String] {
    try document.stores.map { store in
      let snapshot = try store.snapshot()
      let values = try snapshot.rows().values.flatMap { $0 }.flatMap { $0.values }
      return values.map { if case .string(let text) = $0 { text } else { "\($0)" } }.joined()
    }
  }

  // MARK: - Saving

  @Test("A save of both stores is one version, and each version can be read and restored")
  func versions() throws {
    let document = try make()
    for text in ["one", "two", "three"] { try save(text, in: document) }
    #expect(document.manifest.versions.map(\.number) == [1, 2, 3, 4])
    #expect(try texts(document) == ["three", "three"])
    #expect(try texts(document.open(version: 3)) == ["two", "two"])
    #expect(try texts(document.open(version: 1)) == ["", ""])

    try document.undo()

    #expect(try texts(document) == ["two", "two"])
    try document.close()
    let again = try Document.open(path, in: places)
    #expect(try texts(again) == ["two", "two"])
    #expect(try again.stores.map { try $0.snapshot().commit } == [5, 5])
    let others = try again.commit([(again.stores[0], change(again.stores[0], "alone"))])
    #expect(others[0].commit == 6)
    try again.close()
    #expect(try texts(Document.open(path, in: places, access: .readOnly)) == ["alone", "two"])
    #expect(try report().verdict == .valid)
  }

  @Test("Versions that are forgotten leave no history on the server")
  func thinning() throws {
    let document = try make()
    for number in 0..<6 { try save("\(number)", in: document) }
    #expect(
      try site.connection().texts(
        "SELECT count(DISTINCT commit) FROM quire_before WHERE commit > 1") == [["6"]])

    try document.thin(.newestOnly)

    #expect(try site.connection().texts("SELECT count(*) FROM quire_before") == [["0"]])
    try save("more", in: document)
    #expect(try texts(document) == ["more", "more"])
    try document.close()
  }

  @Test("Programs that share a document see each other's saves, and conflicts are found")
  func sharing() throws {
    try make().close()
    let one = try Document.open(path, in: places, access: .shared)
    let other = try Document.open(path, in: places, access: .shared)
    try save("one", in: one)
    #expect(try texts(other) == ["", ""])

    #expect(try other.refresh())
    #expect(try texts(other) == ["one", "one"])

    try save("two", in: other)
    let late = try one.stores.map { ($0 as any Store, try change($0, "late")) }
    let error = #expect(throws: StoreError.self) { try one.commit(late) }
    #expect(error?.code == .conflict)
    #expect(try waiting() == 0)
    #expect(try texts(one) == ["two", "two"])
    try one.close()
    try other.close()
  }

  @Test("A closed document leaves no transaction on the server")
  func closing() throws {
    let document = try make()
    try save("one", in: document)
    let snapshot = try document.stores[1].snapshot()
    #expect(try snapshot.rows()["Trip"]?.count == 1)
    func transactions() throws -> [[String?]] {
      try site.connection().texts(
        """
        SELECT count(*) FROM pg_locks WHERE relation = 'trip'::regclass AND pid <> pg_backend_pid()
        """)
    }
    #expect(try transactions() != [["0"]])

    try document.close()

    #expect(try transactions() == [["0"]])
    #expect(try snapshot.rows()["Trip"]?.count == 1)
  }

  // MARK: - Interrupted saves

  /// The number of transactions that wait on the server for this test's store.
  private func waiting() throws -> Int {
    let rows = try site.connection().texts(
      "SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE 'quire-' || (SELECT uuid::text FROM quire_store) || '-%'"
    )
    return rows.first?.first.flatMap { $0.flatMap { Int($0) } } ?? -1
  }

  /// Prepares a commit of the PostgreSQL store, as a save does that ends before its manifest is written.
  private func prepare(_ text: String) throws -> Manifest.StoreEntry {
    struct End: Error {}
    let document = try make()
    let entry = try #require(document.manifest.stores.last)
    let shared = document.stores[1]
    let store = try site.open(StoreOpening(commit: entry.commit))
    #expect(throws: End.self) {
      try store.commit(
        change(shared, text), at: StorePosition(path: site.address, commit: entry.commit + 1)
      ) { _ in throw End() }
    }
    try document.close()
    try store.close()
    #expect(try waiting() == 1)
    return entry
  }

  @Test("A save that ended before its manifest does not count, and frees its rows")
  func beforeManifest() throws {
    _ = try prepare("lost")
    #expect(try texts(Document.open(path, in: places, access: .readOnly)) == ["", ""])
    #expect(try waiting() == 1)

    let document = try Document.open(path, in: places)

    #expect(try waiting() == 0)
    try save("new", in: document)
    #expect(try texts(document) == ["new", "new"])
    try document.close()
  }

  @Test(
    "A save that ended after its manifest counts, for writers and for readers",
    arguments: [true, false])
  func afterManifest(isReader: Bool) throws {
    let entry = try prepare("kept")

    let store = try site.open(StoreOpening(readOnly: isReader, commit: entry.commit + 1))

    #expect(try store.snapshot().rows()["Trip"] == [["name": .string("kept")]])
    #expect(try waiting() == 0)
    try store.close()
  }

  @Test("Another process that shares the document finishes the save of a process that ended")
  func advancing() throws {
    let document = try make()
    let entry = try #require(document.manifest.stores.last)
    try document.close()
    let reader = try site.open(StoreOpening(commit: entry.commit))
    _ = try? site.open(StoreOpening(commit: entry.commit)).commit(
      CommitRequest(Layer(), basedOn: reader.snapshot(), metadata: reader.snapshot().metadata),
      at: StorePosition(path: site.address, commit: 7)
    ) { _ in throw CancellationError() }

    try reader.advance(to: StorePosition(path: site.address, commit: 7))

    #expect(try reader.snapshot().commit == 7)
    #expect(try waiting() == 0)
    try reader.close()
  }

  @Test(
    "A connection that is lost during a save changes nothing, or the save counts",
    arguments: ["PREPARE TRANSACTION", "COMMIT PREPARED"],
    [RelayFault.answerToCommitLost, .commitLost])
  func lostConnection(statement: String, fault: RelayFault) throws {
    let relay = try Relay(to: site.server.folder + "/.s.PGSQL.5432")
    defer { relay.stop() }
    let document = try make(at: site.address(through: relay))
    (relay.statement, relay.fault) = (statement, fault)

    try save("one", in: document)

    #expect(relay.faultCount == 1)
    #expect(try texts(document) == ["one", "one"])
    try save("two", in: document)
    #expect(try texts(document) == ["two", "two"])
    #expect(try waiting() == 0)
    try document.close()
  }

  @Test("A save counts although the server goes away after the decision of the document")
  func serverGone() throws {
    var options = PostgreSQLStoreOptions()
    options.patience = .milliseconds(300)
    let relay = try Relay(to: site.server.folder + "/.s.PGSQL.5432")
    let places = StorePlaces(
      StoreBackends([BinaryStoreBackend(), PostgreSQLStoreBackend(options: options)]),
      on: RealDisk())
    try make(at: site.address(through: relay)).close()
    let document = try Document.open(path, in: places)
    (relay.statement, relay.fault) = ("PREPARE TRANSACTION", .serverGoneAfterCommit)
    // The answer is lost and the store can't find out, so the save fails and the document stays as it is.
    #expect(throws: StoreError.self) { try save("lost", in: document) }
    relay.stop()
    try? document.close()
    #expect(try waiting() == 1)
    try site.address.write(
      toFile: path + "/stores/shared.address", atomically: true, encoding: .utf8)

    let again = try Document.open(path, in: places)
    #expect(try texts(again) == ["", ""])
    #expect(try waiting() == 0)
    try again.close()
  }

  // MARK: - Refusals

  private func report() throws -> Report {
    try Validator(backends: places.backends).validate(path)
  }

  @Test("Only the document writes to its store, and other programs may read it")
  func ownership() throws {
    let document = try make()
    try save("one", in: document)
    try document.close()

    let error = #expect(throws: StoreError.self) { try site.open() }
    #expect(error?.code == .notConfirmable)
    #expect(error?.message.contains(document.manifest.uuid.uuidString) == true)
    let reader = try site.open(StoreOpening(readOnly: true))
    #expect(try reader.snapshot().rows()["Trip"] == [["name": .string("one")]])
    let again = #expect(throws: StoreError.self) {
      try site.backend.create(
        at: site.address, model: model(), on: RealDisk(), StoreCreation(overwriting: true))
    }
    #expect(again?.code == .notConfirmable)
    try reader.close()
  }

  @Test("An older copy of the folder shows its version, and can't save over newer commits")
  func olderCopy() throws {
    let document = try make()
    try save("one", in: document)
    let copy = path + "-copy"
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    try save("two", in: document)
    try document.close()

    let older = try Document.open(copy, in: places)
    #expect(try texts(older) == ["one", "one"])
    let error = #expect(throws: StoreError.self) { try save("three", in: older) }
    #expect(error?.code == .overtaken)
    #expect(
      error?.message.contains("commit on the server is 3, but the document names commit 2") == true,
      "\(String(describing: error))")
    try older.close()
    #expect(try texts(Document.open(path, in: places, access: .readOnly)) == ["two", "two"])
  }

  @Test("A server that lets no transaction wait is refused with the setting, and nothing is left")
  func settings() throws {
    let server = try PostgreSQLServer(settings: ["max_prepared_transactions=0"], port: 5439)
    defer { server.stop() }
    let address = server.address(schema: "trips")

    let error = #expect(throws: StoreError.self) { try make(at: address) }

    #expect(error?.code == .notConfirmable)
    #expect(error?.message.contains("max_prepared_transactions") == true)
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try !places.exists(address))
  }

  @Test("If a later store can't be made, no store is left on the server")
  func failedCreation() throws {
    #expect(throws: (any Error).self) {
      try Document.create(
        path, model: model(),
        stores: [
          DocumentStoreDescription("shared", type: .postgreSQL, address: site.address),
          DocumentStoreDescription("other", type: .postgreSQL, address: "https://example.com"),
        ], in: places)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try !places.exists(site.address))
    let taken = try site.create(model())
    #expect(throws: StoreError.self) { try make() }
    #expect(try places.exists(site.address))
    try taken.close()
  }

  @Test("A copy and a recovery are refused, and a conversion has stores of its own")
  func copies() throws {
    let document = try make()
    try save("one", in: document)
    let copied = #expect(throws: DocumentError.self) { try document.copy(to: path + "-copy") }
    #expect(copied?.code == .notSupported)
    let kept = try document.stores.map { ($0 as any Store, try change($0, "bad")) }
    let recovery = #expect(throws: DocumentError.self) { try document.keepForRecovery(kept) }
    #expect(recovery?.code == .notSupported)
    #expect(try waiting() == 0)

    try document.convert(to: path + "-copy", type: { _ in .binary })

    let copy = try Document.open(path + "-copy", in: places)
    #expect(try texts(copy) == ["one", "one"])
    #expect(try copy.stores.allSatisfy { try $0.snapshot().metadata.document == nil })
    try copy.close()
    try document.close()
  }

  @Test("A migration changes the tables, after the earlier versions were forgotten")
  func migration() throws {
    let document = try make()
    try save("one", in: document)
    try document.close()
    let target = try model("place")
    let error = #expect(throws: DocumentError.self) {
      try Document.migrate(path, to: target, in: places)
    }
    #expect(error?.message.contains("quire history DOC --thin newest") == true)
    let thinned = try Document.open(path, in: places)
    try thinned.thin(.newestOnly)
    try thinned.close()

    #expect(try Document.migrate(path, to: target, in: places))

    let migrated = try Document.open(path, in: places)
    #expect(
      try migrated.stores[1].snapshot().rows()["Trip"] == [
        ["name": .string("one"), "place": .null]
      ])
    try save("two", in: migrated)
    #expect(try waiting() == 0)
    try migrated.close()
    let found = try report()
    #expect(found.verdict == .valid, "\(found.findings) \(found.unchecked)")
  }

  @Test(
    "The validator checks the tables, and refuses a file without an address",
    arguments: ["", "two\nlines\n", "https://example.com\n", "\u{FF}\u{FE}"])
  func validation(contents: String) throws {
    let document = try make()
    try save("one", in: document)
    try save("two", in: document)
    try document.close()
    let sound = try report()
    #expect(sound.findings.isEmpty, "\(sound.findings)")
    try site.connection().execute("UPDATE trip SET version = 99")
    #expect(try report().findings.contains { $0.rule.id.hasPrefix("PGSQ") })

    try contents.write(
      toFile: path + "/stores/shared.address", atomically: true, encoding: .isoLatin1)

    #expect(try report().findings.map(\.rule.id).contains("CONT-023"))
    let error = #expect(throws: DocumentError.self) { try Document.open(path, in: places) }
    #expect(error?.code == .damaged)
  }
}
