import ObjectModel
import ObjectQuery
import Rows
import SeededRandom
import StoreInterface

/// The case of stores that answer requests themselves.
struct RequestCases {
  let run: CaseRun

  func answers() throws {
    let store = try run.make()
    guard store.capabilities.contains(.querying), let querying = store as? any QueryingStore else {
      throw CaseRun.End.skipped("the store does not declare the capability 'querying'")
    }
    var generator = SeededGenerator(seed: run.suite.seed)
    try StoreConformance.populate(store, count: 200, &generator)
    let snapshot = try store.snapshot()
    let source = ViewSource(
      snapshot.view, model: try snapshot.model, schema: snapshot.schema, store: store.tag)
    var answered = 0
    for _ in 0..<250 {
      let request = try StoreConformance.randomRequest(&generator)
      let plan = try QueryPlan(
        request, model: snapshot.model, schema: snapshot.schema, store: store.tag)
      let expected = try plan.keys(in: source)
      let words =
        "\(request.predicate.map { "\($0)" } ?? "no condition")"
        + " sorted by \(request.sortKeys.map { ($0.isAscending ? "" : "-") + $0.path }), limit \(request.fetchLimit), offset \(request.fetchOffset)"
      if let found = try querying.keys(answering: request, in: snapshot) {
        answered += 1
        run.check(
          found == expected,
          "The answer to '\(words)': \(Self.difference(expected, found))")
      }
      if let count = try querying.count(answering: request, in: snapshot) {
        answered += 1
        run.check(
          "The number of objects for '\(words)'", is: try plan.count(in: source), found: count)
      }
    }
    run.check(
      answered > 0,
      "The store declares the capability 'querying', but answers none of 250 requests.")
    try store.close()
  }

  private static func difference(_ expected: [ObjectKey], _ found: [ObjectKey]) -> String {
    let (wanted, given) = (Set(expected), Set(found))
    if let lost = expected.first(where: { !given.contains($0) }) {
      return
        "expected \(expected.count) objects, found \(found.count): object \(lost.number) is missing."
    }
    if let ghost = found.first(where: { !wanted.contains($0) }) {
      return
        "expected \(expected.count) objects, found \(found.count): object \(ghost.number) is unexpected."
    }
    return
      "expected the order \(expected.prefix(8).map(\.number)), found \(found.prefix(8).map(\.number))."
  }
}

extension StoreConformance {
  /// Returns a random request for things.
  fileprivate static func randomRequest(
    _ generator: inout SeededGenerator
  ) throws -> QueryRequest {
    func simple() -> String {
      let number = Int.random(in: -9999...9999, using: &generator)
      let order = ["<", "<=", ">", ">=", "==", "!="].randomElement(using: &generator)!
      return [
        "large \(order) \(number)", "small \(order) \(number % 99)",
        "real \(order) \(Double(number) / 3)",
        "flag == \(number > 0 ? "YES" : "NO")", "name == nil", "name != nil", "owner == nil",
        "name BEGINSWITH '<\(abs(number) % 10)'", "name CONTAINS '\(abs(number) % 100)'",
        "money \(order) \(Double(number) / 100)",
        "large BETWEEN {\(number - 3000), \(number + 3000)}",
        "medium IN {\(number), 5, 17}", "link CONTAINS 'a=\(abs(number) % 10)'",
      ].randomElement(using: &generator)!
    }
    var text = simple()
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      let other = simple()
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: text = "(\(text)) AND (\(other))"
      case 1: text = "(\(text)) OR (\(other))"
      default: text = "NOT (\(text)) AND (\(other))"
      }
    }
    let entity = ["Thing", "Thing", "SpecialThing"].randomElement(using: &generator)!
    var request = QueryRequest(
      entity,
      where: Int.random(in: 0..<9, using: &generator) == 0 ? nil : try QueryPredicate(text))
    for name in ["large", "name", "real"].shuffled(using: &generator)
      .prefix(Int.random(in: 0...2, using: &generator))
    {
      request.sortKeys.append(SortKey(name, ascending: Bool.random(using: &generator)))
    }
    if Int.random(in: 0..<3, using: &generator) == 0 {
      request.fetchLimit = Int.random(in: 1...9, using: &generator)
      request.fetchOffset = Int.random(in: 0...5, using: &generator)
    }
    return request
  }
}
