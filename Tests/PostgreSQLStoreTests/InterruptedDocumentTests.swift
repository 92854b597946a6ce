import BinaryStore
import DiskSimulation
import Documents
import DurableFiles
import Foundation
import ObjectModel
import PostgreSQLConnection
import PostgreSQLServer
import PostgreSQLStore
import Rows
import StoreInterface
import TestEffort
import Testing
import Validation

@Suite(
  "Interrupted saves of documents with PostgreSQL stores",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"),
  .timeLimit(.minutes(10)))
struct InterruptedDocumentTests {
  private let files: DocumentSite

  init() throws { files = try DocumentSite() }

  /// Prepares a commit of the PostgreSQL store, as a save does that ends before its manifest is written.
  private func prepare(_ text: String) throws -> Manifest.StoreEntry {
    struct End: Error {}
    let document = try files.make()
    let entry = try #require(document.manifest.stores.last)
    let shared = document.stores[1]
    let store = try files.site.open(StoreOpening(commit: entry.commit)).confirming
    #expect(throws: End.self) {
      try store.commit(
        DocumentSite.change(shared, text),
        at: StorePosition(path: files.site.address, commit: entry.commit + 1)
      ) { _ in throw End() }
    }
    try document.close()
    try store.close()
    #expect(try files.waiting() == 1)
    return entry
  }

  @Test("A save that ended before its manifest does not count, and frees its rows")
  func beforeManifest() throws {
    _ = try prepare("lost")
    #expect(try DocumentSite.texts(files.open(.readOnly)) == ["", ""])
    #expect(try files.waiting() == 1)
    let report = try Validator(backends: files.places.backends).validate(files.path)
    #expect(report.findings.map(\.rule.id) == ["PGSQ-013"])
    #expect(report.verdict == .valid)

    let document = try files.open()

    #expect(try files.waiting() == 0)
    try DocumentSite.save("new", in: document)
    #expect(try DocumentSite.texts(document) == ["new", "new"])
    try document.close()
  }

  @Test(
    "A save that ended after its manifest counts, for writers and for readers",
    arguments: [true, false])
  func afterManifest(isReader: Bool) throws {
    let entry = try prepare("kept")

    let store = try files.site.open(StoreOpening(readOnly: isReader, commit: entry.commit + 1))

    #expect(try store.snapshot().rows()["Trip"] == [["name": .string("kept")]])
    #expect(try files.waiting() == 0)
    try store.close()
  }

  @Test("A copy of the folder leaves a save alone that the original may have decided")
  func copiedFolder() throws {
    struct End: Error {}
    let document = try files.make()
    try DocumentSite.save("one", in: document)
    let entry = try #require(document.manifest.stores.last)
    let change = try DocumentSite.change(document.stores[1], "kept")
    try document.close()
    let copy = files.path + "-copy"
    try FileManager.default.copyItem(atPath: files.path, toPath: copy)
    var opening = StoreOpening(commit: entry.commit)
    opening.folderNumber = try files.places.disk.status(of: files.path).identity.inode
    let store = try files.site.open(opening).confirming
    #expect(throws: End.self) {
      try store.commit(
        change, at: StorePosition(path: files.site.address, commit: entry.commit + 1)
      ) { _ in throw End() }
    }
    try store.close()

    let error = #expect(throws: StoreError.self) { try Document.open(copy, in: files.places) }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("ROLLBACK PREPARED 'quire-") == true)
    #expect(
      try DocumentSite.texts(Document.open(copy, in: files.places, access: .readOnly)) == [
        "one", "one",
      ])
    #expect(try files.waiting() == 1)

    // The manifest of the original may name the commit.
    let decided = try files.site.open(StoreOpening(readOnly: true, commit: entry.commit + 1))
    #expect(try decided.snapshot().rows()["Trip"] == [["name": .string("kept")]])
    #expect(try files.waiting() == 0)
    try decided.close()
  }

  @Test("The original rolls back its own save that did not count")
  func ownFolder() throws {
    struct End: Error {}
    let document = try files.make()
    let entry = try #require(document.manifest.stores.last)
    let change = try DocumentSite.change(document.stores[1], "lost")
    try document.close()
    var opening = StoreOpening(commit: entry.commit)
    opening.folderNumber = try files.places.disk.status(of: files.path).identity.inode
    let store = try files.site.open(opening).confirming
    _ = try? store.commit(
      change, at: StorePosition(path: files.site.address, commit: entry.commit + 1)
    ) { _ in throw End() }
    try store.close()
    #expect(try files.waiting() == 1)

    let again = try files.open()

    #expect(try files.waiting() == 0)
    try DocumentSite.save("new", in: again)
    #expect(try DocumentSite.texts(again) == ["new", "new"])
    try again.close()
  }

  @Test("Another process that shares the document finishes the save of a process that ended")
  func advancing() throws {
    let document = try files.make()
    let entry = try #require(document.manifest.stores.last)
    try document.close()
    let reader = try files.site.open(StoreOpening(commit: entry.commit)).confirming
    _ = try? files.site.open(StoreOpening(commit: entry.commit)).confirming.commit(
      CommitRequest(Layer(), basedOn: reader.snapshot(), metadata: reader.snapshot().metadata),
      at: StorePosition(path: files.site.address, commit: 7)
    ) { _ in throw CancellationError() }

    try reader.advance(to: StorePosition(path: files.site.address, commit: 7))

    #expect(try reader.snapshot().commit == 7)
    #expect(try files.waiting() == 0)
    try reader.close()
  }

  @Test(
    "A connection that is lost during a save changes nothing, or the save counts",
    arguments: ["PREPARE TRANSACTION", "COMMIT PREPARED"],
    [RelayFault.answerToCommitLost, .commitLost])
  func lostConnection(statement: String, fault: RelayFault) throws {
    let relay = try Relay(to: files.site.server.folder + "/.s.PGSQL.5432")
    defer { relay.stop() }
    let document = try files.make(at: files.site.address(through: relay))
    (relay.statement, relay.fault) = (statement, fault)

    try DocumentSite.save("one", in: document)

    #expect(relay.faultCount == 1)
    #expect(try DocumentSite.texts(document) == ["one", "one"])
    try DocumentSite.save("two", in: document)
    #expect(try DocumentSite.texts(document) == ["two", "two"])
    #expect(try files.waiting() == 0)
    try document.close()
  }

  /// Makes a document whose store is reached through a relay, and opens it with little patience.
  private func open(through relay: Relay) throws -> Document {
    var options = PostgreSQLStoreOptions()
    options.patience = .milliseconds(300)
    let backends = StoreBackends([BinaryStoreBackend(), PostgreSQLStoreBackend(options: options)])
    try files.make(at: files.site.address(through: relay)).close()
    return try Document.open(files.path, in: StorePlaces(backends, on: RealDisk()))
  }

  /// Opens the document without a relay, and returns its texts.
  private func textsLater() throws -> [String] {
    try files.site.address.write(
      toFile: files.path + "/stores/shared.address", atomically: true, encoding: .utf8)
    let document = try files.open()
    defer { try? document.close() }
    return try DocumentSite.texts(document)
  }

  @Test("If the server goes away while a commit is prepared, the save fails and is taken back")
  func serverGoneBefore() throws {
    let relay = try Relay(to: files.site.server.folder + "/.s.PGSQL.5432")
    let document = try open(through: relay)
    (relay.statement, relay.fault) = ("PREPARE TRANSACTION", .serverGoneAfterCommit)

    #expect(throws: StoreError.self) { try DocumentSite.save("lost", in: document) }

    relay.stop()
    try? document.close()
    #expect(try files.waiting() == 1)
    #expect(try textsLater() == ["", ""])
    #expect(try files.waiting() == 0)
  }

  @Test("If the server goes away after the decision of the document, the save counts")
  func serverGoneAfter() throws {
    let relay = try Relay(to: files.site.server.folder + "/.s.PGSQL.5432")
    let document = try open(through: relay)
    (relay.statement, relay.fault) = ("COMMIT PREPARED", .serverGone)

    try DocumentSite.save("kept", in: document)

    #expect(try files.waiting() == 1)
    let snapshot = try document.stores[1].snapshot()
    #expect(throws: StoreError.self) { try snapshot.rows() }
    relay.isRefusing = false
    #expect(try snapshot.rows()["Trip"] == [["name": .string("kept")]])
    #expect(try files.waiting() == 0)
    relay.stop()
    try? document.close()
    #expect(try textsLater() == ["kept", "kept"])
  }

  @Test("After a failure of the disk at any place, both stores have the save or neither has it")
  func diskFailures() throws {
    let (dead, living) = (
      ProcessIdentity(hostName: "here", bootID: "boot", processID: 1, startTime: 1),
      ProcessIdentity(hostName: "here", bootID: "boot", processID: 2, startTime: 2)
    )
    var (number, isReached, wasSaved) = (0, true, Set<Bool>())
    while isReached, number < 200 {
      let disk = SimulatedDisk().seen(by: dead)
      let files = try DocumentSite(on: disk)
      let document = try files.make()
      try DocumentSite.save("one", in: document)
      let start = disk.operationCount
      disk.plan(
        PlannedFailure(
          .error(.noSpace), on: [.write, .sync, .rename, .open, .truncate], after: number,
          lasting: .forGood))
      let hasSaved = (try? DocumentSite.save("two", in: document)) != nil
      isReached = disk.operations[start...].contains { $0.failure == .noSpace }
      disk.planNoFailures()
      // The program ends here, and closes nothing.
      disk.endProcess(dead)

      let places = StorePlaces(DocumentSite.backends, on: disk.seen(by: living))
      let again = try Document.open(files.path, in: places)
      let found = try DocumentSite.texts(again)
      #expect(
        found == ["two", "two"] || !hasSaved && found == ["one", "one"], "\(number): \(found)")
      wasSaved.insert(found[0] == "two")
      try DocumentSite.save("three", in: again)
      #expect(try DocumentSite.texts(again) == ["three", "three"], "\(number)")
      #expect(try files.waiting() == 0)
      try again.close()
      number += 1
    }
    #expect(!isReached && number > 5)
    #expect(wasSaved == [true, false])
  }

  @Test("A program that is killed while it saves leaves both stores with the same save")
  func kills() async throws {
    try files.make().close()
    let (path, limit) = (files.path, Effort.count(25))
    var last = 0
    for round in 0..<limit {
      let wait = UInt32.random(in: 1_000...150_000)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, wait = wait as UInt32, last = last as Int] in
        try SavingProgram(path: path).run(after: last, killedAfter: wait)
      }
      let saved = (try? String(contentsOfFile: files.path + ".saved", encoding: .utf8)).flatMap {
        Int($0)
      }

      let document = try files.open()
      let found = try DocumentSite.texts(document)
      try document.close()

      #expect(found[0] == found[1], "round \(round)")
      let number = Int(found[0]) ?? 0
      #expect((saved ?? last)...(max(saved ?? 0, last) + 1) ~= number, "round \(round)")
      #expect(try files.waiting() == 0, "round \(round)")
      last = number
    }
  }
}

/// A program that saves numbers into both stores until it is killed.
private struct SavingProgram {
  let path: String

  func run(after last: Int, killedAfter wait: UInt32) throws {
    let document = try Document.open(path, in: StorePlaces(DocumentSite.backends, on: RealDisk()))
    Thread.detachNewThread {
      usleep(wait)
      kill(getpid(), SIGKILL)
    }
    for number in (last + 1)... {
      try DocumentSite.save("\(number)", in: document)
      try "\(number)".write(toFile: path + ".saved", atomically: true, encoding: .utf8)
    }
  }
}
