import Foundation
import ObjectModel
import Rows
import StoreInterface

extension PersistentStore {
  /// Returns the transactions that a request selects.
  func history(
    _ request: HistoryRequest, in model: Model
  ) throws -> [HistoryTransaction] {
    if let log = features.changeLog {
      return try LoggedHistory(log, self, request, in: model).transactions()
    }
    guard let history = features.history else { return [] }
    let commits = try Array(history.commits().reversed())
    guard var start = commits.indices.first else { return [] }
    if let seen = request.after?.commits[uuid] {
      if seen >= commits[commits.count - 1].number {
        let newest = try store.snapshot().commit
        if seen <= newest { return [] }
        throw replaced(seen, newest)
      }
      guard let index = commits.firstIndex(where: { $0.number == seen }) else {
        throw expired(seen, oldest: commits[0].number)
      }
      start = index
    }
    let families = request.families(in: model)
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
          contextName: commit.contextName, bundleID: nil, processName: nil, changes: changes,
          layer: layer,
          linkTables: Set(new.schema.linkTables.map(\.layout.entityNumber))))
    }
    return transactions
  }
}

extension PersistentStore {
  /// Removes the history before a time. A transaction made at or after the time is kept with all later transactions.
  func forgetHistory(before time: Date) throws {
    // The last commit before the time stays: the next transaction is the difference from that commit.
    if let history = features.history,
      let last = try history.commits().reversed().prefix(while: { $0.time < time }).last
    {
      try history.forgetCommits(before: last.number)
    }
    guard let log = features.changeLog else { return }
    let old = try log.transactions(before: time)
    if old.count > 0 { try log.forgetTransactions(before: old.end) }
  }

  /// The error for a token that is newer than the store.
  func replaced(_ seen: Int64, _ newest: Int64) -> ContextError {
    ContextError(
      .historyExpired,
      """
      Commit \(seen) of the store\(at(path)) was read before, but its newest commit is now \(newest): an \
      older copy replaced the store. Read the current state, and continue from there.
      """)
  }

  /// The error for a token whose successors are not all kept.
  func expired(_ seen: Int64, oldest: Int64?) -> ContextError {
    ContextError(
      .historyExpired,
      """
      The store\(at(path)) does not keep commit \(seen) any more: its oldest commit is \
      \(oldest.map { "\($0)" } ?? "removed too"). Read the current state, and continue from there.
      """)
  }
}

extension HistoryRequest {
  /// Returns the names of the entities with included changes, with their subentities; `nil` for all entities.
  func families(in model: Model) -> Set<String>? {
    entities.map { names in
      Set(names.flatMap { name in model[name] == nil ? [] : model.family(of: name).map(\.name) })
    }
  }

  /// Whether the request may select the transaction of a commit, by the commit's time, author and context.
  func wants(_ commit: CommitSummary) -> Bool {
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
