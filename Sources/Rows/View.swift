public import ObjectModel

/// A stack of layers over a store's snapshot: the objects as somebody sees them.
///
///     let view = View([snapshot, parentLayer]).pushing(ownLayer)
///     let name = try view.value(of: key, column: layout.columns[name])
///
/// Reading walks down the stack until the value is found. A view is a value; nothing beneath its top
/// ever changes, so reading waits for nobody.
public struct View: Sendable {
  /// What is looked through, the bottom first.
  public let tables: [any RowTable]

  /// A view through the given tables, the bottom first.
  public init(_ tables: [any RowTable] = []) { self.tables = tables }

  /// This view with another table on top.
  public func pushing(_ table: any RowTable) -> View { View(tables + [table]) }

  /// The object with the given key; `nil` when there is none or it was taken out.
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

  /// Whether there is an object with the given key.
  public func contains(_ key: ObjectKey) throws -> Bool { try row(of: key) != nil }

  /// One value of an object; `nil` when there is no such object.
  public func value(of key: ObjectKey, column: LayoutColumn) throws -> Value? {
    try row(of: key)?.value(column)
  }

  /// The keys of all objects of an entity, ascending.
  public func keys(ofEntity number: UInt16) throws -> [UInt64] {
    var keys: [UInt64] = []
    for table in tables {
      keys = View.merge(keys, try table.entries(ofEntity: number))
    }
    return keys
  }

  /// The keys after a table's entries: both in ascending order.
  private static func merge(_ keys: [UInt64], _ entries: [KeyedEntry]) -> [UInt64] {
    guard !entries.isEmpty else { return keys }
    var merged: [UInt64] = []
    merged.reserveCapacity(keys.count + entries.count)
    var index = 0
    for one in entries {
      while index < keys.count, keys[index] < one.key {
        merged.append(keys[index])
        index += 1
      }
      let isThere = index < keys.count && keys[index] == one.key
      if isThere { index += 1 }
      switch one.entry {
      case .put: merged.append(one.key)
      case .changed: if isThere { merged.append(one.key) }
      case .removed, .absent: break
      }
    }
    merged.append(contentsOf: keys[index...])
    return merged
  }
}

/// One object of a view: its row, and the changes above it.
public struct ViewRow: Sendable {
  /// The changes from the top down, and the whole row last.
  public let locations: [RowLocation]

  /// The object that the given rows make up.
  public init(locations: [RowLocation]) { self.locations = locations }

  /// The value of the given column.
  public func value(_ column: LayoutColumn) throws -> Value {
    for location in locations {
      if let value = try location.block.value(column, row: location.row) { return value }
    }
    return column.defaultValue
  }

  /// The version of the newest row.
  public var version: Int64 { get throws { try locations.first?.version ?? 0 } }
}
