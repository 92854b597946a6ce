import CSQLite3
import Foundation
import ObjectGraph
import ObjectQuery

/// Measures the peak memory of a process that loads all people (W10). Also measures a process that inserts all people and saves
/// after each batch. Each process is this program, started again.
func runMemoryBenchmarks(_ count: Int) throws {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "quire-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  var peaks: [MemoryWork: Double] = [:]
  for work in MemoryWork.allCases { peaks[work] = try work.peak(count, in: folder) }
  print("\nPeak memory (W10)")
  for work in MemoryWork.allCases {
    print("  \(pad(work.words, 44)) \(format(peaks[work]! / 1e6)) MB")
  }
  target(
    "insert, saved once: MB for each million", peaks[.insertOnce]! / Double(count), atMost: 250)
  target(
    "load all, one attribute / SQLite", peaks[.load]! / peaks[.peerLoad]!, atMost: 0.30)
  target(
    "insert, saved in batches / SQLite", peaks[.insert]! / peaks[.peerInsert]!, atMost: 0.40)
}

/// The work of a process with measured memory. The cases that insert a store come before the cases that load it.
enum MemoryWork: String, CaseIterable {
  case insertUnsaved
  case insertOnce
  case insert
  case load
  case peerInsert
  case peerLoad

  var words: String {
    switch self {
    case .insertUnsaved: "insert, not saved"
    case .insertOnce: "insert, saved once"
    case .insert: "insert, saved every 16 384 objects"
    case .load: "load all, one attribute"
    case .peerInsert: "SQLite: insert"
    case .peerLoad: "SQLite: load all"
    }
  }

  /// The argument by which this program is told to do one of these pieces of work.
  static let argument = "--memory-of"

  /// Starts a process that does the work, and returns its peak memory in bytes.
  fileprivate func peak(_ count: Int, in folder: URL) throws -> Double {
    try numberFromNewProcess([MemoryWork.argument, rawValue, "\(count)", folder.path])
  }

  /// Does the work in this process, and prints the peak memory in bytes.
  static func run(_ arguments: [String]) throws {
    let work = MemoryWork(rawValue: arguments[0])!
    let count = Int(arguments[1])!
    let folder = URL(filePath: arguments[2])
    let ours = folder.appending(path: "ours").path
    let theirs = folder.appending(path: "theirs").path
    switch work {
    case .insertUnsaved:
      let context = ObjectBench.open(folder.appending(path: "unsaved").path)
      context.undoStack = nil
      for i in 0..<count {
        try context.insert(PersonObject.self).fill(i, Person(i, companies: max(1, count / 100)))
      }
    case .insertOnce:
      ObjectBench.insert(count, at: folder.appending(path: "once").path, canUndo: false)
    case .insert: ObjectBench.insert(count, at: ours, batch: 16_384, canUndo: false)
    case .load:
      let context = ObjectBench.open(ours)
      let all = try context.fetch(PersonObject.self)
      precondition(all.reduce(0) { $0 + $1.balance } > 0)
    case .peerInsert:
      try FileManager.default.createDirectory(
        atPath: theirs, withIntermediateDirectories: true)
      let peer = try SQLitePeer(count, companies: max(1, count / 100))
      try FileManager.default.copyItem(atPath: peer.path, toPath: theirs + "/people.sqlite")
    case .peerLoad:
      SQLitePeer.opening(theirs + "/people.sqlite") { database in
        sqlite3_exec(
          database, "PRAGMA cache_size = -65536; PRAGMA mmap_size = 4294967296", nil, nil, nil)
        var statement: OpaquePointer?
        sqlite3_prepare_v2(database, "SELECT * FROM person", -1, &statement, nil)
        precondition(SQLitePeer.materialize(statement) == count)
        sqlite3_finalize(statement)
      }
    }
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    print(usage.ru_maxrss * 1024)
  }
}
