public import Foundation
import ObjectModel
import Rows
import StoreInterface

// The history of stores that keep earlier commits: what `NSPersistentHistoryTracking` is to Core Data. It is
// no record beside the objects: a transaction is what differs between two commits.
extension PersistentStoreCoordinator {
  /// The transactions that a request asks for: of each store in their order, and of several in that of
  /// their times.
  ///
  /// Stores that keep no earlier commits have none. Costs what the commits wrote that are asked for; those
  /// of others are passed over by their records.
  ///
  /// - Throws: ``ContextError`` with the code ``ContextError/Code/historyExpired`` when what came right
  ///   after the token is not kept any more, or the store has not come so far, because an older copy was put in its
  ///   place; or what a damaged store throws.
  public func history(
    _ request: HistoryRequest = HistoryRequest()
  ) throws -> [HistoryTransaction] {
    var transactions: [(time: Date, transaction: HistoryTransaction)] = []
    for store in stores where request.stores?.contains(store.uuid) ?? true {
      var latest = Date.distantPast
      for transaction in try store.history(request, in: model) {
        // A clock may go back; the order of a store's commits does not.
        latest = max(latest, transaction.time)
        transactions.append((latest, transaction))
      }
    }
    return transactions.enumerated().sorted { left, right in
      (left.element.time, left.offset) < (right.element.time, right.offset)
    }.map(\.element.transaction)
  }

  /// The place in the history behind everything that was saved until now.
  ///
  /// - Throws: `StoreError`.
  public var historyToken: HistoryToken {
    get throws {
      var token = HistoryToken()
      for store in stores where store.store.capabilities.contains(.history) {
        token.commits[store.uuid] = try store.store.snapshot().commit
      }
      return token
    }
  }

  /// Forgets the history up to a place: what came after it can still be asked for with that token, or a
  /// later one. Stores that were added for reading only forget nothing.
  ///
  /// - Throws: `StoreError`; stores that it was done in have done it.
  public func forgetHistory(before token: HistoryToken) throws {
    for store in stores where !store.isReadOnly {
      if let number = token.commits[store.uuid] { try store.store.forgetCommits(before: number) }
    }
  }

  /// Forgets the history before a time. Stores that were added for reading only forget nothing.
  ///
  /// What came after something that was made at that time or later stays, though a clock that went back says that it was
  /// made before.
  ///
  /// - Throws: `StoreError`; stores that it was done in have done it.
  public func forgetHistory(before time: Date) throws {
    for store in stores where store.store.capabilities.contains(.history) && !store.isReadOnly {
      // The last one before the time stays: what came after it is told by comparing with it.
      if let last = try store.store.commits().reversed().prefix(while: { $0.time < time }).last {
        try store.store.forgetCommits(before: last.number)
      }
    }
  }
}

extension PersistentStore {
  fileprivate func history(
    _ request: HistoryRequest, in model: Model
  ) throws -> [HistoryTransaction] {
    guard store.capabilities.contains(.history) else { return [] }
    let commits = try Array(store.commits().reversed())
    guard var start = commits.indices.first else { return [] }
    if let seen = request.after?.commits[uuid] {
      if seen >= commits[commits.count - 1].number {
        let newest = try store.snapshot().commit
        if seen <= newest { return [] }
        throw ContextError(
          .historyExpired,
          """
          Commit \(seen) of the store\(at(path)) was seen, and the newest that it has is \(newest): an older copy \
          was put in its place. Take everything as it is now, and go on from there.
          """)
      }
      guard let index = commits.firstIndex(where: { $0.number == seen }) else {
        throw ContextError(
          .historyExpired,
          """
          The store\(at(path)) does not keep commit \(seen) any more: the \
          oldest that it keeps is \(commits[0].number). Take everything as it is now, and go on from there.
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
      let old = try known ?? store.snapshot(ofCommit: older.number)
      let new = try store.snapshot(ofCommit: commit.number)
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
  /// Whether a commit may be asked for.
  fileprivate func wants(_ commit: CommitSummary) -> Bool {
    if let since, commit.time < since { return false }
    if let before, commit.time >= before { return false }
    if let authors, !(commit.author.map(authors.contains) ?? false) { return false }
    if let author = commit.author, excludedAuthors.contains(author) { return false }
    if let contextNames, !(commit.contextName.map(contextNames.contains) ?? false) { return false }
    return true
  }
}

/// What a commit's rows say of objects.
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
          // The place in an ordered relationship belongs to the reference.
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

  /// A link that came, went or moved is a change of both ends.
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

  /// The name of the relationship at one end of some links.
  private func name(of end: LinkTable.End, _ object: ObjectKey) -> String? {
    new.schema[object.entity].flatMap { layout in
      new.schema.relationshipNumbers[layout.entity]?.first { $0.value == end.relationship }?.key
    }
  }
}
