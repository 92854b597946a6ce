import CSQLite3
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery

/// Opening a store and reading one object as the first work of a process, as scripts and tools do. Each process is this
/// program, started again; it measures the time from its first line.
enum FreshProcess {
  /// The argument by which this program is told to do the work.
  static let argument = "--fresh"

  /// Reads the object that the arguments name, and prints the time in nanoseconds.
  static func run(_ arguments: [String]) throws {
    let start = DispatchTime.now().uptimeNanoseconds
    switch arguments[0] {
    case "quire":
      let context = ObjectBench.open(arguments[1])
      let id = ObjectID(uri: arguments[2])!
      let person = try context.existingObject(with: id) as! PersonObject
      precondition(person.readAll() != 0)
    default:
      precondition(SQLitePeer.openingAndReading(arguments[1], Int(arguments[2])!) == 1)
    }
    print(DispatchTime.now().uptimeNanoseconds - start)
  }

  static func measure(_ count: Int) throws {
    guard Measurement.isWanted("fresh process") else { return }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "quire-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (ours, theirs) = (
      folder.appending(path: "ours").path, folder.appending(path: "theirs").path
    )
    ObjectBench.insert(count, at: ours)
    let context = ObjectBench.open(ours)
    let person = try context.fetch(
      PersonObject.self, where: QueryPredicate("id == \(count / 2)"))[0]
    let peer = try SQLitePeer(count, companies: 1)
    try FileManager.default.copyItem(atPath: peer.path, toPath: theirs)
    var times: [String: [Double]] = [:]
    for round in 0...20 {
      for (name, arguments) in [
        ("SQLite", ["sqlite", theirs, "\(count / 2)"]),
        ("Quire", ["quire", ours, person.objectID.uri]),
      ] {
        let time = try numberFromNewProcess([argument] + arguments)
        if round > 0 { times[name, default: []].append(time) }
      }
    }
    print("\nOpening and reading one object, as the first work of a process")
    for (name, all) in times.sorted(by: { $0.key < $1.key }) {
      print("  \(pad(name, 44)) \(format(Measurement.median(all) / 1e6)) ms")
    }
    target(
      "fresh process / SQLite", Measurement.ratio(times, "Quire", to: "SQLite"), atMost: 1.0)
  }
}
