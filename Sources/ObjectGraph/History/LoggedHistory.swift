import ObjectModel
import Rows
import StoreInterface

/// The transactions of a store with a log of changes, such as a database of Core Data.
///
/// A log keeps no values. So the rows of a transaction are those of the objects as they are now, and a context that merges the
/// transaction shows their present state.
struct LoggedHistory {
  private let log: any ChangeLogStore
  private let store: PersistentStore
  private let request: HistoryRequest
  private let model: Model

  init(
    _ log: any ChangeLogStore, _ store: PersistentStore, _ request: HistoryRequest, in model: Model
  ) {
    (self.log, self.store, self.request, self.model) = (log, store, request, model)
  }

  /// The number of transactions whose changes are read at once.
  private static let pieceCount = 1000

  func transactions() throws -> [HistoryTransaction] {
    let wanted = try summaries().filter { request.wants($0.summary) }
    guard !wanted.isEmpty else { return [] }
    let families = request.families(in: model)
    let now = try store.store.snapshot()
    var found: [HistoryTransaction] = []
    for start in stride(from: 0, to: wanted.count, by: LoggedHistory.pieceCount) {
      let piece = wanted[start..<min(start + LoggedHistory.pieceCount, wanted.count)]
      let changes = try log.changes(
        ofTransactions: piece.first!.summary.number...piece.last!.summary.number)
      for one in piece {
        let changes = changes[one.summary.number] ?? []
        guard let transaction = try transaction(one, changes, families, now) else { continue }
        found.append(transaction)
      }
    }
    return found
  }

  /// Returns the transactions after the token, without their changes.
  private func summaries() throws -> [LoggedTransaction] {
    let newest = try log.newestTransaction()
    guard let seen = request.after?.commits[store.uuid] else {
      return newest < 1 ? [] : try log.transactions(in: 1...newest, newest: nil)
    }
    guard seen <= newest else { throw store.replaced(seen, newest) }
    if seen == newest { return [] }
    // The token's own transaction need not be kept, if the next one is.
    let found = try log.transactions(in: max(seen, 1)...newest, newest: nil)
    guard seen == 0 || (found.first.map { $0.summary.number <= seen + 1 } ?? false) else {
      throw store.expired(seen, oldest: found.first?.summary.number)
    }
    return found.filter { $0.summary.number > seen }
  }

  /// Returns a transaction; `nil` if it has no change of the given entities.
  private func transaction(
    _ one: LoggedTransaction, _ logged: [LoggedChange], _ families: Set<String>?,
    _ now: any StoreSnapshot
  ) throws -> HistoryTransaction? {
    var changes: [HistoryChange] = []
    let builder = LayerBuilder(now.schema)
    for change in logged.sorted(by: { $0.object < $1.object }) {
      guard let layout = now.schema[change.object.entity],
        changes.last?.object.key != change.object
      else { continue }
      try add(change, layout, to: builder, now)
      guard families?.contains(layout.entity) ?? true else { continue }
      changes.append(
        HistoryChange(
          object: ObjectID(store: store.tag, key: change.object), entity: layout.entity,
          kind: change.kind, changedProperties: change.properties, tombstone: change.tombstone))
    }
    if changes.isEmpty { return nil }
    let summary = one.summary
    return HistoryTransaction(
      store: store.uuid, tag: store.tag, number: summary.number, time: summary.time,
      author: summary.author, contextName: summary.contextName, bundleID: one.bundleID,
      processName: one.processName, changes: changes, layer: builder.freeze(),
      linkTables: Set(now.schema.linkTables.map(\.layout.entityNumber)))
  }

  /// Adds the present row of a changed object. An object that was deleted later has none.
  private func add(
    _ change: LoggedChange, _ layout: Layout, to builder: LayerBuilder, _ now: any StoreSnapshot
  ) throws {
    let key = change.object
    let row = try now.view.row(of: key)
    switch (change.kind, row) {
    case (.delete, _): builder.remove(key)
    case (_, nil): return
    case (.insert, let row?): try builder.insert(key, copying: row, layout)
    case (.update, let row?):
      let given = layout.columns.indices.filter { index in
        change.properties.contains(String(layout.columns[index].name.prefix { $0 != "#" }))
      }
      // A change of a relationship that refers to many is in no column of the object.
      for index in given.isEmpty ? Array(layout.columns.indices.prefix(1)) : given {
        builder.set(
          try row.value(layout.columns[index]), column: index, of: key, basis: try row.version)
      }
    }
  }
}
