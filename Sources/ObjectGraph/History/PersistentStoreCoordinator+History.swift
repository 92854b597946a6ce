public import Foundation
import ObjectModel
import Rows
import StoreInterface

// The history of stores that keep earlier commits, like Core Data's `NSPersistentHistoryTracking`. Stores write no
// separate log: a transaction is the difference between two commits.
extension PersistentStoreCoordinator {
  /// Returns the transactions that a request selects. Transactions of one store keep their order; several stores are
  /// merged by time.
  ///
  /// Stores that keep no earlier commits have no transactions. The cost depends on the size of the selected commits.
  /// Commits that the request does not select are skipped by their summaries alone.
  ///
  /// - Throws: ``ContextError`` with the code ``ContextError/Code/historyExpired`` if the store no longer keeps the
  ///   commit of the token. The same code if the token is newer than the store, because an older copy has replaced the
  ///   store, or if the token names none of the coordinator's stores. The error of a damaged store.
  public func history(
    _ request: HistoryRequest = HistoryRequest()
  ) throws -> [HistoryTransaction] {
    if let token = request.after { try refuse(foreign: token) }
    return try transactions(request)
  }

  /// Throws if a token names stores, and none of them is a store of the coordinator.
  func refuse(foreign token: HistoryToken) throws {
    guard !token.commits.isEmpty, !stores.contains(where: { token.commits[$0.uuid] != nil }) else {
      return
    }
    let names = token.commits.keys.map(\.uuidString).sorted().joined(separator: ", ")
    let known = stores.map { "\($0.uuid.uuidString)\(at($0.path))" }.joined(separator: ", ")
    throw ContextError(
      .historyExpired,
      """
      The history token is a place in the stores \(names), which this coordinator does not have. It has: \
      \(known.isEmpty ? "none" : known). Read the current state, and continue from there.
      """)
  }

  /// Returns the transactions that a request selects, also if its token names none of the stores.
  func transactions(_ request: HistoryRequest) throws -> [HistoryTransaction] {
    var transactions: [(time: Date, transaction: HistoryTransaction)] = []
    for store in stores where request.stores?.contains(store.uuid) ?? true {
      var latest = Date.distantPast
      for transaction in try store.history(request, in: model) {
        // A clock may be set back; the order of a store's commits stays.
        latest = max(latest, transaction.time)
        transactions.append((latest, transaction))
      }
    }
    return transactions.enumerated().sorted { left, right in
      (left.element.time, left.offset) < (right.element.time, right.offset)
    }.map(\.element.transaction)
  }

  /// The place at the end of the history as it is now.
  ///
  /// - Throws: `StoreError`.
  public var historyToken: HistoryToken {
    get throws {
      var token = HistoryToken()
      for store in stores where store.features.history != nil {
        token.commits[store.uuid] = try store.store.snapshot().commit
      }
      return token
    }
  }

  /// Removes the history before a place. Later transactions can still be requested with the given token or a later one.
  /// Stores that were added as read-only are not changed.
  ///
  /// - Throws: `StoreError`. Stores that were processed before the error have removed their history. ``ContextError`` if
  ///   the token names none of the coordinator's stores.
  public func forgetHistory(before token: HistoryToken) throws {
    try refuse(foreign: token)
    for store in stores where !store.isReadOnly {
      if let number = token.commits[store.uuid] {
        try store.features.history?.forgetCommits(before: number)
      }
    }
  }

  /// Removes the history before a time. Stores that were added as read-only are not changed.
  ///
  /// A transaction made at or after the time is kept with all later transactions. A later transaction may have an
  /// earlier time if a clock was set back.
  ///
  /// - Throws: `StoreError`. Stores that were processed before the error have removed their history.
  public func forgetHistory(before time: Date) throws {
    for store in stores where !store.isReadOnly {
      // The last commit before the time stays: the next transaction is the difference from that commit.
      if let history = store.features.history,
        let last = try history.commits().reversed().prefix(while: { $0.time < time }).last
      {
        try history.forgetCommits(before: last.number)
      }
    }
  }
}

extension PersistentStore {
  fileprivate func history(
    _ request: HistoryRequest, in model: Model
  ) throws -> [HistoryTransaction] {
    guard let history = features.history else { return [] }
    let commits = try Array(history.commits().reversed())
    guard var start = commits.indices.first else { return [] }
    if let seen = request.after?.commits[uuid] {
      if seen >= commits[commits.count - 1].number {
        let newest = try store.snapshot().commit
        if seen <= newest { return [] }
        throw ContextError(
          .historyExpired,
          """
          Commit \(seen) of the store\(at(path)) was read before, but its newest commit is now \(newest): an \
          older copy replaced the store. Read the current state, and continue from there.
          """)
      }
      guard let index = commits.firstIndex(where: { $0.number == seen }) else {
        throw ContextError(
          .historyExpired,
          """
          The store\(at(path)) does not keep commit \(seen) any more: its oldest commit is \
          \(commits[0].number). Read the current state, and continue from there.
          """)
      }
      start = index
    }
    let families = request.entities.map { names in
      Set(names.flatMap { name in model[name] == nil ? [] : model.family(of: name).map(\.name) })
    }
    var transactions: [HistoryTransaction] = []
    var before: (number: Int64, snapshot: any StoreSnapshot)?
    for (older, commit) in zip(commits[start...], commits[start...].dropFirst()) {
      guard request.wants(commit) else { continue }
      let known = before?.number == older.number ? before?.snapshot : nil
      let old = try known ?? history.snapshot(ofCommit: older.number)
      let new = try history.snapshot(ofCommit: commit.number)
      before = (commit.number, new)
      let layer = try new.changes(since: old)
      var reading = HistoryReading(tag, layer, old, new)
      var changes = try reading.changes(model)
      if let families { changes.removeAll { !families.contains($0.entity) } }
      if changes.isEmpty { continue }
      transactions.append(
        HistoryTransaction(
          store: uuid, tag: tag, number: commit.number, time: commit.time, author: commit.author,
          contextName: commit.contextName, changes: changes, layer: layer,
          linkTables: Set(new.schema.linkTables.map(\.layout.entityNumber))))
    }
    return transactions
  }
}

extension HistoryRequest {
  /// Whether the request may select the transaction of a commit, by the commit's time, author and context.
  fileprivate func wants(_ commit: CommitSummary) -> Bool {
    if let since, commit.time < since { return false }
    if let before, commit.time >= before { return false }
    if let authors, !(commit.author.map(authors.contains) ?? false) { return false }
    if let author = commit.author, excludedAuthors.contains(author) { return false }
    if let contextNames, !(commit.contextName.map(contextNames.contains) ?? false) { return false }
    return true
  }
}

/// Derives the changes of objects from the rows of a commit.
private struct HistoryReading {
  private let tag: StoreTag
  private let layer: Layer
  private let old: any StoreSnapshot
  private let new: any StoreSnapshot
  private var found: [ObjectKey: Found] = [:]

  private struct Found {
    var kind = HistoryChange.Kind.update
    var properties: Set<String> = []
    var tombstone: [String: Value] = [:]
  }

  init(_ tag: StoreTag, _ layer: Layer, _ old: any StoreSnapshot, _ new: any StoreSnapshot) {
    self.tag = tag
    self.layer = layer
    self.old = old
    self.new = new
  }

  mutating func changes(_ model: Model) throws -> [HistoryChange] {
    for changes in layer.entities {
      if let table = new.schema.linkTables.first(where: {
        $0.layout.entityNumber == changes.entityNumber
      }) {
        try readLinks(changes, table)
      } else if let layout = new.schema[changes.entityNumber] {
        try readRows(changes, layout, model)
      }
    }
    return found.sorted { $0.key < $1.key }.compactMap { key, found in
      guard let entity = new.schema[key.entity]?.entity else { return nil }
      return HistoryChange(
        object: ObjectID(store: tag, key: key), entity: entity, kind: found.kind,
        changedProperties: found.kind == .update ? found.properties.sorted() : [],
        tombstone: found.tombstone)
    }
  }

  private mutating func readRows(
    _ changes: Layer.EntityChanges, _ layout: Layout, _ model: Model
  ) throws {
    let preserved = layout.columns.filter { column in
      guard case .attribute(let attribute)? = model.property(column.name, of: layout.entity) else {
        return false
      }
      return attribute.options.contains(.preservesValueOnDeletion)
    }
    for one in try changes.entries() {
      let key = ObjectKey(entity: changes.entityNumber, number: one.key)
      switch one.entry {
      case .absent: continue
      case .put: found[key, default: Found()].kind = .insert
      case .changed(let location):
        for column in layout.columns {
          guard let given = try location.block.presence(of: column), given.isGiven(location.row)
          else { continue }
          // A reference `stop` has the column `stop#order` for its place in an ordered relationship. A change of the
          // place counts as a change of the reference.
          let name = column.name.prefix { $0 != "#" }
          found[key, default: Found()].properties.insert(String(name))
        }
      case .removed:
        found[key, default: Found()].kind = .delete
        guard !preserved.isEmpty, let row = try old.view.row(of: key) else { continue }
        for column in preserved {
          let value = try row.value(column)
          if !value.isNull { found[key]!.tombstone[column.name] = value }
        }
      }
    }
  }

  /// Records a link that was inserted, removed or moved as a change of the objects at both ends.
  private mutating func readLinks(_ changes: Layer.EntityChanges, _ table: LinkTable) throws {
    for one in try changes.entries() {
      let key = ObjectKey(entity: changes.entityNumber, number: one.key)
      guard let row = try new.view.row(of: key) ?? old.view.row(of: key) else { continue }
      let ends = try table.layout.columns.prefix(2).map { try row.value($0) }
      for (value, end) in [(ends[0], table.forward), (ends[1], table.backward)] {
        guard let end, case .object(let object) = value, let name = name(of: end, object) else {
          continue
        }
        found[object, default: Found()].properties.insert(name)
      }
    }
  }

  /// Returns the name of the relationship at one end of a link table.
  private func name(of end: LinkTable.End, _ object: ObjectKey) -> String? {
    new.schema[object.entity].flatMap { layout in
      new.schema.relationshipNumbers[layout.entity]?.first { $0.value == end.relationship }?.key
    }
  }
}
