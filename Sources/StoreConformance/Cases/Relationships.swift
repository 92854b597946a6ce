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
        "After objects with twins were saved, no object refers to two objects by 'twins'.")
      store = try reopen(store)
      let after = try StoreConformance.described(store.snapshot())
      check(
        "The number of objects in the reopened store (seed \(seed))", is: before.count,
        found: after.count)
      for (name, one) in before.sorted(by: { $0.key < $1.key }) {
        guard let other = after[name] else {
          check(
            false,
            "\(one.entity) \(name) is missing in the reopened store (seed \(seed)).")
          continue
        }
        check(
          "The entity of \(name) in the reopened store", is: one.entity,
          found: other.entity)
        check(
          one.values == other.values,
          "\(one.entity) \(name) has other values in the reopened store (seed \(seed)).")
        for (relationship, members) in one.relationships.sorted(by: { $0.key < $1.key }) {
          check(
            "The objects of '\(relationship)' of \(one.entity) \(name) in the reopened store (seed \(seed))",
            is: members, found: other.relationships[relationship] ?? [])
        }
      }
      try store.close()
    }
  }
}
