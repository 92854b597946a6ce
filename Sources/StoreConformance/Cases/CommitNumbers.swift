import ObjectModel
import Rows
import StoreInterface

/// The cases of the numbers of commits, and of large commits.
struct NumberCases {
  let run: CaseRun

  func commitNumbers() throws {
    var store = try run.make()
    let keys = try (1...2).map { try run.key(store, "Thing", $0) }
    var highest = try store.snapshot().commit
    for round in 0..<12 as Range<Int64> {
      let base = try store.snapshot()
      // Each object is changed in every second commit.
      let changed = keys[Int(round % 2)]
      let head = try store.commit(run.request(round, for: changed, above: base))
      run.check(
        head.commit > highest,
        "The number of commit \(round + 1): expected more than \(highest), found \(head.commit).")
      highest = max(highest, head.commit)
      run.check(
        "The newest commit after commit \(head.commit)", is: head.commit,
        found: try store.snapshot().commit)
      if run.suite.keepsRows, !head.countsVersions {
        run.check(
          "The version of an object that commit \(head.commit) changed", is: head.commit,
          found: try run.version(of: changed, in: head))
        if round > 0 {
          let other = keys[Int((round + 1) % 2)]
          run.check(
            "The version of an object that commit \(head.commit) did not change",
            is: try run.version(of: other, in: base), found: try run.version(of: other, in: head))
        }
      }
      if round % 5 == 4 {
        store = try run.reopen(store)
        let reopened = try store.snapshot()
        let number = reopened.commit
        if run.suite.keepsRows, !head.countsVersions {
          for key in keys {
            run.check(
              "The version of \(StoreConformance.name(key, head.schema)) after the store was reopened",
              is: try run.version(of: key, in: head), found: try run.version(of: key, in: reopened))
          }
        }
        if run.suite.keepsRows {
          run.check("The newest commit of a reopened store", is: head.commit, found: number)
        } else {
          // A file that contains objects need not contain the number of the commit.
          highest = number
        }
      }
    }
    try store.close()
  }

  func manyObjects() throws {
    var store = try run.make()
    let base = try store.snapshot()
    // The tables of an incremental store are tried with more rows than a host merges, and with more commits than a store
    // keeps a table for each.
    let isIncremental = store.features.isIncremental
    let (count, lateCount) = isIncremental ? (5000, 40) : (2000, 3)
    var expected: StoreConformance.Objects = [:]
    var builder = LayerBuilder(base.schema)
    for number in 1...UInt64(count) {
      let key = try run.key(base, "Thing", number)
      builder.insert(key)
      builder.set(.integer(Int64(number)), "large", of: key, base.schema)
      expected[key] = ["large": .integer(Int64(number))]
    }
    let full = try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    builder = LayerBuilder(base.schema)
    for number in 1...UInt64(count) {
      let key = try run.key(base, "Thing", number)
      let basis = try run.version(of: key, in: full)
      if number % 7 == 0 {
        builder.remove(key, basis: basis)
        expected[key] = nil
      } else if number % 5 == 0 {
        builder.set(.string("changed \(number)"), "name", of: key, base.schema, basis: basis)
        expected[key]!["name"] = .string("changed \(number)")
      }
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: full))
    try run.check(
      "After a commit that changed and removed thousands of objects", store, holds: expected)
    for number in 1...UInt64(lateCount) {
      let key = try run.key(base, "Thing", number * 7 + 1)
      try store.commit(run.request(-Int64(number), for: key, above: store.snapshot()))
      expected[key]!["large"] = .integer(-Int64(number))
    }
    try run.check("After many commits of one object each", store, holds: expected)
    store = try run.reopen(store)
    try run.check("A reopened store of thousands of objects", store, holds: expected)
    try removeSeveralEntities(store, expected)
    if isIncremental { try insertMany(store) }
    try store.close()
  }

  /// Removes objects of three entities in one commit.
  private func removeSeveralEntities(
    _ store: any Store, _ before: StoreConformance.Objects
  ) throws {
    var base = try store.snapshot()
    let things = before.keys.sorted().suffix(3)
    var (builder, others) = (LayerBuilder(base.schema), [ObjectKey]())
    // In some stores all entities share the numbers.
    for (entity, numbers) in [("Owner", 20_001...20_003), ("Tag", 30_001...30_003)]
      as [(String, ClosedRange<UInt64>)]
    {
      for number in numbers {
        others.append(try run.key(base, entity, number))
        builder.insert(others.last!)
      }
    }
    base = try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    builder = LayerBuilder(base.schema)
    for key in others + things { builder.remove(key, basis: try run.version(of: key, in: base)) }
    let after = try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    let kept = Set(try StoreConformance.objects(after).keys)
    for key in others + things {
      run.check(
        !kept.contains(key),
        "\(StoreConformance.name(key, after.schema)), which was removed with objects of other entities, is still there: "
          + "expected none.")
    }
  }

  /// Inserts more objects in one commit than one block of a store contains.
  private func insertMany(_ store: any Store) throws {
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    let numbers = 100_001...116_400 as ClosedRange<UInt64>
    for number in numbers {
      let key = try run.key(base, "Owner", number)
      builder.insert(key)
      builder.set(.string("\(number)"), "name", of: key, base.schema)
    }
    let after = try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    let entity = try run.key(base, "Owner", 1).entity
    run.check(
      "The number of objects after a commit of \(numbers.count)", is: numbers.count,
      found: try after.view.keys(ofEntity: entity).count { numbers.contains($0) })
    for number in [numbers.lowerBound, 116_384, 116_385, numbers.upperBound] {
      let row = try after.view.row(of: ObjectKey(entity: entity, number: number))
      run.check(
        "The name of Owner \(number), one of \(numbers.count) in a commit",
        is: .string("\(number)"),
        found: try row.map { try StoreConformance.values($0, after.schema[entity]!)["name"] } ?? nil
      )
    }
  }
}
