import ObjectModel
import Rows
import SeededRandom
import StoreInterface

/// The case of relationships of every kind.
struct RelationshipCases {
  let run: CaseRun

  /// Checks that relationships of every kind are kept, with their order.
  func relationships() throws {
    for seed in [run.suite.seed, run.suite.seed &+ 1] {
      // A store in memory with the same objects gives the expected values.
      var generator = SeededGenerator(seed: seed)
      let reference = try MemoryStore(StoreConformance.model)
      try StoreConformance.populate(reference, count: 60, &generator)
      let expected = try StoreConformance.described(reference.snapshot())
      generator = SeededGenerator(seed: seed)
      var store = try run.make()
      try StoreConformance.populate(store, count: 60, &generator)
      check(
        "the store (seed \(seed))", has: expected,
        found: try StoreConformance.described(store.snapshot()))
      store = try run.reopen(store)
      check(
        "the reopened store (seed \(seed))", has: expected,
        found: try StoreConformance.described(store.snapshot()))
      try store.close()
    }
  }

  private func check(
    _ place: String, has expected: [String: StoreConformance.Described],
    found: [String: StoreConformance.Described]
  ) {
    run.check("The number of objects in \(place)", is: expected.count, found: found.count)
    for (name, one) in expected.sorted(by: { $0.key < $1.key }) {
      guard let other = found[name] else {
        run.check(false, "\(one.entity) \(name) is missing in \(place).")
        continue
      }
      run.check("The entity of \(name) in \(place)", is: one.entity, found: other.entity)
      run.check(
        one.values == other.values,
        "\(one.entity) \(name) does not have the saved values in \(place).")
      for (relationship, members) in one.relationships.sorted(by: { $0.key < $1.key }) {
        run.check(
          "The objects of '\(relationship)' of \(one.entity) \(name) in \(place)", is: members,
          found: other.relationships[relationship] ?? [])
      }
    }
  }
}
