import ObjectModel
public import Rows

extension StoreSnapshot {
  /// Returns the changes since another snapshot of the same store: a layer that turns `older` into this snapshot.
  ///
  ///     let seen = try store.snapshot()
  ///     // … another process saves …
  ///     let theirs = try store.snapshot().changes(since: seen)
  ///
  /// Each row states the version that it is based on, and a changed row has only the columns that differ. A row that was
  /// saved with equal values has its first column, because its version is new. The cost grows with the size of the
  /// commits in between, and is higher if these commits merged much of the store.
  ///
  /// - Throws: The errors of a damaged store.
  public func changes(since older: any StoreSnapshot) throws -> Layer {
    // Both snapshots share the tables at their bottom, so these tables contain no changes.
    let common = zip(tables, older.tables).prefix { $0.isSame(as: $1) }.count
    let (newView, oldView) = (view, older.view)
    let builder = LayerBuilder(schema)
    for layout in schema.layouts + schema.linkTables.map(\.layout) {
      for number in try Self.keys(
        layout.entityNumber,
        Array(tables.dropFirst(common)) + Array(older.tables.dropFirst(common)))
      {
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

  /// Returns the numbers of all objects of an entity that any of the tables contains, in order.
  private static func keys(_ entity: UInt16, _ tables: [any RowTable]) throws -> [UInt64] {
    var keys: Set<UInt64> = []
    for table in tables {
      for entry in try table.entries(ofEntity: entity) { keys.insert(entry.key) }
    }
    return keys.sorted()
  }
}
