import Comparison
import DiskSimulation
import Documents
import DurableFiles
import Foundation
import JSONText
import ObjectGraph
import ObjectModel
import Quire
import QuireTools
import StoreInterface
import Testing

@testable import DocumentExchange

/// Exchanges through a folder and with another document, step by step.
@Suite("Exchanges")
struct ExchangeTests {
  private let world = ReplicaWorld()

  private func insert(_ id: Int64, _ title: String, in replica: Int) throws {
    try world.edit(replica) { context in
      let note = try context.insert("Note")
      note.setValue(.integer(id), forKey: "id")
      note.setValue(.string(title), forKey: "title")
    }
  }

  private func setTitle(_ title: String, of id: Int64, in replica: Int) throws {
    try world.edit(replica) { context in
      let notes = try context.fetch(FetchRequest<ManagedObject>("Note"))
      notes.first { $0["id"] == .integer(id) }?.setValue(.string(title), forKey: "title")
    }
  }

  private func exchange(_ one: Int, _ other: Int) throws {
    try world.sync(one)
    try world.carryAll(from: one, to: other)
    try world.sync(other)
    try world.carryAll(from: other, to: one)
  }

  @Test("A replica without changes takes over versions with their authors, messages and identities")
  func following() throws {
    try world.makeReplicas(2)
    try world.on(0) { document in
      let context = try ReplicaWorld.context(document)
      context.transactionAuthor = "Ada"
      context.transactionMessage = "first"
      try context.insert("Note").setValue(.integer(10), forKey: "id")
      try context.save()
      context.transactionMessage = "second"
      try context.insert("Note").setValue(.integer(11), forKey: "id")
      try context.save()
    }
    try exchange(0, 1)
    let versions = try [0, 1].map { try world.on($0) { Array($0.versions.suffix(2)) } }
    #expect(versions[1].map(\.author) == ["Ada", "Ada"])
    #expect(versions[1].map(\.message) == ["first", "second"])
    #expect(versions[0].map(\.saved) == versions[1].map(\.saved))
    let identities = try [0, 1].map { replica in
      try world.on(replica) {
        try VersionIdentity(ofVersion: $0.versions.last!.number, of: $0)
      }
    }
    #expect(identities[0] == identities[1])
    #expect(try world.sync(1).sent.isEmpty)
  }

  @Test("Versions in conflict are shown as a head, and stop neither replica, until one decides")
  func conflicts() throws {
    try world.makeReplicas(2)
    try insert(10, "a", in: 0)
    try exchange(0, 1)
    try setTitle("b", of: 10, in: 0)
    try setTitle("c", of: 10, in: 1)
    try insert(11, "new", in: 1)
    try exchange(0, 1)
    let report = try world.sync(0)
    let conflict = try #require(report.conflicts.first)
    let head = try #require(conflict.head)
    #expect(conflict.reasons.count == 1 && report.conflicts.count == 1)
    #expect(try world.contents(0, head: head) == world.contents(1))
    #expect(throws: ComparisonError.self) {
      try world.on(0) { try $0.merge(from: head) { _ in .ours } }
    }
    // The head must not be merged when the remote is gone, either.
    try world.on(0) { document in
      try document.removeRemote(named: "origin")
      #expect(throws: ComparisonError.self) { try document.merge(from: head) { _ in .ours } }
      try document.addRemote(named: "origin", at: ReplicaWorld.folder(0))
    }
    let status = try world.on(0) { try Exchange($0).status() }
    #expect(status.conflictedHeads == [head] && status.toReceive.count == 1)
    // A later version of the second replica moves the head.
    try insert(12, "later", in: 1)
    try world.sync(1)
    try world.carryAll(from: 1, to: 0)
    try insert(13, "own", in: 0)
    #expect(try world.sync(0).conflicts.first?.head == head)
    #expect(try world.contents(0, head: head) == world.contents(1))

    try world.on(0) { document in
      var exchange = try Exchange(document)
      exchange.choose = { _, conflicts in conflicts.map { _ in .theirs } }
      #expect(try exchange.sync().conflicts.isEmpty)
      #expect(try document.heads.names == ["main"])
    }
    try world.carryAll(from: 0, to: 1)
    #expect(try world.sync(1).conflicts.isEmpty)
    #expect(try world.contents(0) == world.contents(1))
    #expect(try world.contents(0).contains { $0.contains("\"c\"") })
    #expect(try world.contents(0).filter { $0.hasPrefix("Note") }.count == 4)
  }

  @Test("A pull that shows versions as heads merges none")
  func fetching() throws {
    try world.makeReplicas(2)
    try insert(10, "a", in: 1)
    try world.sync(1)
    try world.carryAll(from: 1, to: 0)
    let before = try world.contents(0)
    let report = try world.on(0) { try Exchange($0).fetch() }
    let head = try #require(report.conflicts.first?.head)
    #expect(try world.contents(0) == before)
    #expect(try world.contents(0, head: head) == world.contents(1))
    try world.sync(0)
    #expect(try world.contents(0) == world.contents(1))
    #expect(try world.on(0) { try $0.heads.names } == ["main"])
  }

  @Test("Files that are cut, changed, renamed or of another document are left out and named")
  func skippedFiles() throws {
    try world.makeReplicas(2)
    try insert(10, "a", in: 0)
    try world.sync(0)
    let whole = try world.files(in: 1)
    let new = try #require(world.files(in: 0).first { !whole.contains($0) })
    let before = try world.contents(1)
    try world.carry(new, from: 0, to: 1) { $0.removeLast($0.count / 2) }
    try world.carry(new, from: 0, to: 1, as: "copy of \(new)")
    var report = try world.sync(1)
    #expect(Set(report.skipped.map(\.name)) == [new, "copy of \(new)"])
    try world.carry(new, from: 0, to: 1) { $0[$0.count / 2] ^= 1 }
    report = try world.sync(1)
    #expect(report.skipped.contains { $0.name == new } || !report.waiting.isEmpty)
    #expect(try world.contents(1) == before)
    try world.carry(new, from: 0, to: 1)
    #expect(try world.sync(1).received.count == 1)
    #expect(try world.contents(0) == world.contents(1))

    let other = ReplicaWorld()
    try other.makeReplicas(1)
    let foreign = try #require(other.files(in: 0).first)
    let bytes = try other.disk.read("\(ReplicaWorld.folder(0))/\(foreign)", byteLimit: 1 << 30)
    let file = try world.disk.open("\(ReplicaWorld.folder(1))/\(foreign)", for: .create)
    try file.append(bytes)
    try file.close()
    #expect(try world.sync(1).skipped.contains { $0.name == foreign })
    #expect(throws: ExchangeError.self) {
      try Exchange.clone(ReplicaWorld.folder(1), to: "/Other.quire", in: world.places)
    }
  }

  @Test("A document is the remote of its copy")
  func documents() throws {
    try world.makeReplicas(1)
    try Exchange.clone(ReplicaWorld.path(0), to: ReplicaWorld.path(1), in: world.places)
    for round: Int64 in 0..<3 {
      try insert(20 + round, "theirs", in: 0)
      try insert(30 + round, "own", in: 1)
      let report = try world.sync(1)
      #expect(report.received.count == 1 && !report.sent.isEmpty && report.conflicts.isEmpty)
      #expect(try world.contents(0) == world.contents(1))
      #expect(try world.sync(1).sent.isEmpty)
    }
    try setTitle("a", of: 20, in: 0)
    try setTitle("b", of: 20, in: 1)
    let report = try world.sync(1)
    #expect(report.conflicts.count == 1 && report.sent.isEmpty, "\(report)")
    try world.on(1) { document in
      var exchange = try Exchange(document)
      exchange.choose = { _, conflicts in conflicts.map { _ in .ours } }
      let report = try exchange.sync()
      #expect(report.sent.count > 0, "\(report)")
    }
    #expect(try world.contents(0) == world.contents(1))
    for replica in 0...1 {
      let report = try Validator.report(on: ReplicaWorld.path(replica), in: world.places)
      #expect(report.verdict == .valid, "\(report.text)")
    }
  }

  @Test("A change of one object costs some kilobytes, and reads in proportion to the change")
  func costs() throws {
    try world.makeReplicas(2)
    try world.edit(0) { context in
      for id in 0..<20_000 {
        let note = try context.insert("Note")
        note.setValue(.integer(Int64(100 + id)), forKey: "id")
        note.setValue(.string("note \(id)"), forKey: "title")
      }
    }
    // Opening a document reads the commits of its log, and the one before them.
    try setTitle("small", of: 101, in: 0)
    try world.attach("a.txt", [1], to: 0)
    try exchange(0, 1)
    try setTitle("small", of: 102, in: 0)
    try exchange(0, 1)
    try setTitle("changed", of: 100, in: 0)
    let before = world.disk.operations.count
    let report = try world.sync(0)
    #expect(report.sentByteCount > 0 && report.sentByteCount < 4096)
    let reads = world.disk.operations.dropFirst(before).filter { $0.operation == .read }
    let byteCount = reads.compactMap { $0.range?.count }.reduce(0, +)
    #expect(byteCount < 200_000, "\(byteCount) bytes read")
    try world.carryAll(from: 0, to: 1)
    let start = world.disk.operations.count
    #expect(try world.sync(1).received.count == 1)
    let taken = world.disk.operations.dropFirst(start).filter { $0.operation == .read }
      .compactMap { $0.range?.count }.reduce(0, +)
    #expect(taken < 200_000, "\(taken) bytes read")
    #expect(try world.contents(0) == world.contents(1))
  }

  @Test("A whole pack whose changes make another version than it says is not taken in")
  func falseVersions() throws {
    try world.makeReplicas(2)
    try insert(10, "a", in: 0)
    try world.sync(0)
    let before = try world.files(in: 1)
    let name = try #require(world.files(in: 0).first { !before.contains($0) })
    let pack = try Pack("\(ReplicaWorld.folder(0))/\(name)", on: world.disk)
    let version = try #require(pack.versions.first)
    let genuine = try pack.changes(of: version)
    let lines = genuine.lines.map { line in
      try! JSON.read(Array(line.line.replacing("\"a\"", with: "\"b\"").utf8))
    }
    let patch = try Patch("false", lines[0], Array(lines.dropFirst()))
    let book = try ChangeBook(patch, files: [:], path: "false")
    #expect(book.lines != genuine.lines)
    try world.on(1) { document in
      let remote = try FolderRemote(ReplicaWorld.folder(1), stores: nil, on: world.disk)
      _ = try PackWriter(document: document, remote: remote).write([
        PackWriter.Part(
          version: version.version, from: try #require(version.from), changes: book)
      ]) { _, _ in }
    }
    let contents = try world.contents(1)
    let report = try world.sync(1)
    #expect(report.received.isEmpty && report.conflicts.count == 1 && report.skipped.isEmpty)
    #expect(try world.contents(1) == contents)
    #expect(try world.on(1) { try $0.heads.names } == ["main"])
  }

  @Test("Small packs are put into one, and a replica that was away finds all versions")
  func consolidation() async throws {
    try world.makeReplicas(3)
    for id: Int64 in 10..<16 {
      try insert(id, "a", in: Int(id) % 2)
      try world.attach("\(id).txt", [UInt8(id)], to: Int(id) % 2)
      try exchange(0, 1)
    }
    try insert(20, "away", in: 2)
    let before = try world.files(in: 0).count
    let report = try world.on(0) { try Exchange($0).consolidate() }
    #expect(report.consolidatedCount == before - 1)
    #expect(try world.files(in: 0).count == 2)
    try world.carryAll(from: 0, to: 2)
    let away = try Document.open(ReplicaWorld.path(2), in: world.places, access: .shared)
    #expect(try await away.sync().received.count == 1)
    try away.close()
    try world.carryAll(from: 2, to: 0)
    try world.sync(0)
    #expect(try world.contents(0) == world.contents(2))
    try Exchange.clone(ReplicaWorld.folder(0), to: "/Clone.quire", in: world.places)
    let clone = try Document.open("/Clone.quire", in: world.places)
    #expect(try ReplicaWorld.contents(clone) == world.contents(0))
    try clone.close()
  }

  @Test("A document that was put back to an earlier state goes on, and nothing is lost")
  func restored() throws {
    try world.makeReplicas(2)
    try insert(10, "a", in: 0)
    try world.sync(0)
    try world.disk.copyTree(ReplicaWorld.path(0), to: "/backup")
    try insert(11, "b", in: 0)
    try world.sync(0)
    let remotes = try world.disk.read(
      ReplicaWorld.path(0) + "/remotes.json", byteLimit: 1 << 20)
    try world.disk.removeTree(ReplicaWorld.path(0))
    try world.disk.rename("/backup", to: ReplicaWorld.path(0))
    // The worst case: the file of remotes is newer than the document.
    try world.disk.remove(ReplicaWorld.path(0) + "/remotes.json")
    let file = try world.disk.open(ReplicaWorld.path(0) + "/remotes.json", for: .create)
    try file.append(remotes)
    try file.close()
    try insert(12, "c", in: 0)
    try world.sync(0)
    try world.carryAll(from: 0, to: 1)
    try world.sync(1)
    #expect(try world.contents(0) == world.contents(1))
    #expect(try world.contents(0).filter { $0.hasPrefix("Note") }.count == 3)
  }
}
