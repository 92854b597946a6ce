import ObjectModel
import RelationalStore
import Rows
import StoreInterface

/// The objects that a commit changes, as the history of Core Data counts them: an object at the other end of a changed
/// relationship is changed too (spec §10.10.4).
struct CommitChanges {
  /// The change of one object.
  struct Change {
    var kind = LoggedChange.Kind.update
    /// The columns of the layout that change, and the relationships that refer to many.
    var columns: Set<String> = []
    /// The row before, of a deleted object.
    var row: RowLocation?
    /// Whether the commit itself writes the object's row. The row of another object only gets a higher version.
    var isWritten = false
  }

  private(set) var objects: [ObjectKey: Change] = [:]
  private let model: Model
  private let schema: Schema
  private let before: RowsBefore

  /// Collects the changes of a commit.
  ///
  /// - Parameter before: The rows that the commit replaces or removes.
  init(_ changes: Layer, after before: RowsBefore, _ contents: StoreContents) throws {
    (model, schema, self.before) = (contents.model, contents.schema, before)
    let tables = Dictionary(
      schema.linkTables.map { ($0.layout.entityNumber, $0) }, uniquingKeysWith: { one, _ in one })
    for entity in changes.entities {
      if let layout = schema[entity.entityNumber], tables[entity.entityNumber] == nil {
        try addRows(entity, layout)
      } else if let table = tables[entity.entityNumber] {
        try addLinks(entity, table)
      }
    }
  }

  /// The changes in the order in which Core Data mostly writes them: insertions, updates, deletions.
  var sorted: [(key: ObjectKey, change: Change)] {
    let order: [LoggedChange.Kind] = [.insert, .update, .delete]
    return order.flatMap { kind in
      objects.filter { $0.value.kind == kind }.sorted { $0.key < $1.key }
        .map { ($0.key, $0.value) }
    }
  }

  // MARK: - Rows

  private mutating func addRows(_ changes: Layer.EntityChanges, _ layout: Layout) throws {
    let references = try layout.columns.filter { $0.kind == .reference }.compactMap { column in
      let relationship = try model.relationship(column.name, of: layout.entity)
      return model.inverse(of: relationship).flatMap { $0.isToMany ? (column, $0.name) : nil }
    }
    for one in try changes.entries() {
      let key = ObjectKey(entity: changes.entityNumber, number: one.key)
      let old = try before.row(of: key)
      var change = objects[key] ?? Change()
      change.isWritten = true
      var new: RowLocation?
      switch one.entry {
      case .absent: continue
      case .put(let row):
        new = row
        if old == nil { change.kind = .insert }
      case .changed(let row): new = row
      case .removed:
        (change.kind, change.row) = (.delete, old)
      }
      if change.kind == .update, let new {
        for column in layout.columns {
          guard let value = try new.givenValue(column) else { continue }
          if let known = try old?.givenValue(column), known.isIdentical(to: value) { continue }
          change.columns.insert(column.name)
        }
      }
      objects[key] = change
      for (column, inverse) in references {
        let was = try old?.givenValue(column)
        let place = "\(column.name)#order"
        let isMoved = change.kind != .update || change.columns.contains(column.name)
        guard isMoved || change.columns.contains(place) else { continue }
        add(was, inverse)
        if change.kind != .delete { add(try new?.givenValue(column), inverse) }
      }
    }
  }

  /// Records that a relationship of an object has changed.
  private mutating func add(_ object: Value?, _ relationship: String) {
    guard case .object(let key)? = object else { return }
    objects[key, default: Change()].columns.insert(relationship)
  }

  // MARK: - Links

  private mutating func addLinks(_ changes: Layer.EntityChanges, _ table: LinkTable) throws {
    let names = try [table.forward, table.backward].map { end in
      try end.map { try model.declaration(of: $0, schema).relationship.name }
    }
    for one in try changes.entries() {
      let old = try before.row(of: ObjectKey(entity: changes.entityNumber, number: one.key))
      let rows: [RowLocation?] =
        switch one.entry {
        case .absent: []
        case .put(let new), .changed(let new): [old, new]
        case .removed: [old]
        }
      for row in rows.compactMap(\.self) {
        // A changed link may give only its place, and its ends are those of the former row.
        for (column, name) in zip(table.layout.columns, names) {
          guard let name else { continue }
          add(try row.givenValue(column) ?? old?.givenValue(column), name)
        }
      }
    }
  }
}

extension RowsBefore {
  /// Returns the whole row of an object before the commit; `nil` if it did not exist.
  fileprivate func row(of key: ObjectKey) throws -> RowLocation? {
    guard case .put(let row) = try entry(of: key) else { return nil }
    return row
  }
}
