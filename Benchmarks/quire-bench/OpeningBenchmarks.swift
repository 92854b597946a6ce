import BinaryStore
import CSQLite3
import Deflate
import Foundation
import ObjectModel
import Rows
import StoreInterface

/// Measures opening a store and reading one object with a cold page cache, and how the time grows with the size of the store.
/// Also measures finding objects by a related object.
func runOpeningBenchmarks(_ count: Int) throws {
  let bench = try OpeningBench(count)
  defer { bench.clean() }
  try bench.measureWarm()
  try FreshProcess.measure(count)
  try bench.measureCold()
  try bench.measureGrowth()
  try bench.measureRelated()
  try bench.measureLoading()
}

final class OpeningBench {
  let count: Int
  let companies: Int
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "quire-bench-\(UUID().uuidString)")
  let peer: SQLitePeer

  init(_ count: Int) throws {
    self.count = count
    companies = max(1, count / 100)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    peer = try SQLitePeer(count, companies: companies)
    try People.fillStore(at: path("whole"), count)
    try People.fillStore(at: path("small"), count, isCompressed: true)
    try People.fillStore(at: path("hundredth"), max(1000, count / 100))
  }

  func clean() { try? FileManager.default.removeItem(at: folder) }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func readOne(_ path: String, _ number: UInt64) -> Int {
    let store = try! BinaryStore.open(path, readOnly: true)
    let snapshot = try! store.snapshot()
    let layout = snapshot.schema["Person"]!
    let row = try! snapshot.view.row(
      of: ObjectKey(entity: layout.entityNumber, number: number))!
    return layout.columns.count { try! !row.value($0).isNull }
  }

  static func dropFromCache(_ path: String) {
    let file = open(path, O_RDONLY)
    fdatasync(file)
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    close(file)
    // The kernel reads far ahead in a mapped file. Without this pause, the next read would wait for the read-ahead of the read
    // before.
    usleep(20_000)
  }

  /// Measures opening with a warm page cache. SQLite is measured with both of its journal modes, because a rollback journal
  /// opens faster than a log.
  func measureWarm() throws {
    var measurement = Measurement(rounds: 15)
    let middle = count / 2
    var names: [String] = []
    for mode in ["WAL", "DELETE"] {
      let path = path("warm-\(mode).sqlite")
      try FileManager.default.copyItem(atPath: peer.path, toPath: path)
      SQLitePeer.opening(path) { database in
        _ = sqlite3_exec(database, "PRAGMA journal_mode = \(mode)", nil, nil, nil)
      }
      names.append("SQLite, journal \(mode): open and read one object")
      measurement.add(names.last!, 100, "object") {
        (0..<100).reduce(0) { sum, _ in sum + SQLitePeer.openingAndReading(path, middle) }
      }
    }
    let ours = path("whole")
    let name = "open and read one object"
    measurement.add(name, 100, "object") { [self] in
      (0..<100).reduce(0) { sum, _ in sum + readOne(ours, UInt64(middle)) }
    }
    let times = measurement.report("Opening with a warm page cache (W2)")
    let ratio = names.map { Measurement.ratio(times, name, to: $0) }.max()!
    target("\(name) / the faster journal of SQLite", ratio, atMost: 0.5)
  }

  func measureCold() throws {
    var measurement = Measurement(rounds: 9)
    // The peer is a copy that no process has open, because mapped pages stay in the cache.
    let (ours, theirs) = (path("whole"), path("people.sqlite"))
    try FileManager.default.copyItem(atPath: peer.path, toPath: theirs)
    let middle = count / 2
    measurement.add("SQLite: open cold and read one object", 1, "object") {
      SQLitePeer.openingAndReading(theirs, middle, settings: SQLitePeer.coldSettings)
    }
    measurement.prepare { OpeningBench.dropFromCache(theirs) }
    measurement.add("open cold and read one object", 1, "object") { [self] in
      readOne(ours, UInt64(middle))
    }
    measurement.prepare { OpeningBench.dropFromCache(ours) }
    let times = measurement.report("Opening with a cold page cache (W2)")
    ratio(times, "open cold and read one object", atMost: 0.2)
  }

  func measureGrowth() throws {
    var measurement = Measurement(rounds: 9)
    for (name, count) in [("hundredth", max(1000, count / 100)), ("whole", count)] {
      let path = path(name)
      measurement.add("open and read one of \(count)", 100, "object") { [self] in
        (0..<100).reduce(0) { sum, _ in sum + readOne(path, UInt64(count / 2)) }
      }
    }
    let times = measurement.report("Opening as the store grows")
    let names = measurement.names
    target(
      "whole / a hundredth of it", Measurement.ratio(times, names[1], to: names[0]), atMost: 1.15)
  }

  func measureRelated() throws {
    var measurement = Measurement(rounds: 7)
    let store = try BinaryStore.open(path("whole"), readOnly: true)
    let companies = stride(from: 1, through: self.companies, by: max(1, self.companies / 1000))
      .map { UInt64($0) }
    let statement = peer.prepare("SELECT id FROM person WHERE company = ?")
    measurement.add("SQLite: people of a company", companies.count, "company") {
      companies.reduce(0) { sum, company in
        sqlite3_bind_int64(statement, 1, Int64(company))
        return sum + SQLitePeer.count(statement)
      }
    }
    measurement.add("people of a company", companies.count, "company") {
      // A view of its own has no caches yet, as in a program that searches for the first time.
      let snapshot = try! store.snapshot()
      let indexed = IndexedView(snapshot.view, snapshot.schema)
      let layout = snapshot.schema["Person"]!
      let column = layout.columns[layout.index(of: "company")!]
      let index = snapshot.schema.index(ofEntity: layout.entityNumber, by: [column])!
      let entity = snapshot.schema["Company"]!.entityNumber
      return companies.reduce(0) { sum, company in
        let key = ObjectKey(entity: entity, number: company)
        let range = IndexRange(equalTo: IndexBound([.object(key)]))
        return sum + (try! indexed.keys(index, in: range).count)
      }
    }
    let times = measurement.report("From an object to those that refer to it")
    ratio(times, "people of a company", atMost: 1)
  }

  func measureLoading() throws {
    var measurement = Measurement(rounds: 5)
    let path = path("small")
    let pieces = try expandable()
    let byteCount = pieces.reduce(0) { $0 + $1.byteCount }
    measurement.add("libdeflate alone, on as many cores", byteCount, "byte") {
      DispatchQueue.concurrentPerform(iterations: pieces.count) { index in
        let piece = pieces[index]
        let memory = UnsafeMutableRawBufferPointer.allocate(
          byteCount: piece.byteCount, alignment: 16)
        defer { memory.deallocate() }
        var span = MutableRawSpan(_unsafeBytes: memory)
        piece.small.withUnsafeBytes { small in
          try! Deflate.expand(RawSpan(_unsafeBytes: small), into: &span)
        }
      }
      return pieces.count
    }
    measurement.add("load every block of a compressed store", byteCount, "byte") {
      let snapshot = try! BinaryStore.open(path, readOnly: true).snapshot()
      let layout = snapshot.schema["Person"]!
      return try! snapshot.view.batches(of: layout).count
    }
    let times = measurement.report("Loading a compressed store")
    target(
      "libdeflate alone / load",
      Measurement.ratio(
        times, "libdeflate alone, on as many cores", to: "load every block of a compressed store"),
      atLeast: 0.85)
  }

  /// Returns the blocks of the store, compressed as the store compresses them.
  private func expandable() throws -> [(small: [UInt8], byteCount: Int)] {
    let snapshot = try BinaryStore.open(path("whole"), readOnly: true).snapshot()
    return try snapshot.view.batches(of: snapshot.schema["Person"]!).map { batch in
      let memory = try batch.block.transposedBytes()
      return (Deflate.compress(memory.bytes), memory.byteCount)
    }
  }
}
