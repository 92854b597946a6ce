// SAFETY: The scan lends its flags, one for each row, to a closure for one call. The closure reads them only then.

import Foundation
import ObjectModel
import Rows

/// The indexes that can speed up a request, with the ranges of their entries to read, and the objects that the request
/// names.
///
/// An index only finds candidates; the whole predicate is evaluated for each of them.
struct IndexPlan: Sendable {
  /// An index of one entity, with the ranges that contain every object meeting the predicate.
  struct Choice: Sendable {
    var index: IndexLayout
    var ranges: [IndexRange]
  }

  /// Indexes, one for each entity, that have the order in which the request wants its results.
  struct Order: Sendable {
    var indexes: [IndexLayout]
    var range: IndexRange
    var isAscending: Bool
  }

  private let predicate: BoundPredicate?
  /// The keys of the objects that the predicate names, ascending, or `nil`.
  private let named: [ObjectKey]?
  /// For each entity number, the indexes that narrow the predicate.
  private let choices: [UInt16: [Choice]]
  private let order: Order?
  /// For each entity number, the full-text query that an index of words answers.
  private let words: [UInt16: WordSearch]
  /// The journal of a search that is explained.
  var journal: QueryJournal?

  /// The least ratio of all entries to the entries read through an index. A scan reads rows in sequence, an index
  /// reads them in random order, so an index is faster only if it excludes most of the rows.
  private static let scanShare = 16
  /// The number of rows whose scan takes as long as one lookup and evaluation of an object. A few objects are looked
  /// up in any case, because the rows around them need not be read then.
  private static let lookupShare = 128
  private static let fewEntries = 64
  /// The least ratio of all entries to the entries read from a covering index, which contains all columns of the
  /// predicate. Reading such entries is a scan of fewer and narrower columns, and only the matches are looked up.
  private static let coveredShare = 4

  init(
    _ predicate: BoundPredicate?, _ sortKeys: [BoundSortKey], _ request: QueryRequest,
    _ layouts: [Layout], _ schema: Schema
  ) {
    self.predicate = predicate
    named = predicate?.namedObjects?.sorted()
    let bounds = ColumnBounds(predicate)
    var choices: [UInt16: [Choice]] = [:]
    if !bounds.isEmpty {
      for index in schema.indexes where !index.isOfWords {
        if let choice = bounds.choice(index) {
          choices[index.entityNumber, default: []].append(choice)
        }
      }
    }
    self.choices = choices
    words = WordSearch.searches(predicate, layouts, schema)
    order = IndexPlan.order(bounds, sortKeys, request, layouts, schema)
  }

  private static func order(
    _ bounds: ColumnBounds, _ sortKeys: [BoundSortKey], _ request: QueryRequest,
    _ layouts: [Layout], _ schema: Schema
  ) -> Order? {
    guard let first = layouts.first, request.fetchLimit > 0,
      let isAscending = sortKeys.first?.isAscending, request.resultType != .dictionaries,
      sortKeys.allSatisfy({ $0.isAscending == isAscending && $0.options.isEmpty })
    else { return nil }
    let wanted = sortKeys.compactMap { $0.column?.number }
    guard wanted.count == sortKeys.count else { return nil }
    for index in schema.indexes(ofEntity: first.entityNumber) {
      let numbers = index.columns.map(\.number)
      // Columns that are fixed to one value may come before the columns of the sort keys.
      guard
        let fixed = numbers.indices.first(where: { numbers[$0...].elementsEqual(wanted) }),
        numbers[..<fixed].allSatisfy({ bounds.single($0) != nil })
      else { continue }
      let indexes = layouts.compactMap { layout in
        schema.indexes(ofEntity: layout.entityNumber).first {
          $0.columns.map(\.number) == numbers && $0.columns.map(\.kind) == index.columns.map(\.kind)
        }
      }
      let ranges = bounds.choice(index)?.ranges ?? [IndexRange()]
      guard indexes.count == layouts.count, ranges.count == 1 else { continue }
      return Order(indexes: indexes, range: ranges[0], isAscending: isAscending)
    }
    return nil
  }

  /// Returns the objects that meet the predicate, in the order of their keys; `nil` if a scan is faster or no index
  /// fits.
  func hits(
    in source: some QuerySource, _ layouts: [Layout], _ interpreter: Interpreter
  ) throws -> RowHits? {
    guard let indexed = source.indexed, named != nil || !choices.isEmpty || !words.isEmpty else {
      return nil
    }
    var hits = RowHits()
    if let named {
      journal?.record(.identifiers, of: layouts[0], [], candidates: named.count)
      try hits.add(named, of: layouts, in: indexed.view, predicate, interpreter)
      return hits
    }
    var steps: [QueryExplanation.Step] = []
    for layout in layouts {
      let best = try best(
        choices[layout.entityNumber] ?? [], indexed, share: IndexPlan.lookupShare)
      // To look for words in a text takes longer than to read it, so a scan is not faster than the index of words.
      if best == nil, let search = words[layout.entityNumber], try search.isKept(in: indexed) {
        let (numbers, isExact) = try search.objects(in: indexed)
        steps.append(.init(.words, layout, search.columns, candidates: numbers.count))
        try hits.add(
          numbers.map { ObjectKey(entity: layout.entityNumber, number: $0) }, of: [layout],
          in: indexed.view, isExact ? nil : predicate, interpreter)
        continue
      }
      guard let best else { return nil }
      var keys: Set<UInt64> = []
      for range in best.ranges { keys.formUnion(try indexed.keys(best.index, in: range)) }
      steps.append(.init(.index, layout, best.index.columns, candidates: keys.count))
      try hits.add(
        keys.sorted().map { ObjectKey(entity: layout.entityNumber, number: $0) }, of: [layout],
        in: indexed.view, predicate, interpreter)
    }
    journal?.record(steps)
    if layouts.count > 1 { try hits.sortByKey() }
    return hits
  }

  /// Returns the objects that meet the predicate, in the order of their keys, if indexes of words alone find them, so that
  /// no row is read; otherwise `nil`.
  func wordKeys(in source: some QuerySource, _ layouts: [Layout]) throws -> [ObjectKey]? {
    guard let indexed = source.indexed, !words.isEmpty, named == nil else { return nil }
    var keys: [ObjectKey] = []
    for layout in layouts {
      guard let search = words[layout.entityNumber], search.mayBeExact,
        try search.isKept(in: indexed)
      else { return nil }
      let (numbers, isExact) = try search.objects(in: indexed)
      guard isExact else { return nil }
      journal?.record(.words, of: layout, search.columns, candidates: numbers.count)
      keys += numbers.map { ObjectKey(entity: layout.entityNumber, number: $0) }
    }
    return layouts.count > 1 ? keys.sorted() : keys
  }

  /// Returns the objects that meet the predicate, found in the entries of an index alone; `nil` if no index contains
  /// all columns of the predicate.
  ///
  /// - Returns: The objects, and whether they are in the order of the sort keys instead of the order of their own
  ///   keys.
  func coveredHits(
    _ node: ScanNode, _ sortKeys: [BoundSortKey], _ layouts: [Layout], _ run: ScanRun
  ) throws -> (hits: RowHits, isSorted: Bool)? {
    guard let indexed = run.source.indexed, layouts.count == 1, let columns = node.columns,
      let own = choices[layouts[0].entityNumber],
      let best = try best(
        own.filter {
          $0.ranges.count == 1 && columns.isSubset(of: $0.index.columns.map(\.number))
        }, indexed, share: IndexPlan.coveredShare),
      let stretches = try indexed.stretches(best.index, in: best.ranges[0])
    else { return nil }
    var numbers: [UInt64] = []
    for (block, rows) in stretches {
      let objects = try block.indexedObjects
      let reader = BatchReader(RowBatch(block), entityNumber: layouts[0].entityNumber)
      unsafe try run.select(node, reader) { flags in
        for row in rows where unsafe flags[row] != 0 {
          numbers.append(try objects.objectNumber(at: row))
        }
      }
    }
    journal?.record(.entries, of: layouts[0], best.index.columns, candidates: numbers.count)
    let isSorted =
      sortKeys.map { $0.column?.number } == best.index.columns.map(\.number)
      && sortKeys.allSatisfy { $0.isAscending && $0.options.isEmpty }
    if !isSorted { numbers.sort() }
    return (try RowHits(numbers, layouts[0], in: indexed.view), isSorted)
  }

  /// Returns the index with the fewest entries in its ranges, if they are no more than a share of all entries.
  private func best(
    _ choices: [Choice], _ indexed: IndexedView, share: Int
  ) throws -> Choice? {
    var best: (choice: Choice, count: Int)?
    for choice in choices {
      let count = try choice.ranges.reduce(0) { sum, range in
        try sum + indexed.mostKeys(choice.index, in: range)
      }
      let all = try indexed.mostKeys(choice.index, in: IndexRange())
      let few = min(all / IndexPlan.scanShare, IndexPlan.fewEntries)
      guard count <= max(all / share, few) || all == 0 else { continue }
      if best.map({ count < $0.count }) ?? true { best = (choice, count) }
    }
    return best?.choice
  }

  /// Returns the first objects in the order of the request; `nil` if no index has that order.
  func firstHits(
    _ most: Int, in source: some QuerySource, _ layouts: [Layout], _ interpreter: Interpreter
  ) throws -> RowHits? {
    guard let order, let indexed = source.indexed, most < .max else { return nil }
    // If there are few matches among many entries, a scan that sorts is faster than reading every entry.
    let all = try order.indexes.reduce(0) { try $0 + indexed.mostKeys($1, in: order.range) }
    var patience = all / IndexPlan.scanShare + most * 4
    var hits = RowHits()
    var waiting: [ObjectKey] = []
    func take() throws {
      try hits.add(waiting, of: layouts, in: indexed.view, predicate, interpreter, most: most)
      waiting.removeAll(keepingCapacity: true)
    }
    /// Returns whether more entries are needed.
    func goesOn() throws -> Bool {
      if waiting.count >= max(most, 16) { try take() }
      patience -= 1
      return hits.hits.count < most && patience > 0
    }
    if order.isAscending {
      try indexed.forEach(order.indexes, in: order.range) { entry in
        waiting.append(entry.key)
        return try goesOn()
      }
    } else {
      // Objects with equal values keep the order of their keys, so they are added as a group.
      var group: [ObjectKey] = []
      var last: IndexEntry?
      try indexed.forEach(order.indexes, in: order.range, isAscending: false) { entry in
        if let before = last, try !entry.hasSameValues(as: before, in: order.indexes[0]) {
          waiting += group.reversed()
          group.removeAll(keepingCapacity: true)
        }
        last = entry
        group.append(entry.key)
        return try goesOn()
      }
      waiting += group.reversed()
    }
    guard patience > 0 || hits.hits.count >= most else { return nil }
    if hits.hits.count < most { try take() }
    journal?.record(
      .order, of: layouts[0], order.indexes[0].columns, candidates: hits.hits.count)
    return hits
  }
}

extension BoundPredicate {
  /// The objects among which every object is that meets the predicate: `SELF == object`, `SELF IN objects`; `nil`
  /// for other predicates.
  fileprivate var namedObjects: Set<ObjectKey>? {
    switch self {
    case .and(let parts):
      // Each part alone would be correct.
      return parts.lazy.compactMap(\.namedObjects).min { $0.count < $1.count }
    case .comparison(let comparison): return comparison.namedObjects
    case .constant, .or, .not: return nil
    }
  }
}

extension BoundComparison {
  fileprivate var namedObjects: Set<ObjectKey>? {
    switch (modifier, left, operation, right) {
    case (.direct, .this, .equal, .constant(let operand)),
      (.direct, .constant(let operand), .equal, .this):
      return operand.object.map { [$0] }
    case (.direct, .this, .in, .constant(.list(let items))):
      return Set(items.compactMap(\.object))
    default: return nil
    }
  }
}
