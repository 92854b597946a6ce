import ObjectModel
import Rows

/// The objects of one entity, and where the values of each are: in one row, or in several of which each
/// gives some.
struct EntityObjects {
  /// The objects' numbers, ascending.
  private(set) var keys: [UInt64] = []
  /// For each object where its rows begin among `rows`, from the top down; one more for the end.
  private(set) var starts: [Int32] = [0]
  private(set) var rows: [Row] = []

  /// A row: its block among those of the entity, and its position.
  struct Row {
    var block: Int32
    var row: Int32
  }

  /// Whether there is an object of the given number.
  func contains(_ key: UInt64) -> Bool { index(of: key) != nil }

  /// The position of the object of the given number.
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

  /// Adds an object behind all others.
  fileprivate mutating func append(_ key: UInt64, _ found: [Row]) {
    keys.append(key)
    rows.append(contentsOf: found.reversed())
    starts.append(Int32(rows.count))
  }
}

extension EntityObjects {
  /// What one row of a table says of an object.
  private struct Entry {
    var key: UInt64
    var table: Int32
    var run: Int8
    var place: Row
    var version: Int64
    var basis: Int64
  }

  /// Gathers the objects of an entity, and checks that what lies above something fits it (spec §3.5).
  ///
  /// - Parameter tables: What each table says of the entity, the lowest first.
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

  /// Adds the object that the given entries make up, if there is one.
  private mutating func add(
    _ entries: ArraySlice<Entry>, at place: Place, _ findings: Findings
  ) {
    var found: [Row] = []
    var version: Int64 = 0
    var place = place
    place.object = entries.first!.key
    for (index, entry) in zip(entries.indices, entries) {
      if index > entries.startIndex, entries[index - 1].table == entry.table {
        findings.add(.twoRuns, place, "It is put, changed or removed twice in one segment.")
        continue
      }
      if found.isEmpty, entry.run != 0 {
        findings.add(
          .baselessChange, place,
          "Commit \(entry.version) \(entry.run == 1 ? "changed" : "removed") it, and it is not there."
        )
        continue
      }
      // What no commit had written has no version to be based on (spec §3.5.2).
      if entry.basis != version, entry.basis != LayoutColumn.unsavedBasis {
        findings.add(
          .otherBasis, place,
          "Commit \(entry.version) based its change on version \(entry.basis), and beneath it lies "
            + "\(version).")
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

  /// The given column in the given blocks, which are those that the objects were gathered from.
  ///
  /// - Parameter isPresence: Whether it is only asked which objects have a value, so that values outside
  ///   of the blocks are not read.
  init(
    _ layout: LayoutColumn, of objects: EntityObjects, in blocks: [Block], isPresence: Bool = false
  ) throws {
    self.layout = layout
    self.objects = objects
    columns = try blocks.map {
      isPresence ? try $0.presence(of: layout) : try $0.column(layout.number, as: layout.kind)
    }
  }

  /// Where the value of an object is; `nil` when it has the default.
  private func place(of object: Int) -> (column: Column, row: Int)? {
    for index in Int(objects.starts[object])..<Int(objects.starts[object + 1]) {
      let row = objects.rows[index]
      if let column = columns[Int(row.block)], column.isGiven(Int(row.row)) {
        return (column, Int(row.row))
      }
    }
    return nil
  }

  /// Whether an object has no value.
  func isNull(_ object: Int) -> Bool {
    place(of: object).map { $0.column.isNull($0.row) } ?? layout.defaultValue.isNull
  }

  /// The value of an object.
  func value(_ object: Int) -> Value {
    place(of: object).map { $0.column.value(at: $0.row) } ?? layout.defaultValue
  }

  /// The key of the object that an object refers to.
  func reference(_ object: Int) -> ObjectKey? {
    place(of: object).flatMap { $0.column.reference(at: $0.row) }
  }

  /// The whole number of an object; `nil` when it has none.
  func integer(_ object: Int) -> Int64? {
    guard let place = place(of: object), !place.column.isNull(place.row) else { return nil }
    return place.column.integer(at: place.row)
  }
}
