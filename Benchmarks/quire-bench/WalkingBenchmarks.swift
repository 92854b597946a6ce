import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery

/// What an array of everything that a request finds costs, beside walking it in batches (decision 0009).
func runWalkingBenchmarks(_ count: Int) throws {
  let bench = try ObjectBench(count)
  defer { bench.clean() }
  let path = bench.wholePath
  let request = FetchRequest("Person")

  func bytes(_ name: String, _ make: (ManagedObjectContext) -> Any) {
    let context = bench.open(path)
    _ = try? context.count(for: request)
    tidyMemory()
    let before = residentBytes()
    let kept = make(context)
    let after = residentBytes()
    withExtendedLifetime((kept, context)) {
      let each = Double(after - before) / Double(count)
      print("  \(pad(name, 44)) \(format(each)) bytes an object")
    }
  }
  print("\nMemory of \(count) objects")
  bytes("an array of faults") { try! $0.fetch(request) }
  bytes("an array of identifiers") { try! $0.fetchIdentifiers(request) }
  bytes("an array, one attribute of each read") { context in
    let people = try! context.fetch(PersonObject.self)
    precondition(people.reduce(0) { $0 + Int($1.age) } > 0)
    return people
  }

  func walk(_ context: ManagedObjectContext, _ size: Int) -> Int {
    var sum = 0
    try! context.forEachBatch(of: request, size: size) { objects in
      for case let person as PersonObject in objects { sum += Int(person.age) }
    }
    return sum
  }
  var measurement = Measurement(rounds: 5)
  func add(_ name: String, _ work: @escaping (ManagedObjectContext) -> Int) {
    measurement.add(name, count, "object") {
      let context = bench.open(path)
      return withExtendedLifetime(context) { work(context) }
    }
    measurement.prepare { tidyMemory() }
  }
  add("identifiers") { try! $0.fetchIdentifiers(request).count }
  add("an array of faults") { try! $0.fetch(request).count }
  add("an array, one attribute of the first hundred") { context in
    try! context.fetch(PersonObject.self).prefix(100).reduce(0) { $0 + Int($1.age) }
  }
  add("an array, one attribute of each") { context in
    try! context.fetch(PersonObject.self).reduce(0) { $0 + Int($1.age) }
  }
  add("batches of 100, one attribute of each") { walk($0, 100) }
  add("batches of 1024, one attribute of each") { walk($0, 1024) }
  measurement.report("Walking \(count) objects")
}

/// The memory of this process that is in use now.
private func residentBytes() -> Int {
  let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(
    separator: " ")
  return (fields.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4096
}
