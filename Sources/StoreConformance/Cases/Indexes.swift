import Foundation
import ObjectModel
import Rows
import SeededRandom
import StoreInterface

/// The case of indexes: of attributes, of relationships and of link tables.
extension CaseRun {
  /// Searches the indexes of random things, owners, shelves and tags, and compares the results with a scan.
  func indexes() throws {
    try skipWithoutRows()
    var generator = SeededGenerator(seed: 11)
    var store = try make()
    for round in 0..<5 {
      let base = try store.snapshot()
      // A store may keep index entries for many rows. For few rows it need not.
      try store.commit(
        CommitRequest(
          CaseRun.changes(round % 3 == 0 ? 1500 : 40, base, &generator), basedOn: base))
      if round % 2 == 1 { store = try reopen(store) }
      if round > 1 { try checkIndexes(store.snapshot(), &generator, "after round \(round)") }
    }
    // The last search has unsaved changes above the store's snapshot.
    let base = try store.snapshot()
    let layer = try CaseRun.changes(60, base, &generator)
    try checkIndexes(base, above: layer, &generator, "with unsaved changes")
    try store.close()
  }

  /// Returns random changes of `count` objects and links.
  static func changes(
    _ count: Int, _ base: any StoreSnapshot, _ generator: inout SeededGenerator
  ) throws -> Layer {
    let builder = LayerBuilder(base.schema)
    let layouts =
      ["Thing", "SpecialThing"].map { base.schema[$0]! } + base.schema.linkTables.map(\.layout)
    var touched: Set<ObjectKey> = []
    for _ in 0..<count {
      let layout = layouts.randomElement(using: &generator)!
      // Subentities get numbers of their own, because a store may number a family's objects in one sequence.
      let first: UInt64 = layout.entity == "SpecialThing" ? 1001 : 1
      let key = ObjectKey(
        entity: layout.entityNumber,
        number: .random(in: first...first + 899, using: &generator))
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

  /// Returns a value from a small set, so that many are equal, or `nil` for columns without an index.
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

  /// Compares every index with a scan, at values that objects have and at null.
  private func checkIndexes(
    _ snapshot: any StoreSnapshot, above layer: Layer? = nil, _ generator: inout SeededGenerator,
    _ when: String
  ) throws {
    let view = layer.map { snapshot.view.pushing($0) } ?? snapshot.view
    let indexed = IndexedView(view, snapshot.schema)
    check(
      snapshot.schema.indexes.count >= 8,
      "The schema has \(snapshot.schema.indexes.count) indexes: the model requires at least 8.")
    for fault in try WordSearches.faults(indexed, snapshot.schema, when) { check(false, fault) }
    for index in snapshot.schema.indexes where !index.isOfWords {
      let columns = index.columns.map(\.name).joined(separator: ", ")
      let entity = snapshot.schema[index.entityNumber]?.entity ?? "\(index.entityNumber)"
      let name = "the index of \(entity) by \(columns), \(when),"
      var rows: [(key: UInt64, values: [Value])] = []
      for number in try view.keys(ofEntity: index.entityNumber) {
        let key = ObjectKey(entity: index.entityNumber, number: number)
        guard let row = try view.row(of: key) else { continue }
        rows.append((number, try index.columns.map { try row.value($0) }))
      }
      let all = Set(rows.map(\.key))
      let inIndex = try Set(indexed.keys(index, in: IndexRange()))
      check(
        inIndex == all,
        "In \(name) \(all.subtracting(inIndex).count) of \(all.count) objects are missing, and "
          + "\(inIndex.subtracting(all).count) objects are not in the store.")
      var wanted = rows.shuffled(using: &generator).prefix(4).map(\.values)
      if let example = wanted.first { wanted.append(example.map { _ in .null }) }
      let bounds = wanted.flatMap { values in
        (1...values.count).map { IndexBound(Array(values.prefix($0))) }
      }
      let scans = bounds.map { bound in
        rows.filter { row in zip(row.values, bound.values).allSatisfy { CaseRun.same($0, $1) } }
          .map(\.key)
      }
      // A store may search an index in another way after many searches, and must find the same objects.
      let rounds = 6
      for round in 0..<rounds {
        for (bound, scanned) in zip(bounds, scans) {
          let values = bound.values.map { StoreConformance.text($0) }.joined(separator: ", ")
          let found = try indexed.keys(index, in: IndexRange(equalTo: bound))
          check(
            Set(found) == Set(scanned),
            "A search in \(name) for \(values) found \(found.count) objects, but a scan found \(scanned.count) "
              + "objects or other objects.")
          check(
            found.count == Set(found).count,
            "A search in \(name) for \(values) found an object more than once.")
          // A scan costs as much as a hundred searches, so only the first round and the last one scan.
          guard round == 0 || round == rounds - 1 else { continue }
          let from = try indexed.keys(index, in: IndexRange(lower: bound))
          let below = try indexed.keys(index, in: IndexRange(upper: bound, includesUpper: false))
          check(
            from.count + below.count == rows.count,
            "In \(name) \(below.count) objects are below \(values) and \(from.count) at or above: expected "
              + "\(rows.count) in total.")
          check(
            Array(from.prefix(found.count)) == found,
            "In \(name) the objects from \(values) on do not begin with the objects with these values."
          )
        }
      }
    }
  }

  /// Returns whether an index treats two values as equal: both zeros are equal, and all NaNs are.
  fileprivate static func same(_ left: Value, _ right: Value) -> Bool {
    if case (.double(let left), .double(let right)) = (left, right) {
      return left == right || (left.isNaN && right.isNaN)
    }
    return left == right
  }
}

/// The comparison of an index of words with a scan of the texts. The random texts are words themselves, and few.
private struct WordSearches {
  let index: IndexLayout
  let indexed: IndexedView

  /// Returns a sentence for each search of an index with another result than the scan.
  static func faults(
    _ indexed: IndexedView, _ schema: Schema, _ when: String
  ) throws -> [String] {
    try schema.indexes.filter(\.isOfWords).flatMap {
      try WordSearches(index: $0, indexed: indexed).faults(when)
    }
  }

  private func faults(_ when: String) throws -> [String] {
    var texts: [(object: UInt64, word: String)] = []
    for number in try indexed.view.keys(ofEntity: index.entityNumber) {
      let key = ObjectKey(entity: index.entityNumber, number: number)
      guard case .string(let text)? = try indexed.view.row(of: key)?.value(index.columns[0]) else {
        continue
      }
      // One text has a mark, and one begins with a scalar that is in no word.
      texts.append((number, text == "é" ? "e" : text.hasSuffix("z") ? "z" : text))
    }
    var faults: [String] = []
    for word in ["a", "ab", "abcdefgh", "e", "z", "unheard"] {
      for isPrefix in [false, true] {
        let bound = IndexBound([.string(word)], isPrefix: isPrefix)
        let found = try indexed.keys(index, in: IndexRange(equalTo: bound))
        let wanted = texts.filter { isPrefix ? $0.word.hasPrefix(word) : $0.word == word }
        if found.sorted() != wanted.map(\.object).sorted() {
          faults.append(
            "A search for the word \(word)\(isPrefix ? "*" : ""), \(when), found \(found.count) objects, but a scan found \(wanted.count) objects or other objects."
          )
        }
      }
    }
    return faults
  }
}
