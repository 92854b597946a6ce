import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SeededRandom
import Testing

// In the suite of random work, so that the tests under the address sanitizer include them.
extension RandomWorkTests {
  @Test(
    "Objects are sorted and grouped by values of every pattern, saved or not",
    arguments: RandomRuns.kinds, ValuePattern.allCases)
  func patterns(_ kind: Kind, _ pattern: ValuePattern) throws {
    // Blocks of one row, and of enough rows for dictionaries.
    for count in [1, 3, 40] {
      var random = SeededGenerator(seed: UInt64(count))
      let graph = try Graph(kind, model: Wild.model, classes: [])
      let context = ManagedObjectContext(graph.coordinator, concurrency: .confined)
      for isSaved in [false, true] {
        for _ in 0..<count {
          let node = try context.insert("Node")
          for (name, type) in Wild.types { node[name] = Wild.value(type, pattern, &random) }
        }
        for (name, type) in Wild.types where type != .binary {
          let problem = try context.sortingProblem(of: "Node", by: name)
          #expect(problem == nil, "\(count) objects")
        }
        if !isSaved { try context.save() }
      }
      let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
      for (name, type) in Wild.types where type != .binary {
        let problem = try fresh.sortingProblem(of: "Node", by: name)
        #expect(problem == nil, "\(count) saved objects")
      }
    }
  }
}

extension ManagedObjectContext {
  /// Sorts and groups the objects of an entity by an attribute, and compares the results with the values that the objects
  /// have.
  ///
  /// - Returns: A sentence about the first difference, or `nil`.
  func sortingProblem(of entity: String, by name: String) throws -> String? {
    let values = try fetch(FetchRequest(entity)).map { $0[name] }
    for isAscending in [true, false] {
      let request = FetchRequest(entity, sortedBy: [SortKey(name, ascending: isAscending)])
      let found = try fetch(request).map { $0[name] }
      let wanted = values.sorted { isAscending ? $0.precedes($1) : $1.precedes($0) }
      if found != wanted {
        return "sorted by \(name), \(isAscending): \(found.map(\.text)), not \(wanted.map(\.text))"
      }
    }
    // A table of results may contain numbers of a larger type than the attribute.
    switch values.first(where: { !$0.isNull }) {
    case nil, .string, .uri, .integer, .boolean: break
    default: return nil
    }
    var request = FetchRequest(entity)
    request.propertiesToGroupBy = [name]
    request.propertiesToFetch = [
      FetchedValue(name), FetchedValue("count", .function(.count, [.evaluatedObject])),
    ]
    let rows = try fetchTable(request).rows
    let wanted = values.reduce(into: [Value: Int64]()) { $0[$1, default: 0] += 1 }
    let found = Dictionary(rows.map { ($0[0], $0[1]) }) { _, last in last }
    if rows.count != wanted.count || found != wanted.mapValues({ .integer($0) }) {
      return "grouped by \(name): \(rows.map { "\($0.map(\.text))" }), not \(wanted)"
    }
    return nil
  }
}

extension Value {
  /// Whether the value is sorted before another one of its type. A missing value comes first.
  fileprivate func precedes(_ other: Value) -> Bool {
    switch (self, other) {
    case (.null, _): !other.isNull
    case (_, .null): false
    case (.boolean(let left), .boolean(let right)): !left && right
    case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)):
      left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.binary(let left), .binary(let right)): left.lexicographicallyPrecedes(right)
    case (.uuid(let left), .uuid(let right)): left.uuidString < right.uuidString
    default: order(comparedTo: other) ?? 0 < 0
    }
  }
}
