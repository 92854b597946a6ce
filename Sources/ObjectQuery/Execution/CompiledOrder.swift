package import Foundation
package import ObjectModel
package import Rows

/// The order of a request's results, bound to a model. It compares single objects by the request's sort keys.
///
/// A ``QueryPlan`` sorts all objects that it finds; this type finds the place of one object among them.
package struct CompiledOrder: Sendable {
  private let keys: [BoundSortKey]
  private let relevance: BoundRelevance?
  /// The sums over the texts of all stores that are merged. A request that sorts by relevance needs them before the first
  /// place.
  package var statistics: RelevanceStatistics? {
    didSet {
      scores = relevance.flatMap { relevance in
        statistics.map { RelevanceScores(relevance, $0) }
      }
    }
  }
  /// The calculator for ``statistics``. Each place uses a copy, because a search for words changes the calculator's memory.
  private var scores: RelevanceScores?
  /// The rank of each entity's objects among objects that are equal in every key.
  private let ranks: [UInt16: Int]
  private let now: Date
  private let slotCount: Int
  private let sharedFetchCount: Int

  /// The values of an object that determine its place in the order.
  package struct Place: Sendable {
    package let key: ObjectKey
    fileprivate let rank: Int
    fileprivate let values: [Operand]
  }

  /// Binds the sort keys of a request.
  ///
  /// - Throws: ``QueryError`` if a name is not in the model, or values can't be ordered.
  package init(
    _ request: QueryRequest, model: Model, schema: Schema, store: StoreTag? = nil,
    now: Date = Date()
  ) throws(QueryError) {
    guard model[request.entity] != nil else {
      throw Binder.unknownEntity(request.entity, in: model)
    }
    var binder = Binder(
      model, schema, store: store, entity: request.entity, variables: [:], now: now)
    var keys: [BoundSortKey] = []
    for key in request.sortKeys { keys.append(try binder.bind(key)) }
    self.keys = keys
    if keys.contains(where: \.isRelevance) {
      let predicate = try request.predicate.map { (part) throws(QueryError) in
        try binder.bind(part)
      }
      relevance = try BoundRelevance(predicate)
    } else {
      relevance = nil
    }
    let family =
      request.includesSubentities
      ? schema.layouts(ofFamily: request.entity, in: model) : [schema[request.entity]!]
    ranks = Dictionary(
      uniqueKeysWithValues: family.enumerated().map { ($0.element.entityNumber, $0.offset) })
    self.now = now
    slotCount = binder.slotCount
    sharedFetchCount = binder.sharedFetchCount
  }

  /// The numbers of the entities whose objects are requested.
  package var entityNumbers: Set<UInt16> { Set(ranks.keys) }

  /// Returns the place of an object of a source; `nil` if the object does not exist or belongs to another entity.
  package func place(of key: ObjectKey, in source: some QuerySource) throws -> Place? {
    guard let rank = ranks[key.entity], let row = try source.row(of: key) else { return nil }
    guard !keys.isEmpty else { return Place(key: key, rank: rank, values: []) }
    let subject = Subject(key: key, values: .view(row))
    let interpreter = Interpreter(
      source, now: now, slotCount: slotCount, sharedFetchCount: sharedFetchCount)
    let values = try keys.map { key -> Operand in
      if key.isRelevance { return .value(.double(-(try score(of: subject, interpreter)))) }
      if let column = key.column, !key.options.folds {
        return .value(try row.value(column))
      }
      let value = try interpreter.value(key.value, for: subject)
      return value.text.map { .value(.string($0.folded(key.options))) } ?? value
    }
    return Place(key: key, rank: rank, values: values)
  }

  private func score(of subject: Subject, _ interpreter: Interpreter) throws -> Double {
    guard var scores else {
      preconditionFailure("The statistics of an order by relevance must be set before its places.")
    }
    return try scores.score(of: subject, interpreter)
  }

  /// Returns whether two places are equal in every sort key.
  package func areEqual(_ left: Place, _ right: Place) -> Bool { compare(left, right) == .same }

  /// Returns whether one place comes before another.
  package func precedes(_ left: Place, _ right: Place) -> Bool {
    switch compare(left, right) {
    case .less: true
    case .greater: false
    case .same:
      left.rank == right.rank ? left.key.number < right.key.number : left.rank < right.rank
    }
  }

  /// Merges the results of several stores in one order. Results that are equal in every key keep the order of the
  /// stores.
  package func merged<Found>(
    _ found: [(one: Found, place: Place)], _ request: QueryRequest
  ) -> [Found] {
    let sorted = found.enumerated().sorted { left, right in
      areEqual(left.element.place, right.element.place)
        ? left.offset < right.offset : precedes(left.element.place, right.element.place)
    }
    return sorted[request.window(of: sorted.count)].map(\.element.one)
  }

  private func compare(_ left: Place, _ right: Place) -> Order {
    for (index, key) in keys.enumerated() {
      let inLocale = key.options.intersection(.localeSensitive)
      switch sortingOrder(left.values[index], right.values[index], inLocale) {
      case .same: continue
      case .less: return key.isAscending ? .less : .greater
      case .greater: return key.isAscending ? .greater : .less
      }
    }
    return .same
  }
}

extension QueryRequest {
  /// The same request without an offset, with the limit raised by the offset: the results that each of several stores
  /// must find.
  package var fromTheFirst: QueryRequest {
    var request = self
    request.fetchOffset = 0
    if fetchLimit > 0 {
      let (most, overflow) = fetchLimit.addingReportingOverflow(max(fetchOffset, 0))
      request.fetchLimit = overflow ? 0 : most
    }
    return request
  }

  /// Returns the range of results that the offset and the limit select.
  package func window(of count: Int) -> Range<Int> {
    let start = min(max(fetchOffset, 0), count)
    let end = fetchLimit > 0 ? start + min(fetchLimit, count - start) : count
    return start..<end
  }
}
