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
    guard let querying = store.features.querying else {
      throw CaseRun.End.skipped("the store does not declare the capability 'querying'")
    }
    var generator = SeededGenerator(seed: run.suite.seed)
    try StoreConformance.populate(store, count: 200, &generator)
    var answered = try compare(querying, requests: 120, &generator)
    // The store must find the objects as they are after changes, and no removed ones.
    try change(store, &generator)
    answered += try compare(querying, requests: 200, &generator)
    let reopened = try run.reopen(store)
    if let querying = reopened.features.querying {
      answered += try compare(querying, requests: 60, &generator)
      // Properties and indexes may move when the model changes.
      let base = try reopened.snapshot()
      try reopened.commit(
        CommitRequest(Layer(), basedOn: base, model: StoreConformance.grownModel))
      answered += try compare(querying, requests: 120, &generator)
    }
    run.check(
      answered > 0,
      "The store declares the capability 'querying', but answers none of 500 requests.")
    try reopened.close()
  }

  /// Gives half of the things values of which many are equal or nearly equal, and removes some things.
  private func change(_ store: any Store, _ generator: inout SeededGenerator) throws {
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    for entity in ["Thing", "SpecialThing"] {
      for number in try base.view.keys(ofEntity: run.key(base, entity, 1).entity) {
        let key = try run.key(base, entity, number)
        let basis = try run.version(of: key, in: base)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: builder.remove(key, basis: basis)
        case 1...3:
          for (name, values) in StoreConformance.nearValues {
            builder.set(
              values.randomElement(using: &generator)!, name, of: key, base.schema, basis: basis)
          }
        default: break
        }
      }
    }
    // No link may lead to a removed thing.
    try builder.removeLinks(of: base)
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
  }

  /// Compares the answers to random requests with a scan. Returns the number of answers that the store gave itself.
  private func compare(
    _ store: any QueryingStore, requests: Int, _ generator: inout SeededGenerator
  ) throws -> Int {
    let snapshot = try store.snapshot()
    let source = ViewSource(
      snapshot.view, model: try snapshot.model, schema: snapshot.schema, store: store.tag)
    var answered = 0
    for _ in 0..<requests {
      let request = try StoreConformance.randomRequest(&generator)
      let plan = try QueryPlan(
        request, model: snapshot.model, schema: snapshot.schema, store: store.tag)
      let expected = try plan.keys(in: source)
      let words =
        "\(request.predicate.map { "\($0)" } ?? "no condition")"
        + " sorted by \(request.sortKeys.map { ($0.isAscending ? "" : "-") + $0.path }), limit \(request.fetchLimit), offset \(request.fetchOffset)"
      if let found = try store.keys(answering: request, in: snapshot) {
        answered += 1
        run.check(
          found == expected,
          "The answer to '\(words)': \(Self.difference(expected, found))")
      }
      if let count = try store.count(answering: request, in: snapshot) {
        answered += 1
        run.check(
          "The number of objects for '\(words)'", is: try plan.count(in: source), found: count)
      }
    }
    return answered
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
  /// Values that many things get, by the names of their properties. Some differ only where a number of fewer bits is
  /// rounded.
  fileprivate static let nearValues: [String: [Value]] = [
    "large": [
      .null, .integer(0), .integer(1), .integer(16_777_216), .integer(16_777_217),
      .integer(9_007_199_254_740_992), .integer(9_007_199_254_740_993),
    ],
    "small": [.null, .integer(-1), .integer(0), .integer(1)],
    "real": [
      .null, .double(0), .double(-0.0), .double(0.5), .double(16_777_217), .double(.nan),
    ],
    "name": [
      .null, .string(""), .string("a"), .string("ab"), .string("b"), .string("Ab"), .string("É"),
      .string("éb"), .string("e\u{301}"),
    ],
  ]

  /// Returns a random request for things.
  fileprivate static func randomRequest(
    _ generator: inout SeededGenerator
  ) throws -> QueryRequest {
    /// A comparison with one of the values that many objects have, or with the bounds of some.
    func near(_ order: String) -> String {
      func number(_ name: String) -> String {
        nearValues[name]!.compactMap(\.numberText).randomElement(using: &generator)!
      }
      let name = nearValues.keys.filter { $0 != "name" }.sorted()
        .randomElement(using: &generator)!
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: return "\(name) BETWEEN {\(number(name)), \(number(name))}"
      case 1: return "name \(order) '\(["", "a", "ab", "b"].randomElement(using: &generator)!)'"
      default: return "\(name) \(order) \(number(name))"
      }
    }
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
        near(order), near(order), near(order), near(order),
        "name \(order)[c] '\(["AB", "É", "é", "ÉB"].randomElement(using: &generator)!)'",
        "name CONTAINS[c] '\(["A", "É", "b"].randomElement(using: &generator)!)'",
        "name BEGINSWITH[cd] '\(["A", "e", "É"].randomElement(using: &generator)!)'",
        "real == real", "real != real",
        "large + 0 \(order) \(number)", "length(name) \(order) \(abs(number) % 9)",
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
    }
    if Int.random(in: 0..<4, using: &generator) == 0 {
      request.fetchOffset = Int.random(in: 0...5, using: &generator)
    }
    return request
  }
}

extension Value {
  /// The value as a number in a predicate; `nil` if it is not a number.
  fileprivate var numberText: String? {
    switch self {
    case .integer(let number): "\(number)"
    case .double(let number) where !number.isNaN: "\(number)"
    default: nil
    }
  }
}
