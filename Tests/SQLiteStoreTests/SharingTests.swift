import DurableFiles
import Foundation
import ObjectModel
import Rows
import SQLiteFiles
import SQLiteStore
import StoreConformance
import StoreInterface
import Testing

@Suite("Two stores that share one database")
struct SharingTests {
  /// The kind of the shared database: a store of ours, or a database of Core Data.
  enum Kind: CaseIterable {
    case own, foreign
  }

  private func path(_ kind: Kind, _ folder: TemporaryFolder) throws -> String {
    let path = folder.file("a.sqlite")
    switch kind {
    case .own:
      let store = try SQLiteStoreBackend().create(
        at: path, model: HandMade.library, on: RealDisk(), StoreCreation())
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      for number in 1...3 as ClosedRange<UInt64> {
        let key = ObjectKey(entity: base.schema["Tag"]!.entityNumber, number: number)
        builder.insert(key)
        builder.set(.string("tag \(number)"), "name", of: key, base.schema)
      }
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
      try store.close()
    case .foreign: _ = try HandMade("library", HandMade.library, at: path)
    }
    return path
  }

  private func open(_ path: String, patience: Duration = .seconds(10)) throws -> any Store {
    var options = SQLiteStoreOptions()
    options.patience = patience
    return try SQLiteStoreBackend(options: options).open(
      path, on: RealDisk(), StoreOpening(writesForeign: true))
  }

  private func request(_ store: any Store, _ number: UInt64, _ name: String) throws
    -> CommitRequest
  {
    let base = try store.snapshot()
    let key = ObjectKey(entity: base.schema["Tag"]!.entityNumber, number: number)
    let builder = LayerBuilder(base.schema)
    builder.set(
      .string(name), "name", of: key, base.schema, basis: try base.view.row(of: key)!.version)
    return CommitRequest(builder.freeze(), basedOn: base)
  }

  @Test(
    "Two stores conflict if they change the same object, and not if they change different objects",
    arguments: Kind.allCases)
  func conflicts(_ kind: Kind) throws {
    let folder = try TemporaryFolder()
    let path = try path(kind, folder)
    let (first, second) = (try open(path), try open(path))
    let stale = try request(second, 1, "second")
    let other = try request(second, 3, "third")
    try first.commit(try request(first, 1, "first"))
    let error = try #require(throws: StoreError.self, performing: { try second.commit(stale) })
    #expect(error.code == .conflict && error.path == path)
    #expect(error.conflicts.map(\.key.number) == [1])
    try second.commit(other)
    for store in [first, second] {
      #expect(
        try ShownCells(store.snapshot()).rows("Tag", ["name"]).map { $0[1] }
          == [
            .text("first"), kind == .own ? .text("tag 2") : .text("short"), .text("third"),
          ])
    }
    // Deleting an object that the other store has changed is a conflict too.
    let base = try first.snapshot()
    let key = ObjectKey(entity: base.schema["Tag"]!.entityNumber, number: 2)
    let builder = LayerBuilder(base.schema)
    builder.remove(key, basis: try base.view.row(of: key)!.version)
    try second.commit(try request(second, 2, "changed"))
    #expect(throws: StoreError.self) {
      try first.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
    try first.close()
    try second.close()
  }

  @Test("A commit returns its own state, even if another store commits right after it")
  func ownCommit() throws {
    let folder = try TemporaryFolder()
    let path = try path(.own, folder)
    let stores = try (0..<3).map { _ in try open(path) }
    DispatchQueue.concurrentPerform(iterations: stores.count) { index in
      do {
        let own = UInt64(index + 1)
        for round in 0..<300 {
          let left = try stores[index].commit(request(stores[index], own, "\(round)"))
          let entity = left.schema["Tag"]!
          let row = try #require(
            try left.view.row(of: ObjectKey(entity: entity.entityNumber, number: own)))
          #expect(try row.version == left.commit, "round \(round)")
          #expect(try row.value(entity.columns[entity.index(of: "name")!]) == .string("\(round)"))
        }
      } catch { Issue.record(error) }
    }
    for store in stores { try store.close() }
  }

  @Test("No key is leased twice, whichever store asks", arguments: Kind.allCases)
  func leasing(_ kind: Kind) throws {
    let folder = try TemporaryFolder()
    let path = try path(kind, folder)
    let stores = [try open(path), try open(path)]
    let schema = try stores[0].snapshot().schema
    var seen: Set<UInt64> = []
    // Entities of one family share their keys.
    for round in 0..<40 {
      let entity = schema[["Book", "Clip", "Article"][round % 3]]!.entityNumber
      for key in try stores[round % 2].leaseKeys(ofEntity: entity, count: 1 + round % 5) {
        #expect(seen.insert(key).inserted, "\(key)")
      }
    }
    #expect(seen.min() == (kind == .own ? 1 : 8))
    // Links get their keys in the same way.
    let links = schema.links(of: "Item", "tags")!.table.layout.entityNumber
    var linkKeys: Set<UInt64> = []
    for round in 0..<20 {
      for key in try stores[round % 2].leaseKeys(ofEntity: links, count: 3) {
        #expect(linkKeys.insert(key).inserted, "\(key)")
      }
    }
    for store in stores { try store.close() }
  }

  @Test(
    "Saving to a locked database fails after the given time instead of waiting forever",
    arguments: Kind.allCases)
  func busy(_ kind: Kind) throws {
    let folder = try TemporaryFolder()
    let path = try path(kind, folder)
    let store = try open(path, patience: .milliseconds(200))
    let change = try request(store, 1, "late")
    let holder = try RawDatabase(path)
    try holder.run("BEGIN IMMEDIATE; UPDATE ZTAG SET Z_OPT = Z_OPT")
    let clock = ContinuousClock()
    let time = try clock.measure {
      let error = try #require(throws: StoreError.self, performing: { try store.commit(change) })
      #expect(error.code == .locked)
      #expect(error.description.hasPrefix("\(path): Another connection has locked"), "\(error)")
    }
    #expect(time >= .milliseconds(150), "\(time)")
    // Readers are not blocked.
    #expect(try ShownCells(store.snapshot()).rows("Tag", []).count == 3)
    try holder.run("ROLLBACK")
    try store.commit(change)
    try store.close()
  }

  @Test("Opening a database without a log that another connection has locked is an error")
  func busyOpening() throws {
    let folder = try TemporaryFolder()
    let path = try path(.foreign, folder)
    let holder = try RawDatabase(path)
    try holder.run("BEGIN EXCLUSIVE")
    let error = try #require(
      throws: StoreError.self, performing: { try open(path, patience: .milliseconds(200)) })
    #expect(error.code == .locked && error.path == path, "\(error)")
    try holder.run("ROLLBACK")
    try open(path).close()
  }

  @Test("Detecting a file's type releases no lock of an open store in the same process")
  func looking() async throws {
    let folder = try TemporaryFolder()
    let path = try path(.own, folder)
    let store = try open(path)
    try store.commit(request(store, 1, "first"))
    let backends = StoreBackends([SQLiteStoreBackend()])
    // By the first bytes, by the metadata, and by a short opening of the database.
    #expect(try backends.backend(ofStoreAt: path, on: RealDisk()).type == store.type)
    _ = try backends.metadata(at: path, on: RealDisk())
    try backends.open(path, on: RealDisk(), StoreOpening(readOnly: true)).close()

    // The last connection to a database copies the log into the database and removes the log, if no other connection
    // holds a lock.
    await #expect(processExitsWith: .success) { [path = path as String] in
      let database = try RawDatabase(path)
      try database.run("UPDATE ZTAG SET ZNAME = 'other' WHERE Z_PK = 2")
    }
    #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    try store.commit(request(store, 3, "last"))
    let names = try ShownCells(open(path).snapshot()).rows("Tag", ["name"]).flatMap(\.self)
    #expect("\(names)".contains("first") && "\(names)".contains("last"), "\(names)")
    try store.close()
  }
}
