public import ObjectModel

/// A stack of layers over a store's snapshot: the objects as one reader sees them.
///
///     let view = View(snapshot.tables + [parentLayer]).pushing(ownLayer)
///     let name = try view.value(of: key, column: layout.columns[name])
///
/// Contexts read through a view of the store, the parents' changes and their own; comparison and merging make one for each
/// side. Code that only reads what is saved takes the snapshot's own view.
///
/// A read goes down the stack until it finds the value, so a view over many layers is slower than one over few; a store merges
/// its layers for that reason. A view is a value, and nothing below its top ever
/// changes, so a read never waits.
public struct View: Sendable {
  /// The tables of the view, the bottom first.
  public let tables: [any RowTable]

  /// Creates a view through the given tables, the bottom first.
  public init(_ tables: [any RowTable] = []) { self.tables = tables }

  /// Returns this view with another table on top.
  public func pushing(_ table: any RowTable) -> View { View(tables + [table]) }

  /// Returns the object with the given key; `nil` when the object does not exist or was removed.
  public func row(of key: ObjectKey) throws -> ViewRow? {
    var locations: [RowLocation] = []
    for table in tables.reversed() {
      switch try table.entry(of: key) {
      case .absent: continue
      case .removed: return nil
      case .changed(let location): locations.append(location)
      case .put(let location):
        locations.append(location)
        return ViewRow(locations: locations)
      }
    }
    return nil
  }

  /// Returns whether there is an object with the given key.
  public func contains(_ key: ObjectKey) throws -> Bool { try row(of: key) != nil }

  /// Returns one value of an object; `nil` when the object does not exist.
  public func value(of key: ObjectKey, column: LayoutColumn) throws -> Value? {
    try row(of: key)?.value(column)
  }

  /// Returns the reference of each of many rows in one column; `nil` for a row that does not exist or refers to no
  /// object.
  ///
  /// Rows of a relationship lie near one another. So the block of the last row is asked first, and the layers above it
  /// only if they have rows near the wanted one.
  package func references(
    in column: LayoutColumn, ofRows numbers: [UInt64], ofEntity entity: UInt16
  ) throws -> [ObjectKey?] {
    var near: (block: Block, values: Column, above: [ClosedRange<UInt64>])?
    return try numbers.map { number in
      if let near, let row = try near.block.row(of: number),
        !near.above.contains(where: { $0.contains(number) })
      {
        return near.values.reference(at: row)
      }
      let key = ObjectKey(entity: entity, number: number)
      guard let row = try row(of: key) else { return nil }
      if row.locations.count == 1, let block = row.locations.first?.block, near?.block !== block,
        let values = try block.column(column)
      {
        let table = try tables.lastIndex {
          if case .put = try $0.entry(of: key) { true } else { false }
        }
        let above = try tables.dropFirst((table ?? -1) + 1).flatMap { table in
          let ranges = try table.keyRanges(ofEntity: entity)
          return [ranges.put, ranges.changed, ranges.removed].compactMap { $0 }
        }
        near = (block, values, above)
      }
      guard case .object(let other) = try row.value(column) else { return nil }
      return other
    }
  }

  /// Returns the keys of all objects of an entity, ascending.
  ///
  /// Changed rows are skipped, because a change neither adds nor removes an object.
  ///
  /// - Throws: The error of a damaged block, and ``BlockError`` if a key is in two runs of a table (spec §3.5.1).
  public func keys(ofEntity number: UInt16) throws -> [UInt64] {
    var keys: [UInt64] = []
    for table in tables {
      guard let changes = try table.changes(ofEntity: number) else { continue }
      for run in [changes.put, changes.removed] { try changes.changed.requireNoKey(of: run) }
      let put = try changes.put.allKeys()
      let removed = try changes.removed.allKeys()
      if keys.isEmpty, removed.isEmpty {
        keys = put
      } else if !put.isEmpty || !removed.isEmpty {
        keys = try View.merge(keys, put: put, removed: removed)
      }
    }
    return keys
  }

  /// Returns the keys after a table's rows are put and removed. All lists ascend.
  private static func merge(
    _ keys: [UInt64], put: [UInt64], removed: [UInt64]
  ) throws -> [UInt64] {
    var merged: [UInt64] = []
    merged.reserveCapacity(keys.count + put.count)
    var (index, gone) = (0, 0)
    func isRemoved(_ key: UInt64) -> Bool {
      while gone < removed.count, removed[gone] < key { gone += 1 }
      return gone < removed.count && removed[gone] == key
    }
    for key in put {
      while index < keys.count, keys[index] < key {
        if !isRemoved(keys[index]) { merged.append(keys[index]) }
        index += 1
      }
      if index < keys.count, keys[index] == key { index += 1 }
      guard !isRemoved(key) else { throw BlockError.badKeys() }
      merged.append(key)
    }
    for key in keys[index...] where !isRemoved(key) { merged.append(key) }
    return merged
  }
}

extension BlockRun {
  /// Throws if a row of this run has the key of a row in another run of the same table (spec §3.5.1).
  ///
  /// Reads only blocks whose ranges of keys overlap.
  fileprivate func requireNoKey(of other: BlockRun) throws {
    if other.rowCount == 0 { return }
    for block in blocks {
      for rival in other.blocks(reaching: block) {
        let keys = try rival.keys
        for row in try rival.rows(withKeys: block.minimumKey...block.maximumKey)
        where try block.row(of: UInt64(bitPattern: keys.integer(at: row))) != nil {
          throw BlockError.badKeys()
        }
      }
    }
  }

  /// Returns the keys of all rows, ascending.
  fileprivate func allKeys() throws -> [UInt64] {
    var all: [UInt64] = []
    all.reserveCapacity(rowCount)
    for block in blocks {
      if block.isConsecutive {
        all.append(contentsOf: block.minimumKey...block.maximumKey)
      } else {
        let keys = try block.keys
        for row in 0..<block.rowCount { all.append(UInt64(bitPattern: keys.integer(at: row))) }
      }
    }
    return all
  }
}

/// One object of a view: its row, and the changes above it.
public struct ViewRow: Sendable {
  /// The changed rows from the top down, then the whole row.
  public let locations: [RowLocation]

  /// Creates an object from the given rows.
  public init(locations: [RowLocation]) { self.locations = locations }

  /// Returns the value of the given column.
  public func value(_ column: LayoutColumn) throws -> Value {
    for location in locations {
      if let value = try location.block.value(column, row: location.row) { return value }
    }
    return column.defaultValue
  }

  /// The version of the newest row.
  public var version: Int64 { get throws { try locations.first?.version ?? 0 } }
}
