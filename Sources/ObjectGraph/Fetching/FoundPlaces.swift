import ObjectModel
import ObjectQuery
import Rows

/// One store for a search on another thread, as the context saw the store when the search began.
struct SearchPart: Sendable {
  let base: StoreBase
  let source: ViewSource
  /// Whether the search includes unsaved changes.
  let isPending: Bool
  var plan: QueryPlan
  /// The store, if it can answer the request itself.
  let asked: AskedStore?
  /// The order for merging the objects of several stores; `nil` if there is one store.
  var order: CompiledOrder?
}

/// The result of a search on another thread: the positions of the found rows, or the found keys. A context makes
/// objects of them.
struct FoundPlaces: Sendable {
  /// Rows of blocks of one store, in the requested order.
  struct Rows: Sendable {
    var blocks: [(block: Block, entityNumber: UInt16)] = []
    var places: [(block: Int, row: Int)] = []

    mutating func append(_ block: Block, _ entityNumber: UInt16, _ rows: some Sequence<Int>) {
      if blocks.last?.block !== block { blocks.append((block, entityNumber)) }
      let last = blocks.count - 1
      for row in rows { places.append((last, row)) }
    }
  }
  /// The found rows if there is one store.
  var rows = Rows()
  /// The found keys if there are several stores, each with the index of its store's part.
  var keys: [(part: Int, key: ObjectKey)] = []

  /// Searches the parts.
  ///
  /// - Parameter request: The request, with the limits that apply to all stores together.
  init(_ parts: [SearchPart], _ request: QueryRequest) throws {
    if parts.count == 1 {
      var rows = Rows()
      try parts[0].plan.forEachRun(in: parts[0].source) { run in
        rows.append(run.block, run.entityNumber, run)
      }
      self.rows = rows
      return
    }
    var found: [(one: (part: Int, key: ObjectKey), place: CompiledOrder.Place)] = []
    let statistics = try QueryPlan.statistics(parts.lazy.map { ($0.plan, $0.source) })
    for (index, part) in parts.enumerated() {
      guard var order = part.order else { continue }
      var part = part
      (part.plan.statistics, order.statistics) = (statistics, statistics)
      for key in try part.plan.keys(in: part.source) {
        guard let place = try order.place(of: key, in: part.source) else { continue }
        found.append(((index, key), place))
      }
    }
    keys = parts.first?.order?.merged(found, request) ?? []
  }
}
