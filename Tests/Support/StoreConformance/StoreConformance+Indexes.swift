import ObjectModel
import Rows
import SeededRandom
import StoreInterface
import Testing

/// Relationships of every kind, and everything that is found by what it is sorted by.
extension StoreConformance {
  /// Random things, their owners, shelves and tags, looked up both ways and held against a scan.
  func indexes() throws {
    var generator = SeededGenerator(seed: 11)
    var store = try make(Self.model)
    for round in 0..<5 {
      let base = try store.snapshot()
      // Rounds of many rows, whose entries a store may keep, and of few, whose it need not.
      try store.commit(
        CommitRequest(
          Self.changes(round % 3 == 0 ? 1500 : 40, base, &generator), basedOn: base))
      if round % 2 == 1 { store = try reopen(store) }
      if round > 1 { try Self.check(store.snapshot(), &generator, "round \(round)") }
    }
    // And with changes above that no store has.
    let base = try store.snapshot()
    let layer = try Self.changes(60, base, &generator)
    try Self.check(base, above: layer, &generator, "unsaved")
    try store.close()
  }

  /// Changes of so many objects and links here and there.
  static func changes(
    _ count: Int, _ base: any StoreSnapshot, _ generator: inout SeededGenerator
  ) throws -> Layer {
    let builder = LayerBuilder(base.schema)
    let layouts =
      ["Thing", "SpecialThing"].map { base.schema[$0]! } + base.schema.linkTables.map(\.layout)
    var touched: Set<ObjectKey> = []
    for _ in 0..<count {
      let layout = layouts.randomElement(using: &generator)!
      let key = ObjectKey(
        entity: layout.entityNumber, number: .random(in: 1...900, using: &generator))
      guard touched.insert(key).inserted else { continue }
      let version = try base.view.row(of: key)?.version
      if let version, Int.random(in: 0..<8, using: &generator) == 0 {
        builder.remove(key, basis: version)
        continue
      }
      if version == nil { builder.insert(key) }
      for (position, column) in layout.columns.enumerated()
      where version == nil || Int.random(in: 0..<5, using: &generator) == 0 {
        guard let value = value(column, base.schema, &generator) else { continue }
        builder.set(value, column: position, of: key, basis: version ?? 0)
      }
    }
    return builder.freeze()
  }

  /// A value from so few that many are equal; `nil` for columns that nothing is sorted by.
  private static func value(
    _ column: LayoutColumn, _ schema: Schema, _ generator: inout SeededGenerator
  ) -> Value? {
    let number = Int64.random(in: -6...6, using: &generator)
    switch column.kind {
    case .reference:
      if column.isOptional, number == 0 { return .null }
      let entity = ["Owner", "Thing", "Tag"].randomElement(using: &generator)!
      return .object(
        ObjectKey(entity: schema[entity]!.entityNumber, number: UInt64(number + 7)))
    case .int64: return number == 6 ? .null : .integer(number * 1_000_000_007)
    case .string:
      return [
        .null, .string(""), .string("a"), .string("ab"), .string("abcdefgh"),
        .string("abcdefghi"), .string("é"), .string("\u{10FFFF}z"),
      ].randomElement(using: &generator)!
    case .double:
      return .double([-.infinity, -0.0, 0, 1.5, .nan].randomElement(using: &generator)!)
    case .decimal:
      return .decimal([0, -1, 10, 3.25].randomElement(using: &generator)!)
    default: return nil
    }
  }

  /// Holds every index against a scan, at values that are there and at others.
  private static func check(
    _ snapshot: any StoreSnapshot, above layer: Layer? = nil, _ generator: inout SeededGenerator,
    _ comment: Comment
  ) throws {
    let view = layer.map { snapshot.view.pushing($0) } ?? snapshot.view
    let indexed = IndexedView(view, snapshot.schema)
    #expect(snapshot.schema.indexes.count >= 8)
    for index in snapshot.schema.indexes {
      var rows: [(key: UInt64, values: [Value])] = []
      for number in try view.keys(ofEntity: index.entityNumber) {
        let key = ObjectKey(entity: index.entityNumber, number: number)
        guard let row = try view.row(of: key) else { continue }
        rows.append((number, try index.columns.map { try row.value($0) }))
      }
      #expect(
        try Set(indexed.keys(index, in: IndexRange())) == Set(rows.map(\.key)), comment)
      var wanted = rows.shuffled(using: &generator).prefix(4).map(\.values)
      if let example = wanted.first {
        wanted.append(example.map { _ in .null })
      }
      // What is searched often is searched in another way, which must find the same.
      for values in (0..<6).flatMap({ _ in wanted }) {
        for count in 1...values.count {
          let bound = IndexBound(Array(values.prefix(count)))
          let found = try indexed.keys(index, in: IndexRange(equalTo: bound))
          let scanned = rows.filter { row in
            zip(row.values.prefix(count), bound.values).allSatisfy { same($0, $1) }
          }
          #expect(Set(found) == Set(scanned.map(\.key)), "\(comment) \(index.columns.map(\.name))")
          #expect(found.count == scanned.count, "Each once.")
          let from = try indexed.keys(index, in: IndexRange(lower: bound))
          let below = try indexed.keys(index, in: IndexRange(upper: bound, includesUpper: false))
          #expect(from.count + below.count == rows.count, comment)
          #expect(Array(from.prefix(found.count)) == found, "Equal ones come first.")
        }
      }
    }
  }

  /// Whether two values are equal as indexes have it: one zero, one not-a-number.
  private static func same(_ left: Value, _ right: Value) -> Bool {
    if case (.double(let left), .double(let right)) = (left, right) {
      return left == right || (left.isNaN && right.isNaN)
    }
    return left == right
  }
}
