import ObjectModel
import Rows
import SeededRandom
import StoreInterface

/// The case of the changes between two snapshots, as a layer.
extension CaseRun {
  func changesBetween() throws {
    try skipWithoutRows()
    var generator = SeededGenerator(seed: 5)
    let store = try make()
    var snapshots = [try store.snapshot()]
    for round in 0..<14 {
      let base = snapshots.last!
      snapshots.append(
        try store.commit(
          CommitRequest(
            CaseRun.changes(round == 3 ? 200 : 6, base, &generator), basedOn: base)))
    }
    let states = try snapshots.map { try StoreConformance.objects($0) }
    for _ in 0..<25 {
      let (from, to) = (
        snapshots.indices.randomElement(using: &generator)!,
        snapshots.indices.randomElement(using: &generator)!
      )
      let layer = try snapshots[to].changes(since: snapshots[from])
      let made = try StoreConformance.objects(
        snapshots[from].view.pushing(layer), snapshots[from].schema)
      check(
        "The snapshot after save \(from), with the changes up to save \(to) applied",
        snapshots[from].schema, holds: states[to], found: made)
      if from == to {
        check(
          layer.isEmpty,
          "The snapshot after save \(from) differs from itself by \(layer.count) changes: expected none."
        )
      }
    }
    // The changes between two commits contain only the rows that the commit was asked to change.
    let count = try snapshots[11].changes(since: snapshots[10]).count
    check(
      count <= 6,
      "One save of at most 6 changes gives \(count) changes between the snapshots before and after it."
    )
    try store.close()
    try changesOfSpelling()
  }

  /// Checks that texts that look the same and differ in bytes count as different.
  private func changesOfSpelling() throws {
    let store = try make()
    var snapshots = [try store.snapshot()]
    let key = try key(store, "Thing", 1)
    for name in ["\u{E9}", "e\u{301}"] {
      let base = snapshots.last!
      let builder = LayerBuilder(base.schema)
      let version = try base.view.row(of: key)?.version
      if version == nil { builder.insert(key) }
      builder.set(.string(name), "name", of: key, base.schema, basis: version ?? 0)
      snapshots.append(try store.commit(CommitRequest(builder.freeze(), basedOn: base)))
    }
    check(
      "The number of changes after a save of an equal-looking text with other bytes", is: 1,
      found: try snapshots[2].changes(since: snapshots[1]).count)
    try store.close()
  }

  /// Skips a case that a store can't pass if its file contains objects instead of rows.
  func skipWithoutRows() throws {
    guard suite.keepsRows else {
      throw End.skipped("the store keeps objects, not rows")
    }
  }
}
