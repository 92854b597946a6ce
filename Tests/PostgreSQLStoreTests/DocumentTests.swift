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
struct DocumentTests {
  private let files: DocumentSite

  init() throws { files = try DocumentSite() }

  // MARK: - Saving

  @Test("A save of both stores is one version, and each version can be read and restored")
  func versions() throws {
    let document = try files.make()
    for text in ["one", "two", "three"] { try DocumentSite.save(text, in: document) }
    #expect(document.manifest.versions.map(\.number) == [1, 2, 3, 4])
    #expect(try DocumentSite.texts(document) == ["three", "three"])
    #expect(try DocumentSite.texts(document.open(version: 3)) == ["two", "two"])
    #expect(try DocumentSite.texts(document.open(version: 1)) == ["", ""])

    try document.undo()

    #expect(try DocumentSite.texts(document) == ["two", "two"])
    try document.close()
    let again = try files.open()
    #expect(try DocumentSite.texts(again) == ["two", "two"])
    #expect(try again.stores.map { try $0.snapshot().commit } == [5, 5])
    let others = try again.commit([(again.stores[0], DocumentSite.change(again.stores[0], "alone"))]
    )
    #expect(others[0].commit == 6)
    try again.close()
    #expect(try DocumentSite.texts(files.open(.readOnly)) == ["alone", "two"])
    #expect(try report().verdict == .valid)
  }

  @Test("Versions that are forgotten leave no history on the server")
  func thinning() throws {
    let document = try files.make()
    for number in 0..<6 { try DocumentSite.save("\(number)", in: document) }
    #expect(
      try files.site.connection().texts(
        "SELECT count(DISTINCT commit) FROM quire_before WHERE commit > 1") == [["6"]])

    try document.thin(.newestOnly)

    #expect(try files.site.connection().texts("SELECT count(*) FROM quire_before") == [["0"]])
    try DocumentSite.save("more", in: document)
    #expect(try DocumentSite.texts(document) == ["more", "more"])
    try document.close()
  }

  @Test("The versions of a document stay, whatever room the options leave for the history")
  func history() throws {
    var options = PostgreSQLStoreOptions()
    (options.historyShare, options.leastHistoryByteCount) = (0, 0)
    let backends = StoreBackends([BinaryStoreBackend(), PostgreSQLStoreBackend(options: options)])
    try files.make().close()
    let document = try Document.open(files.path, in: StorePlaces(backends, on: RealDisk()))
    for text in ["one", "two", "three"] { try DocumentSite.save(text, in: document) }

    #expect(try DocumentSite.texts(document.open(version: 2)) == ["one", "one"])
    try document.close()
  }

  @Test("Programs that share a document see each other's saves, and conflicts are found")
  func sharing() throws {
    try files.make().close()
    let one = try files.open(.shared)
    let other = try files.open(.shared)
    try DocumentSite.save("one", in: one)
    #expect(try DocumentSite.texts(other) == ["", ""])

    #expect(try other.refresh())
    #expect(try DocumentSite.texts(other) == ["one", "one"])

    try DocumentSite.save("two", in: other)
    let late = try DocumentSite.changes(one, "late")
    let error = #expect(throws: StoreError.self) { try one.commit(late) }
    #expect(error?.code == .conflict)
    #expect(try files.waiting() == 0)
    #expect(try DocumentSite.texts(one) == ["two", "two"])
    try one.close()
    try other.close()
  }

  @Test("A closed document leaves no transaction on the server")
  func closing() throws {
    let document = try files.make()
    try DocumentSite.save("one", in: document)
    let snapshot = try document.stores[1].snapshot()
    #expect(try snapshot.rows()["Trip"]?.count == 1)
    func transactions() throws -> [[String?]] {
      try files.site.connection().texts(
        """
        SELECT count(*) FROM pg_locks WHERE relation = 'trip'::regclass AND pid <> pg_backend_pid()
        """)
    }
    #expect(try transactions() != [["0"]])

    try document.close()

    #expect(try transactions() == [["0"]])
    #expect(try snapshot.rows()["Trip"]?.count == 1)
  }

  // MARK: - Refusals

  private func report() throws -> ValidationReport {
    try Validator(backends: files.places.backends).validate(files.path)
  }

  @Test("Only the document writes to its store, and other programs may read it")
  func ownership() throws {
    let document = try files.make()
    try DocumentSite.save("one", in: document)
    var renamed = CommitRequest(
      Layer(), basedOn: try document.stores[1].snapshot(), metadata: StoreMetadata(values: [:]))
    renamed.metadata?.values["Application"] = .string("Trips")
    try document.commit([(document.stores[1], renamed)])
    #expect(try document.stores[1].snapshot().metadata.document == document.manifest.uuid)
    try document.close()

    let error = #expect(throws: StoreError.self) { try files.site.open() }
    #expect(error?.code == .notConfirmable)
    #expect(error?.message.contains(document.manifest.uuid.uuidString) == true)
    let reader = try files.site.open(StoreOpening(readOnly: true))
    #expect(try reader.snapshot().rows()["Trip"] == [["name": .string("one")]])
    let again = #expect(throws: StoreError.self) {
      try files.site.backend.create(
        at: files.site.address, model: DocumentSite.model(), on: RealDisk(),
        StoreCreation(overwriting: true))
    }
    #expect(again?.code == .notConfirmable)
    try reader.close()
  }

  @Test("An older copy of the folder shows its version, and can't save over newer commits")
  func olderCopy() throws {
    let document = try files.make()
    try DocumentSite.save("one", in: document)
    let copy = files.path + "-copy"
    try FileManager.default.copyItem(atPath: files.path, toPath: copy)
    try DocumentSite.save("two", in: document)
    try document.close()

    let older = try Document.open(copy, in: files.places)
    #expect(try DocumentSite.texts(older) == ["one", "one"])
    let error = #expect(throws: StoreError.self) { try DocumentSite.save("three", in: older) }
    #expect(error?.code == .overtaken)
    #expect(
      error?.message.contains("commit on the server is 3, but the document names commit 2") == true,
      "\(String(describing: error))")
    try older.close()
    #expect(try DocumentSite.texts(files.open(.readOnly)) == ["two", "two"])
  }

  @Test("A server that lets no transaction wait is refused with the setting, and nothing is left")
  func settings() throws {
    let server = try PostgreSQLServer(settings: ["max_prepared_transactions=0"], port: 5439)
    defer { server.stop() }
    let address = server.address(schema: "trips")

    let error = #expect(throws: StoreError.self) { try files.make(at: address) }

    #expect(error?.code == .notConfirmable)
    #expect(error?.message.contains("max_prepared_transactions") == true)
    #expect(!FileManager.default.fileExists(atPath: files.path))
    #expect(try !files.places.exists(address))
    let schemas = try PostgreSQLConnection(server.address, connectSeconds: 5, name: "test").texts(
      "SELECT count(*) FROM pg_namespace WHERE nspname = 'trips'")
    #expect(schemas == [["0"]])
    let again = #expect(throws: StoreError.self) { try files.make(at: address) }
    #expect(again?.code == .notConfirmable)
  }

  @Test("If a later store can't be made, no store is left on the server")
  func failedCreation() throws {
    #expect(throws: (any Error).self) {
      try Document.create(
        files.path, model: DocumentSite.model(),
        stores: [
          DocumentStoreDescription("shared", type: .postgreSQL, address: files.site.address),
          DocumentStoreDescription("other", type: .postgreSQL, address: "https://example.com"),
        ], in: files.places)
    }
    #expect(!FileManager.default.fileExists(atPath: files.path))
    #expect(try !files.places.exists(files.site.address))
    let taken = try files.site.create(DocumentSite.model())
    #expect(throws: StoreError.self) { try files.make() }
    #expect(try files.places.exists(files.site.address))
    try taken.close()
  }

  @Test("A copy and a recovery are refused, and a conversion has stores of its own")
  func copies() throws {
    let document = try files.make()
    try DocumentSite.save("one", in: document)
    let copied = #expect(throws: DocumentError.self) { try document.copy(to: files.path + "-copy") }
    #expect(copied?.code == .notSupported)
    let kept = try DocumentSite.changes(document, "bad")
    let recovery = #expect(throws: DocumentError.self) { try document.keepForRecovery(kept) }
    #expect(recovery?.code == .notSupported)
    #expect(try files.waiting() == 0)

    try document.convert(to: files.path + "-copy", type: { _ in .binary })

    let copy = try Document.open(files.path + "-copy", in: files.places)
    #expect(try DocumentSite.texts(copy) == ["one", "one"])
    #expect(try copy.stores.allSatisfy { try $0.snapshot().metadata.document == nil })
    try copy.close()
    try document.close()
  }

  @Test("A migration changes the tables, after the earlier versions were forgotten")
  func migration() throws {
    let document = try files.make()
    try DocumentSite.save("one", in: document)
    try document.close()
    let target = try DocumentSite.model("place")
    let error = #expect(throws: DocumentError.self) {
      try Document.migrate(files.path, to: target, in: files.places)
    }
    #expect(error?.message.contains("quire history DOC --thin newest") == true)
    let thinned = try files.open()
    try thinned.thin(.newestOnly)
    try thinned.close()

    #expect(try Document.migrate(files.path, to: target, in: files.places))

    let migrated = try files.open()
    #expect(
      try migrated.stores[1].snapshot().rows()["Trip"] == [
        ["name": .string("one"), "place": .null]
      ])
    try DocumentSite.save("two", in: migrated)
    #expect(try files.waiting() == 0)
    try migrated.close()
    let found = try report()
    #expect(found.verdict == .valid, "\(found.findings) \(found.unchecked)")
  }

  @Test(
    "The validator checks the tables, and refuses a file without an address",
    arguments: ["", "two\nlines\n", "https://example.com\n", "\u{FF}\u{FE}"])
  func validation(contents: String) throws {
    let document = try files.make()
    try DocumentSite.save("one", in: document)
    try DocumentSite.save("two", in: document)
    try document.close()
    let sound = try report()
    #expect(sound.findings.isEmpty, "\(sound.findings)")
    try files.site.connection().execute("UPDATE trip SET version = 99")
    #expect(try report().findings.contains { $0.rule.id.hasPrefix("PGSQ") })

    try contents.write(
      toFile: files.path + "/stores/shared.address", atomically: true, encoding: .isoLatin1)

    #expect(try report().findings.map(\.rule.id).contains("CONT-023"))
    let error = #expect(throws: DocumentError.self) { try files.open() }
    #expect(error?.code == .damaged)
  }
}
