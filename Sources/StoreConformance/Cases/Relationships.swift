import ObjectModel
import Rows
import SeededRandom
import StoreInterface

/// The case of relationships of every kind.
extension CaseRun {
  /// Checks that relationships of every kind are kept, with their order.
  func relationships() throws {
    for seed in 1...2 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var store = try make()
      try StoreConformance.populate(store, count: 60, &generator)
      let before = try StoreConformance.described(store.snapshot())
      check(
        before.values.contains { $0.relationships["twins"]?.count ?? 0 > 1 },
        "After objects with twins were saved, no object leads to two others by 'twins'.")
      store = try reopen(store)
      let after = try StoreConformance.described(store.snapshot())
      check(
        "The number of objects once the store is opened again (seed \(seed))", is: before.count,
        found: after.count)
      for (name, one) in before.sorted(by: { $0.key < $1.key }) {
        guard let other = after[name] else {
          check(
            false,
            "Once the store is opened again, \(one.entity) \(name) is missing (seed \(seed)).")
          continue
        }
        check(
          "The entity of \(name) once the store is opened again", is: one.entity,
          found: other.entity)
        check(
          one.values == other.values,
          "\(one.entity) \(name) has other values once the store is opened again (seed \(seed)).")
        for (relationship, members) in one.relationships.sorted(by: { $0.key < $1.key }) {
          check(
            "Where '\(relationship)' of \(one.entity) \(name) leads once the store is opened again (seed \(seed))",
            is: members, found: other.relationships[relationship] ?? [])
        }
      }
      try store.close()
    }
  }
}
