import ObjectModel
public import Rows

extension StoreSnapshot {
  /// What was changed since another snapshot of the same store: a layer that makes this one of that one.
  ///
  ///     let seen = try store.snapshot()
  ///     // … another process saves …
  ///     let theirs = try store.snapshot().changes(since: seen)
  ///
  /// Each row says the version it is based on, and changed rows have only what differs. Costs what the
  /// commits in between wrote; more when they merged much of the store.
  ///
  /// - Throws: What a damaged store throws.
  public func changes(since older: any StoreSnapshot) throws -> Layer {
    // What both have at their bottom says the same in both.
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
          for (position, column) in layout.columns.enumerated() {
            let value = try new.value(column)
            if try !old.value(column).isIdentical(to: value) {
              builder.set(value, column: position, of: key, basis: basis)
            }
          }
        }
      }
    }
    return builder.freeze()
  }

  /// The numbers of all objects of an entity that any of some tables speaks of.
  private static func keys(_ entity: UInt16, _ tables: [any RowTable]) throws -> [UInt64] {
    var keys: Set<UInt64> = []
    for table in tables {
      for entry in try table.entries(ofEntity: entity) { keys.insert(entry.key) }
    }
    return keys.sorted()
  }
}
