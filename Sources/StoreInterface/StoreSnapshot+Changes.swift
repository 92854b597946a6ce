import ObjectModel
public import Rows

extension StoreSnapshot {
  /// Returns the changes since another snapshot of the same store: a layer that turns `older` into this snapshot.
  ///
  ///     let seen = try store.snapshot()
  ///     // … another process saves …
  ///     let theirs = try store.snapshot().changes(since: seen)
  ///
  /// Each row names the version that it is based on, and a changed row has only the columns that differ. A row that was
  /// saved with equal values has its first column, because its version is new. The cost grows with the size of the
  /// commits in between. A row that these commits only merged with others costs a look at its version.
  ///
  /// - Throws: The errors of a damaged store.
  public func changes(since older: any StoreSnapshot) throws -> Layer {
    // Both snapshots share the tables at their bottom, so these tables contain no changes.
    let common = zip(tables, older.tables).prefix { $0.isSame(as: $1) }.count
    let (newTables, oldTables) = (tables.dropFirst(common), older.tables.dropFirst(common))
    let (newView, oldView) = (view, older.view)
    // The version of a row is the commit that wrote it, unless the store counts the saves of each row. The commits of
    // two files differ, as of a store and a backup of it that was changed; then the snapshots have no table in common.
    let isLater = common > 0 && !countsVersions && commit >= older.commit
    let seen = isLater ? older.commit : nil
    let touched = try common == 0 ? layersTouched(since: older) : nil
    let builder = LayerBuilder(schema)
    for layout in schema.layouts + schema.linkTables.map(\.layout) {
      let numbers =
        try touched.map { try Self.keys(ofEntity: layout.entityNumber, in: $0) }
        ?? Self.changedKeys(layout.entityNumber, newTables, oldTables, seen: seen)
      for number in numbers {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        let (new, old) = (try newView.row(of: key), try oldView.row(of: key))
        switch (new, old) {
        case (nil, nil): continue
        case (nil, let old?): builder.remove(key, basis: try old.version)
        case (let new?, nil):
          try builder.insert(key, copying: new, layout)
        case (let new?, let old?):
          let basis = try old.version
          if try new.version == basis { continue }
          let different = try layout.columns.indices.filter {
            try !old.value(layout.columns[$0]).isIdentical(to: new.value(layout.columns[$0]))
          }
          for position in different.isEmpty ? Array(layout.columns.indices.prefix(1)) : different {
            let value = try new.value(layout.columns[position])
            builder.set(value, column: position, of: key, basis: basis)
          }
        }
      }
    }
    return builder.freeze()
  }

  /// Returns the numbers of the objects of an entity that layers mention, in order.
  private static func keys(ofEntity number: UInt16, in layers: [Layer]) throws -> [UInt64] {
    var keys: Set<UInt64> = []
    for changes in try layers.compactMap({ try $0.changes(ofEntity: number) }) {
      let (old, new) = try changes.touchedKeys()
      keys.formUnion(old)
      keys.formUnion(new)
    }
    return keys.sorted()
  }

  /// Returns the numbers of the objects of an entity that may differ between two lists of tables, in order.
  ///
  /// - Parameter seen: The commit of the old tables. A row of the new tables with this version or an earlier one is a
  ///   row of the old tables too. `nil` if versions do not allow this conclusion.
  private static func changedKeys(
    _ entity: UInt16, _ newTables: ArraySlice<any RowTable>, _ oldTables: ArraySlice<any RowTable>,
    seen: Int64?
  ) throws -> [UInt64] {
    var known: Set<UInt64> = []
    var changed: Set<UInt64> = []
    for table in newTables {
      for entry in try table.entries(ofEntity: entity) {
        if let seen, let version = try entry.entry.version, version <= seen {
          known.insert(entry.key)
        } else {
          changed.insert(entry.key)
        }
      }
    }
    // A merge at the bottom leaves out rows that were removed.
    for table in oldTables {
      for entry in try table.entries(ofEntity: entity) where !known.contains(entry.key) {
        changed.insert(entry.key)
      }
    }
    return changed.sorted()
  }
}

extension RowEntry {
  /// The commit that wrote the entry; `nil` without an entry.
  fileprivate var version: Int64? {
    get throws {
      switch self {
      case .absent: nil
      case .put(let location), .changed(let location), .removed(let location):
        try location.version
      }
    }
  }
}
