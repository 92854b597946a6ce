import BinaryStore
import CSQLite3
import Deflate
import Foundation
import ObjectModel
import Rows
import StoreInterface

/// Compares the block file with SQLite in WAL mode, on the same people in the same run. Whole blocks are written and read.
func runStoreBenchmarks(_ count: Int) throws {
  let bench = try StoreBench(count)
  defer { bench.clean() }
  try bench.measureWriting()
  try bench.measureReading()
  try bench.measureChanging()
}

private final class StoreBench {
  let count: Int
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "quire-bench-\(UUID().uuidString)")
  let layer: Layer
  let peer: SQLitePeer
  var wholePath: String { folder.appending(path: "whole").path }

  init(_ count: Int) throws {
    self.count = count
    let companies = max(1, count / 100)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var writer = BlockWriter()
    let blocks = People.drafts(count, companies: companies)
      .flatMap { Draft.freeze([$0], &writer) }
    layer = Layer([.init(entityNumber: People.layout.entityNumber, put: BlockRun(blocks))])
    peer = try SQLitePeer(count, companies: companies)
    try fill(BinaryStore.create(at: wholePath, model: People.model))
  }

  func clean() { try? FileManager.default.removeItem(at: folder) }

  @discardableResult
  private func fill(_ store: BinaryStore) throws -> Int {
    try store.commit(CommitRequest(layer, basedOn: store.snapshot()))
    try store.close()
    return count
  }

  /// Opens a copy of the full store.
  private func copy(_ name: String) -> BinaryStore {
    let path = folder.appending(path: name).path
    try? FileManager.default.removeItem(atPath: path)
    try! FileManager.default.copyItem(atPath: wholePath, toPath: path)
    // The copy is made durable now. Otherwise its writing would be part of the first save's time.
    sync()
    return try! BinaryStore.open(path)
  }

  func measureWriting() throws {
    var measurement = Measurement(rounds: 5)
    measurement.add("SQLite: write and sync", count, "row") { [count] in
      let peer = try! SQLitePeer(count, companies: max(1, count / 100))
      return peer.path.utf8.count
    }
    let path = folder.appending(path: "new").path
    measurement.add(
      "write and sync", count, "row"
    ) { try! self.fill(BinaryStore.create(at: path, model: People.model)) }
    measurement.prepare { try? FileManager.default.removeItem(atPath: path) }
    let smallPath = folder.appending(path: "small").path
    measurement.add(
      "write compressed and sync", count, "row"
    ) {
      try! self.fill(
        BinaryStore.create(at: smallPath, model: People.model, isCompressed: true))
    }
    measurement.prepare { try? FileManager.default.removeItem(atPath: smallPath) }
    let blocks = layer.entities[0].put.blocks
    measurement.add("libdeflate alone on the same blocks and cores", count, "row") {
      DispatchQueue.concurrentPerform(iterations: blocks.count) { index in
        let slice = try! blocks[index].bytes()
        _ = Deflate.compress(slice.memory.bytes.extracting(slice.range)).count
      }
      return blocks.count
    }
    let times = measurement.report("Writing a store (W1)")
    ratio(times, "write and sync", atMost: 0.15)
    target(
      "libdeflate alone / write compressed and sync",
      Measurement.ratio(
        times, "libdeflate alone on the same blocks and cores", to: "write compressed and sync"),
      atLeast: 0.85)
    let small = Double(try self.size(smallPath)) / Double(try self.size(peer.path))
    target("compressed file size / SQLite", small, atMost: 0.30)
    let size = try size(wholePath)
    print("  \(format(Double(size) / Double(count))) bytes an object")
    target("file size / SQLite", Double(size) / Double(try self.size(peer.path)), atMost: 0.65)
  }

  private func size(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.size] as! Int
  }

  func measureReading() throws {
    var measurement = Measurement(rounds: 9)
    // The peer is a copy that no other connection has open, as in a program that starts. It has a rollback journal, which opens
    // faster than a log.
    let peerPath = folder.appending(path: "people.sqlite").path
    try FileManager.default.copyItem(atPath: peer.path, toPath: peerPath)
    SQLitePeer.opening(peerPath) { database in
      precondition(
        sqlite3_exec(database, "PRAGMA journal_mode = DELETE", nil, nil, nil) == SQLITE_OK)
    }
    let (path, middle) = (wholePath, UInt64(count / 2))
    // The work runs twenty times in a round, because a single run is too short for the clock and the caches.
    func times(_ body: () -> Int) -> Int { (0..<20).reduce(0) { sum, _ in sum + body() } }
    measurement.add("SQLite: open and read one object", 20, "object") {
      times {
        SQLitePeer.opening(peerPath) { database in
          var statement: OpaquePointer?
          sqlite3_prepare_v2(
            database, "SELECT * FROM person WHERE id = \(middle)", -1, &statement, nil)
          defer { sqlite3_finalize(statement) }
          return SQLitePeer.count(statement)
        }
      }
    }
    measurement.add("open and read one object", 20, "object") {
      times {
        let store = try! BinaryStore.open(path, readOnly: true)
        let snapshot = try! store.snapshot()
        let layout = snapshot.schema["Person"]!
        let row = try! snapshot.view.row(
          of: ObjectKey(entity: layout.entityNumber, number: middle))!
        return layout.columns.count { try! !row.value($0).isNull }
      }
    }
    let store = try BinaryStore.open(path, readOnly: true)
    let sum = peer.prepare("SELECT sum(age) FROM person")
    measurement.add("SQLite: sum of ages", count, "row") { SQLitePeer.count(sum) }
    measurement.add("sum of ages", count, "row") {
      let snapshot = try! store.snapshot()
      let layout = snapshot.schema["Person"]!
      let age = layout.columns[layout.index(of: "age")!]
      var sum: Int64 = 0
      for batch in try! snapshot.view.batches(of: layout) {
        sum &+= try! batch.block.column(age)!.integerSum()
      }
      return Int(sum)
    }
    let times = measurement.report("Reading a store (W2, W3)")
    ratio(times, "open and read one object", atMost: 0.5)
    ratio(times, "sum of ages", atMost: 0.10)
  }

  func measureChanging() throws {
    var measurement = Measurement(rounds: 5)
    add(
      &measurement, "change one object", 1, ids: { _ in [7] },
      sql: "UPDATE person SET balance = balance + 1 WHERE id = 8")
    add(
      &measurement, "change one in a hundred", count / 100,
      ids: { stride(from: 1, through: $0, by: 100).map(UInt64.init) },
      sql: "UPDATE person SET balance = balance + 1 WHERE id % 100 = 1")
    let peer = peer
    var copied: SQLitePeer?
    var store: BinaryStore?
    measurement.add(
      "SQLite: remove one in ten", count / 10, "row"
    ) {
      copied!.run("DELETE FROM person WHERE id % 10 = 1")
      return 1
    }
    measurement.prepare { copied = SQLitePeer(copying: peer) }
    var request: CommitRequest?
    measurement.add(
      "remove one in ten", count / 10, "row"
    ) { Int(try! store!.commit(request!).commit) }
    measurement.prepare { [self] in
      store = copy("copy")
      let base = try! store!.snapshot()
      let builder = LayerBuilder(base.schema)
      let entity = base.schema["Person"]!.entityNumber
      for number in stride(from: 1, through: count, by: 10) {
        builder.remove(ObjectKey(entity: entity, number: UInt64(number)), basis: base.commit)
      }
      request = CommitRequest(builder.freeze(), basedOn: base)
    }
    let times = measurement.report("Changing a store (W5, W6, W7)")
    ratio(times, "change one object", atMost: 0.95)
    ratio(times, "change one in a hundred", atMost: 0.08)
    ratio(times, "remove one in ten", atMost: 0.08)
  }

  /// Adds a change of scattered balances, with a fresh copy for each round.
  private func add(
    _ measurement: inout Measurement, _ name: String, _ changes: Int, ids: (Int) -> [UInt64],
    sql: String
  ) {
    let (peer, ids) = (peer, ids(count))
    var copied: SQLitePeer?
    var store: BinaryStore?
    var request: CommitRequest?
    measurement.add(
      "SQLite: \(name)", changes, "row"
    ) {
      copied!.run(sql)
      return 1
    }
    measurement.prepare { copied = SQLitePeer(copying: peer) }
    measurement.add(
      name, changes, "row"
    ) { Int(try! store!.commit(request!).commit) }
    measurement.prepare { [self] in
      store = copy("copy")
      let base = try! store!.snapshot()
      let layout = base.schema["Person"]!
      let balance = layout.index(of: "balance")!
      let builder = LayerBuilder(base.schema)
      for id in ids {
        builder.set(
          .double(Double(id)), column: balance,
          of: ObjectKey(entity: layout.entityNumber, number: id), basis: base.commit)
      }
      request = CommitRequest(builder.freeze(), basedOn: base)
    }
  }
}

func ratio(_ times: [String: [Double]], _ name: String, atMost limit: Double) {
  target(
    "\(name) / SQLite", Measurement.ratio(times, name, to: "SQLite: \(name)"), atMost: limit)
}
