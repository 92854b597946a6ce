import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery

/// Compares an array of all results of a request with walking the results in batches (decision 0009).
func runWalkingBenchmarks(_ count: Int) throws {
  let bench = try ObjectBench(count)
  defer { bench.clean() }
  let path = bench.wholePath
  let request = FetchRequest("Person")

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
