import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery

/// Measures the work that must not grow with the store, from ten thousand people to ten million (or to `count`), and draws it.
func runGrowthBenchmarks(_ count: Int) throws {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "quire-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let sizes = [10_000, 100_000, 1_000_000, 10_000_000].filter { $0 <= count }
  let stores = try sizes.map { size in
    let path = folder.appending(path: "\(size)").path
    ObjectBench.insert(size, at: path, batch: 100_000, canUndo: false)
    return try GrownStore(size, path)
  }
  let works: [(name: String, repetitions: Int, body: (GrownStore) -> Void)] = [
    ("open and fetch by identifier", 50, { $0.openOne() }),
    ("fetch by identifier", 200, { $0.fetchOne() }),
    ("change one and save", 20, { $0.saveOne() }),
  ]
  var measurement = Measurement(rounds: 9)
  for work in works {
    for store in stores {
      measurement.add("\(work.name), of \(store.size)", work.repetitions, "time") {
        for _ in 0..<work.repetitions { work.body(store) }
        return 1
      }
    }
  }
  let times = measurement.report("Work that must not grow with the store")
  var lines: [(name: String, points: [(size: Int, value: Double)])] = []
  for work in works {
    let points = stores.compactMap { store in
      times["\(work.name), of \(store.size)"].map {
        (size: store.size, value: Measurement.median($0) / 1e6 / Double(work.repetitions))
      }
    }
    guard points.count > 1 else { continue }
    lines.append((work.name, points))
    target(
      "\(work.name): \(points.last!.size) / \(points[0].size)",
      Measurement.ratio(
        times, "\(work.name), of \(points.last!.size)", to: "\(work.name), of \(points[0].size)"),
      atMost: 1.15)
  }
  guard !lines.isEmpty else { return }
  let output = URL(filePath: ".build/bench")
  try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
  let chart = output.appending(path: "growth.svg")
  try LineChart(title: "Milliseconds, by the number of people in the store", lines: lines).svg
    .write(to: chart, atomically: true, encoding: .utf8)
  print("\nWrote \(chart.relativePath).")
}

/// A store of a number of people, with a context in which people are changed.
private final class GrownStore {
  let size: Int
  private let path: String
  private let context: ManagedObjectContext
  private let people: [PersonObject]
  private let middle: ObjectID
  private var next = 0

  init(_ size: Int, _ path: String) throws {
    self.size = size
    self.path = path
    context = ObjectBench.open(path)
    people = try context.fetch(
      FetchRequest(
        PersonObject.self, where: QueryPredicate("modulus:by:(id, \(size / 200)) == 1"), limit: 200)
    )
    for person in people { _ = person.balance }
    middle = people[people.count / 2].objectID
  }

  func openOne() {
    let context = ObjectBench.open(path)
    withExtendedLifetime(context) {
      precondition((try! context.existingObject(with: middle) as! PersonObject).readAll() != 0)
    }
  }

  /// Reads a person in a context that has read none.
  func fetchOne() {
    let fresh = ManagedObjectContext(context.coordinator, concurrency: .confined)
    next += 1
    withExtendedLifetime(fresh) {
      let person = fresh.object(with: people[next % people.count].objectID) as! PersonObject
      precondition(person.readAll() != 0)
    }
  }

  func saveOne() {
    next += 1
    people[next % people.count].balance += 1
    try! context.save()
  }
}
