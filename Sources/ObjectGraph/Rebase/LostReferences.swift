import ObjectModel
import Rows

/// Clears references and removes links of the changes that refer to deleted rows.
struct LostReferences {
  private let rows: RebasedRows
  /// The layers that contain every row that may be deleted; `nil` if any row may be deleted.
  private let differences: [Layer]?
  /// The keys of further rows that may be deleted: their conflicts were decided, or their changes were discarded.
  private let settled: Set<ObjectKey>
  /// The keys of rows with a reverted repair. Such a row may refer to any deleted row.
  private let restored: Set<ObjectKey>

  init(
    _ rows: RebasedRows, _ differences: [Layer]?, settled: Set<ObjectKey>,
    restored: Set<ObjectKey>
  ) {
    self.rows = rows
    self.differences = differences
    self.settled = settled
    self.restored = restored
  }

  /// Clears references and removes links to rows that another save has deleted.
  ///
  /// A reference that the base contains too is skipped: the save that deleted the row was responsible for it.
  func clear() throws {
    for changes in rows.layer.entities {
      if let entity = rows.graph[changes.entityNumber] {
        try clearReferences(changes, entity)
      } else {
        try removeLinks(changes)
      }
    }
    try rows.seal()
  }

  private func clearReferences(_ changes: Layer.EntityChanges, _ entity: GraphEntity) throws {
    let references = entity.toOnes
    if references.isEmpty { return }
    for one in try changes.entries() {
      guard let location = one.entry.given else { continue }
      let key = ObjectKey(entity: changes.entityNumber, number: one.key)
      for toOne in references {
        let column = entity.layout.columns[toOne.column]
        guard case .object(let target)? = try location.block.value(column, row: location.row),
          try isLost(target, from: key),
          try rows.base.row(of: key)?.reference(column) != target
        else { continue }
        try rows.clear(toOne, of: key)
      }
    }
  }

  private func removeLinks(_ changes: Layer.EntityChanges) throws {
    guard let layout = rows.graph.schema[changes.entityNumber] else { return }
    for one in try changes.entries() {
      guard case .put(let location) = one.entry else { continue }
      let leadsAway = try layout.columns.prefix(2).contains { end in
        guard case .object(let target)? = try location.block.value(end, row: location.row) else {
          return false
        }
        return try isLost(
          target, from: ObjectKey(entity: changes.entityNumber, number: one.key))
      }
      if leadsAway { try rows.remove(ObjectKey(entity: changes.entityNumber, number: one.key)) }
    }
  }

  /// Whether another save has deleted a row, and the changes do not insert it.
  private func isLost(_ key: ObjectKey, from source: ObjectKey) throws -> Bool {
    if let differences, !settled.contains(key), !restored.contains(source),
      try !differences.contains(where: { try $0.mentions(key) })
    {
      return false
    }
    return try rows.base.row(of: key) == nil && rows.row(key) == nil
  }

  /// Clears references from settled rows to rows that the changes delete. A reference that denies the deletion stays.
  func clearDeleted() throws {
    for key in settled.sorted() {
      guard let entity = rows.graph[key.entity], let row = try rows.row(key) else { continue }
      for toOne in entity.toOnes {
        guard let target = try row.reference(entity.layout.columns[toOne.column]),
          try !rows.isAlive(target), try !rows.isDenied(target, toOne)
        else { continue }
        try rows.clear(toOne, of: key)
      }
    }
    try rows.seal()
  }
}

extension RebasedRows {
  /// Whether a reference to a deleted row denies its deletion.
  func isDenied(_ target: ObjectKey, _ toOne: GraphProperty.ToOne) throws -> Bool {
    guard toOne.inverse?.deleteRule == .deny else { return false }
    return try base.row(of: target) != nil
  }
}

extension RowEntry {
  /// The row with the values of the entry; `nil` for a removal.
  var given: RowLocation? {
    switch self {
    case .put(let location), .changed(let location): location
    case .removed, .absent: nil
    }
  }
}
