// SAFETY: The scan lends its flags to a closure for one call. The closure reads them only during that call.

package import Foundation
package import ObjectModel
package import Rows

/// A fetch request bound to a model, with resolved names, checked types and a chosen way to execute it.
///
/// ```swift
/// let plan = try QueryPlan(request, model: model, schema: schema)
/// let keys = try plan.keys(in: source)
/// ```
///
/// Create a plan once and run it any number of times, from any thread.
package struct QueryPlan: Sendable {
  package let request: QueryRequest
  let layouts: [Layout]
  let node: ScanNode
  /// The indexes that can answer the request instead of a scan.
  private(set) var indexes: IndexPlan
  let sortKeys: [BoundSortKey]
  let table: TablePlan?
  /// The comparisons that determine the relevance; `nil` if the request does not sort by it.
  let relevance: BoundRelevance?
  /// The sums over the texts of all stores, if the request searches several stores and sorts by relevance. If `nil`, the
  /// plan computes the sums of its own store.
  package var statistics: RelevanceStatistics?
  let setCount: Int
  let slotCount: Int
  let sharedFetchCount: Int
  let now: Date
  /// The observer of the search, which may cancel it.
  package var watch: SearchWatch? { didSet { indexes.journal = watch?.journal } }

  /// Binds a request to a model and the schema of a store.
  ///
  /// - Parameters:
  ///   - store: The tag of the store that object identifiers in the request must name; `nil` accepts any store.
  ///   - variables: The values of the variables in the request's predicate.
  ///   - now: The time that `now()` returns.
  /// - Throws: ``QueryError`` if a name is not in the model, or types are incompatible.
  package init(
    _ request: QueryRequest, model: Model, schema: Schema, store: StoreTag? = nil,
    variables: [String: QueryExpression] = [:], now: Date = Date()
  ) throws(QueryError) {
    let bound = try BoundRequest(
      request, model: model, schema: schema, store: store, variables: variables, now: now)
    var planner = ScanPlanner(model, schema)
    node = bound.predicate.map { planner.plan($0) } ?? .constant(true)
    table = bound.table
    relevance = bound.relevance
    indexes = IndexPlan(bound.predicate, bound.sortKeys, request, bound.layouts, schema)
    self.request = request
    sortKeys = bound.sortKeys
    layouts = bound.layouts
    setCount = planner.setCount
    slotCount = bound.slotCount
    sharedFetchCount = bound.sharedFetchCount
    self.now = now
  }

  /// Whether the results are groups of objects, or one group of all objects.
  package var isGrouped: Bool { table?.isGrouped ?? false }

  /// Returns the keys of the objects found, in order.
  ///
  /// - Throws: The errors of a damaged store.
  package func keys(in source: some QuerySource) throws -> [ObjectKey] {
    if sortKeys.isEmpty, let keys = try indexes.wordKeys(in: source, layouts) {
      return Array(keys[request.window(of: keys.count)])
    }
    let hits = try hits(in: source)
    return try hits.hits.map { try hits.key($0) }
  }

  /// Returns the only object found, or `nil`.
  ///
  /// - Throws: ``QueryError`` with the code ``QueryError/Code/notUnique`` if there are several objects, and the
  ///   errors of a damaged store.
  package func single(in source: some QuerySource) throws -> ObjectKey? {
    let hits = try hits(in: source, atMost: 2)
    guard hits.hits.count < 2 else {
      throw QueryError(
        .notUnique,
        """
        The request expects one object, but several objects of "\(request.entity)" \
        \(request.predicate.map { "meet \"\($0)\"" } ?? "exist").
        """)
    }
    return try hits.hits.first.map { try hits.key($0) }
  }

  /// Returns the number of results.
  ///
  /// - Throws: The errors of a damaged store.
  package func count(in source: some QuerySource) throws -> Int {
    if table != nil { return try table(in: source).rows.count }
    var count = 0
    let run = run(source)
    if let keys = try indexes.wordKeys(in: source, layouts) {
      return request.window(of: keys.count).count
    }
    if let hits = try indexes.hits(in: source, layouts, interpreter(source)) {
      return request.window(of: hits.hits.count).count
    }
    for layout in layouts {
      let batches = try source.batches(of: layout)
      watch?.expect(batches.reduce(0) { $0 + $1.block.rowCount })
      watch?.journal?.recordScan(of: layout, batches.map(\.block))
      for batch in batches {
        if case .constant(true) = node {
          count += batch.rowCount
        } else {
          watch?.journal?.recordRead(batch.block)
          let reader = BatchReader(batch, entityNumber: layout.entityNumber)
          count += unsafe try run.select(node, reader) { unsafe $0.keptCount }
        }
        try watch?.pass(batch.block.rowCount)
      }
    }
    count = max(count - max(request.fetchOffset, 0), 0)
    return request.fetchLimit > 0 ? min(count, request.fetchLimit) : count
  }

  /// Returns the results as rows of values. The request must ask for dictionaries.
  ///
  /// - Throws: ``QueryError`` if the request does not ask for dictionaries, and the errors of a damaged store.
  package func table(in source: some QuerySource) throws -> ResultTable {
    guard let table else {
      throw QueryError(.notSupported, "The request does not ask for dictionaries.")
    }
    let interpreter = interpreter(source)
    var result: ResultTable
    if table.isGrouped {
      let groups = try Grouping(table, node, layouts, run(source), interpreter)
      result = try table.rows(of: groups, request, interpreter)
    } else if request.returnsDistinctResults {
      result = try table.rows(of: try hits(in: source, limited: false), interpreter)
    } else {
      return try table.rows(of: try hits(in: source), interpreter)
    }
    result.finish(request)
    return result
  }

  // MARK: - Hits

  /// Returns the rows found, in the order of the request.
  ///
  /// - Parameters:
  ///   - limited: Whether the offset and the limit of the request are applied.
  ///   - count: The largest number of rows, if the request's own limit is not lower.
  func hits(
    in source: some QuerySource, limited: Bool = true, atMost count: Int = .max
  ) throws -> RowHits {
    let run = run(source)
    let offset = max(request.fetchOffset, 0)
    let limit = min(count, limited && request.fetchLimit > 0 ? request.fetchLimit : .max)
    let (end, overflow) = offset.addingReportingOverflow(limit)
    let most = overflow ? .max : end
    if let sorted = try indexes.firstHits(most, in: source, layouts, interpreter(source)) {
      var hits = sorted
      if limited { hits.hits = Array(hits.hits[request.window(of: hits.hits.count)].prefix(count)) }
      return hits
    }
    let covered = try indexes.coveredHits(node, sortKeys, layouts, run)
    var hits =
      try covered?.hits ?? indexes.hits(in: source, layouts, interpreter(source))
      ?? RowHits(node, layouts, run, most: sortKeys.isEmpty ? most : .max)
    try watch?.pass(0)
    if covered?.isSorted != true {
      watch?.journal?.recordSort(of: hits.hits.count, by: request.sortKeys)
      try hits.sort(by: sortKeys, first: most, interpreter(source)) { try scores(in: source) }
    }
    if limited { hits.hits = Array(hits.hits[request.window(of: hits.hits.count)].prefix(count)) }
    return hits
  }

  func run(_ source: some QuerySource) -> ScanRun {
    ScanRun(
      source, now: now, setCount: setCount, slotCount: slotCount,
      sharedFetchCount: sharedFetchCount, watch: watch)
  }

  func interpreter(_ source: some QuerySource) -> Interpreter {
    Interpreter(source, now: now, slotCount: slotCount, sharedFetchCount: sharedFetchCount)
  }
}

extension Binder {
  mutating func bind(_ key: SortKey) throws(QueryError) -> BoundSortKey {
    if key.isRelevance(of: entity, in: model) {
      return BoundSortKey(
        value: .this, isAscending: key.isAscending, options: key.options, isRelevance: true)
    }
    let (value, type): (BoundExpression, OperandType)
    if let expression = key.expression {
      (value, type) = try bind(expression)
    } else {
      let path = key.path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      let (steps, end) = try steps(path, from: entity, isCollection: false, whole: key.path)
      (value, type) = (.path(.this, steps), end)
    }
    guard !type.isCollection else {
      throw QueryError(
        .typeMismatch, "Can't sort by \"\(key.path)\": it is \(type.words), not one value.")
    }
    if case .object = type {
      throw QueryError(
        .typeMismatch, "Can't sort by \"\(key.path)\": objects have no order. Name an attribute.")
    }
    return BoundSortKey(
      value: value, isAscending: key.isAscending, options: key.options, isRelevance: false)
  }

  func check(prefetching path: String) throws(QueryError) {
    let (_, type) = try steps(
      path.split(separator: ".").map(String.init), from: entity, isCollection: false, whole: path)
    guard case .object = type.element else {
      throw QueryError(
        .typeMismatch, "Can't prefetch \"\(path)\": it refers to \(type.words), not to objects.")
    }
  }
}

// MARK: - Predicates for single objects

/// A predicate bound to an entity and evaluated for single objects.
///
/// A ``QueryPlan`` finds all objects that meet a predicate. A compiled predicate tests one given object, which may
/// have changes that no store contains. Both give the same results.
package struct CompiledPredicate: Sendable {
  private let bound: BoundPredicate
  private let now: Date
  private let slotCount: Int
  private let sharedFetchCount: Int

  /// Binds a predicate to an entity.
  ///
  /// - Throws: ``QueryError`` if a name is not in the model, or types are incompatible.
  package init(
    _ predicate: QueryPredicate, entity: String, model: Model, schema: Schema,
    store: StoreTag? = nil, variables: [String: QueryExpression] = [:], now: Date = Date()
  ) throws(QueryError) {
    guard model[entity] != nil else { throw Binder.unknownEntity(entity, in: model) }
    var binder = Binder(
      model, schema, store: store, entity: entity, variables: variables, now: now)
    bound = try binder.bind(predicate)
    self.now = now
    slotCount = binder.slotCount
    sharedFetchCount = binder.sharedFetchCount
  }

  /// Throws the error that binding a predicate to an entity would throw, independent of the values of its variables.
  package static func check(
    _ predicate: QueryPredicate, entity: String, model: Model, schema: Schema
  ) throws(QueryError) {
    guard model[entity] != nil else { throw Binder.unknownEntity(entity, in: model) }
    var binder = Binder(
      model, schema, store: nil, entity: entity, now: Date(), missing: .openVariables)
    _ = try binder.bind(predicate)
  }

  /// Returns whether an object of a source meets the predicate; false if the object does not exist.
  package func holds(for key: ObjectKey, in source: some QuerySource) throws -> Bool {
    guard let row = try source.row(of: key) else { return false }
    return try interpreter(source).holds(bound, for: Subject(key: key, values: .view(row)))
  }

  /// Returns whether an object with the given values meets the predicate. Its related objects are read from the
  /// source.
  package func holds(
    for key: ObjectKey, values: some ObjectValues, in source: some QuerySource
  ) throws -> Bool {
    try interpreter(source).holds(bound, for: Subject(key: key, values: .other(values)))
  }

  /// Returns whether values without an object and without related objects meet the predicate.
  func holds(for values: some ObjectValues) throws -> Bool {
    try Interpreter(nil, now: now, slotCount: slotCount, sharedFetchCount: sharedFetchCount)
      .holds(bound, for: Subject(key: ObjectKey(rawValue: 0), values: .other(values)))
  }

  private func interpreter(_ source: some QuerySource) -> Interpreter {
    Interpreter(source, now: now, slotCount: slotCount, sharedFetchCount: sharedFetchCount)
  }
}

// MARK: - Rows for objects

extension QueryPlan {
  /// Calls `body` with the rows of the objects found, in order. Each call passes consecutive results from one block.
  ///
  /// - Throws: The errors of a damaged store and of `body`.
  package func forEachRun(
    in source: some QuerySource,
    _ body: (FoundRows) throws -> Void
  ) throws {
    if try forEachBatch(in: source, body) { return }
    let found = try hits(in: source)
    unsafe try found.hits.withUnsafeBufferPointer { hits in
      var start = 0
      while start < hits.count {
        let reader = unsafe hits[start].reader
        var end = start + 1
        while end < hits.count, unsafe hits[end].reader == reader { end += 1 }
        // SAFETY: Both ends are within the hits.
        try unsafe body(
          FoundRows(
            reader: found.readers[Int(reader)], blockIndex: Int(reader),
            blockCount: found.readers.count, foundCount: hits.count,
            hits: UnsafeBufferPointer(rebasing: hits[start..<end])))
        start = end
      }
    }
  }

  /// Calls `body` with the rows of each batch, if all objects are requested and the batches are in that order.
  ///
  /// - Returns: Whether that was possible; if not, `body` was not called.
  private func forEachBatch(
    in source: some QuerySource, _ body: (FoundRows) throws -> Void
  ) throws -> Bool {
    guard case .constant(true) = node, sortKeys.isEmpty, request.fetchLimit <= 0,
      request.fetchOffset <= 0
    else { return false }
    let run = run(source)
    let readers = try BatchReader.all(of: layouts, in: source)
    guard readers.areOrdered else { return false }
    watch?.expect(readers.rowCount)
    watch?.journal?.recordScan(of: layouts, readers)
    let count = readers.reduce(0) { $0 + $1.batch.rowCount }
    var hits: [RowHits.Hit] = []
    for (index, reader) in readers.enumerated() {
      hits.removeAll(keepingCapacity: true)
      watch?.journal?.recordRead(reader.batch.block)
      unsafe try run.select(node, reader) { flags in
        unsafe flags.forEachKept {
          hits.append(RowHits.Hit(reader: UInt32(index), row: UInt32($0)))
        }
      }
      if !hits.isEmpty {
        unsafe try hits.withUnsafeBufferPointer { hits in
          try unsafe body(
            FoundRows(
              reader: reader, blockIndex: index, blockCount: readers.count, foundCount: count,
              hits: hits))
        }
      }
      try watch?.pass(reader.batch.block.rowCount)
    }
    return true
  }
}

/// Rows of one block that a request found. They are valid only during the call that passes them.
@safe
package struct FoundRows: RandomAccessCollection {
  fileprivate let reader: BatchReader
  /// The index of this block among the blocks with results.
  package let blockIndex: Int
  /// The number of blocks with results.
  package let blockCount: Int
  /// The number of rows found in all blocks.
  package let foundCount: Int
  package var block: Block { reader.batch.block }
  /// The entity number of the rows.
  package var entityNumber: UInt16 { reader.entityNumber }
  @usableFromInline let hits: UnsafeBufferPointer<RowHits.Hit>
  package var startIndex: Int { 0 }
  @inlinable package var endIndex: Int { unsafe hits.count }
  package subscript(position: Int) -> Int { row(at: position) }

  @inlinable @inline(__always)
  package func row(at position: Int) -> Int { unsafe Int(hits[position].row) }
}
