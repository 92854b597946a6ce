import ObjectModel
import Rows
import StoreInterface

/// The objects of one entity, with the rows that contain the values of each object. A changed object has several
/// rows, each with some of the values.
struct EntityObjects {
  private(set) var keys: [UInt64] = []
  /// The start of each object's rows in `rows`, and the end of the last. The rows of an object are ordered from the
  /// top down.
  private(set) var starts: [Int32] = [0]
  private(set) var rows: [Row] = []

  /// A row: the index of its block among the entity's blocks, and its position in the block.
  struct Row {
    var block: Int32
    var row: Int32
  }

  /// Whether there is an object with the given number.
  func contains(_ key: UInt64) -> Bool { index(of: key) != nil }

  /// Returns the position of the object with the given number.
  func index(of key: UInt64) -> Int? {
    guard let first = keys.first, let last = keys.last, key >= first, key <= last else {
      return nil
    }
    if last - first == UInt64(keys.count - 1) { return Int(key - first) }
    var low = 0
    var high = keys.count
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return keys[low] == key ? low : nil
  }

  /// Appends an object. Its number must be the highest.
  fileprivate mutating func append(_ key: UInt64, _ found: [Row]) {
    keys.append(key)
    rows.append(contentsOf: found.reversed())
    starts.append(Int32(rows.count))
  }
}

extension EntityObjects {
  /// One row of a table, which puts, changes or removes an object.
  private struct Entry {
    var key: UInt64
    var table: Int32
    var run: Int8
    var place: Row
    var version: Int64
    var basis: Int64
  }

  /// Gathers the objects of an entity, and checks that each change fits the rows below it (spec §3.5).
  ///
  /// - Parameter tables: The changes of the entity in each table, the lowest table first.
  init(_ tables: [Layer.EntityChanges], at place: Place, _ findings: Findings) throws {
    var entries: [Entry] = []
    var blockCount: Int32 = 0
    for (table, changes) in tables.enumerated() {
      for (run, blocks) in [changes.put, changes.changed, changes.removed].enumerated() {
        for block in blocks.blocks {
          let keys = try block.keys
          let versions = try block.column(LayoutColumn.Number.version)
          let bases = try block.column(LayoutColumn.Number.basis)
          for row in 0..<block.rowCount {
            entries.append(
              Entry(
                key: UInt64(bitPattern: keys.integer(at: row)), table: Int32(table),
                run: Int8(run), place: Row(block: blockCount, row: Int32(row)),
                version: versions?.integer(at: row) ?? block.version,
                basis: bases?.integer(at: row) ?? 0))
          }
          blockCount += 1
        }
      }
    }
    entries.sort { ($0.key, $0.table) < ($1.key, $1.table) }
    var index = 0
    while index < entries.count {
      let end = entries[index...].prefix { $0.key == entries[index].key }.endIndex
      add(entries[index..<end], at: place, findings)
      index = end
    }
  }

  /// Adds the object that the given entries form, unless it was removed.
  private mutating func add(
    _ entries: ArraySlice<Entry>, at place: Place, _ findings: Findings
  ) {
    var found: [Row] = []
    var version: Int64 = 0
    var place = place
    place.object = entries.first!.key
    for (index, entry) in zip(entries.indices, entries) {
      if index > entries.startIndex, entries[index - 1].table == entry.table {
        findings.add(.twoRuns, place, "One segment inserts, changes or removes the row twice.")
        continue
      }
      if found.isEmpty, entry.run != 0 {
        findings.add(
          .baselessChange, place,
          "Commit \(entry.version) \(entry.run == 1 ? "changed" : "removed") the row, but the row does not exist."
        )
        continue
      }
      // A change of a row that was never committed is based on no version (spec §3.5.2).
      if entry.basis != version, entry.basis != LayoutColumn.unsavedBasis {
        findings.add(
          .otherBasis, place,
          "Commit \(entry.version) based its change on version \(entry.basis), but the row beneath "
            + "has version \(version).")
      }
      switch entry.run {
      case 0: found = [entry.place]
      case 1: found.append(entry.place)
      default: found = []
      }
      version = found.isEmpty ? 0 : entry.version
    }
    if !found.isEmpty { append(entries.first!.key, found) }
  }
}

/// The values of one column of an entity's objects.
struct ObjectColumn {
  let objects: EntityObjects
  private let columns: [Column?]
  let layout: LayoutColumn

  /// Reads a column from the blocks that the objects were gathered from.
  ///
  /// - Parameter isPresence: Whether the caller only needs to know which objects have a value. Then values outside of
  ///   blocks are not read.
  init(
    _ layout: LayoutColumn, of objects: EntityObjects, in blocks: [Block], isPresence: Bool = false
  ) throws {
    self.layout = layout
    self.objects = objects
    columns = try blocks.map {
      isPresence ? try $0.presence(of: layout) : try $0.column(layout.number, as: layout.kind)
    }
  }

  /// Returns the column and row of an object's value; `nil` if the object has the default value.
  private func place(of object: Int) -> (column: Column, row: Int)? {
    for index in Int(objects.starts[object])..<Int(objects.starts[object + 1]) {
      let row = objects.rows[index]
      if let column = columns[Int(row.block)], column.isGiven(Int(row.row)) {
        return (column, Int(row.row))
      }
    }
    return nil
  }

  /// Whether an object's value is missing.
  func isNull(_ object: Int) -> Bool {
    place(of: object).map { $0.column.isNull($0.row) } ?? layout.defaultValue.isNull
  }

  func value(_ object: Int) -> Value {
    place(of: object).map { $0.column.value(at: $0.row) } ?? layout.defaultValue
  }

  /// Returns the key of the object that an object refers to; `nil` if the reference is empty.
  func reference(_ object: Int) -> ObjectKey? {
    place(of: object).flatMap { $0.column.reference(at: $0.row) }
  }

  /// Returns the integer of an object; `nil` if the object has no value.
  func integer(_ object: Int) -> Int64? {
    guard let place = place(of: object), !place.column.isNull(place.row) else { return nil }
    return place.column.integer(at: place.row)
  }
}
