import ObjectModel
import Rows
import SeededRandom
import StoreInterface
import Testing

/// What was changed between two snapshots, as a layer.
extension StoreConformance {
  func changesBetween() throws {
    var generator = SeededGenerator(seed: 5)
    let store = try make(Self.model)
    var snapshots = [try store.snapshot()]
    for round in 0..<14 {
      let base = snapshots.last!
      snapshots.append(
        try store.commit(
          CommitRequest(
            Self.changes(round == 3 ? 200 : 6, base, &generator), basedOn: base)))
    }
    let states = try snapshots.map { try Self.objects($0) }
    for _ in 0..<25 {
      let (from, to) = (
        snapshots.indices.randomElement(using: &generator)!,
        snapshots.indices.randomElement(using: &generator)!
      )
      let layer = try snapshots[to].changes(since: snapshots[from])
      let made = try Self.objects(
        snapshots[from].view.pushing(layer), snapshots[from].schema)
      #expect(Self.text(made) == Self.text(states[to]), "from \(from) to \(to)")
      if from == to { #expect(layer.isEmpty) }
    }
    // What one commit changed is what it was asked to.
    let (before, after) = (snapshots[10], snapshots[11])
    #expect(try after.changes(since: before).count <= 6)
    try store.close()
    try changesOfSpelling()
  }

  /// A text that looks the same and has other bytes is another.
  private func changesOfSpelling() throws {
    let store = try make(Self.model)
    var snapshots = [try store.snapshot()]
    let key = ObjectKey(entity: snapshots[0].schema["Thing"]!.entityNumber, number: 1)
    for name in ["\u{E9}", "e\u{301}"] {
      let base = snapshots.last!
      let builder = LayerBuilder(base.schema)
      let version = try base.view.row(of: key)?.version
      if version == nil { builder.insert(key) }
      builder.set(.string(name), "name", of: key, base.schema, basis: version ?? 0)
      snapshots.append(try store.commit(CommitRequest(builder.freeze(), basedOn: base)))
    }
    #expect(try snapshots[2].changes(since: snapshots[1]).count == 1)
    try store.close()
  }

  /// Values as text, in which "not a number" is equal to itself.
  private static func text(_ objects: Objects) -> [ObjectKey: [String: String]] {
    objects.mapValues { $0.mapValues { "\($0)" } }
  }
}
