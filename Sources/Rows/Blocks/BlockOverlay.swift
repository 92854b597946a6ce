// SAFETY: The base and the changes stay alive and unchanged while a column is made from them, and rows stay below
// the counts of their blocks.

import ObjectModel

/// Changed rows above the whole rows of one block.
///
/// A block with an overlay has the rows of its base with the changes applied. If no change sets a column, the overlay
/// uses the base's column itself. So a reader pays only for the changes of the columns that it reads, and counting rows
/// reads no column.
final class BlockOverlay: Sendable {
  /// The block of whole rows.
  let base: Block
  /// The blocks of changed rows, the topmost first. They may contain rows that the base does not have.
  let changes: [Block]
  /// The source of the values outside of the blocks; `nil` if there are several sources.
  let outsideValues: (any OutsideValues)?
  /// The columns that the changes set, by number.
  private let columns: [UInt16: LayoutColumn]

  /// Creates an overlay of the changes of a layout's columns.
  convenience init(_ base: Block, _ changes: [Block], _ layout: Layout) {
    let given = Set(changes.flatMap(\.columnNumbers))
    self.init(
      base, changes,
      columns: Dictionary(
        uniqueKeysWithValues: layout.columns.filter { given.contains($0.number) }
          .map { ($0.number, $0) }))
  }

  private init(_ base: Block, _ changes: [Block], columns: [UInt16: LayoutColumn]) {
    self.base = base
    self.changes = changes
    self.columns = columns
    outsideValues = OutsideGathering([base] + changes, nil, entity: base.entityNumber).kept
  }

  /// Returns the same overlay over blocks without columns in memory.
  func withoutLoadedColumns() -> BlockOverlay {
    BlockOverlay(
      base.withoutLoadedColumns(), changes.map { $0.withoutLoadedColumns() }, columns: columns)
  }

  /// Returns the column entries of the overlay: the entries of the base, of the changed columns, and of the row
  /// versions.
  func entries() -> [ColumnEntry] {
    var entries = base.entries.filter { columns[$0.number] == nil }
    for column in columns.values {
      var entry = ColumnEntry(number: column.number, kind: column.kind)
      let isOutside = ([base] + changes).contains { $0.hasOutsideValues(in: column.number) }
      if isOutside, outsideValues != nil { entry.flags = .outside }
      entries.append(entry)
    }
    if base.position(of: LayoutColumn.Number.version) == nil {
      entries.append(ColumnEntry(number: LayoutColumn.Number.version, kind: .int64))
    }
    return entries.sorted { $0.number < $1.number }
  }

  /// Returns the column with the given number, with the changes applied.
  ///
  /// - Throws: The error of a damaged block.
  func column(_ number: UInt16) throws -> Column {
    if number == LayoutColumn.Number.version { return try versions() }
    guard let column = columns[number] else {
      // The directory names only columns that the base or a change has.
      return try base.storedColumn(at: base.position(of: number)!)
    }
    let sources = [base] + changes
    let outside = OutsideGathering(sources, nil, entity: base.entityNumber)
    let raws = try unsafe sources.map { try unsafe OverlaidColumn(column, of: $0) }
    var places = RowPlaces(rowCount: base.rowCount)
    for index in changes.indices.reversed() {
      guard unsafe raws[index + 1].raw != nil else { continue }
      try places.add(changes[index], source: index + 1, above: base) { row in
        unsafe raws[index + 1].raw!.isGiven(row)
      }
    }
    var values = ColumnValues(capacity: base.rowCount)
    values.begin(column.kind)
    try places.forEachRun { source, rows in
      guard let raw = unsafe raws[source].raw else {
        for _ in rows { values.append(column.defaultValue) }
        return
      }
      guard unsafe outside.mayConcern(column, raw) else {
        return unsafe values.append(from: raw, rows: rows)
      }
      for row in rows {
        try unsafe outside.append(column, raw, row, of: sources[source], to: &values)
      }
    }
    return Column.encoded(values)
  }

  /// Returns the version of each row: the version of its topmost change, or its own version.
  private func versions() throws -> Column {
    let sources = [base] + changes
    let raws = try unsafe sources.map {
      try unsafe $0.rawColumn(LayoutColumn.Number.version)
    }
    var places = RowPlaces(rowCount: base.rowCount)
    for index in changes.indices.reversed() {
      try places.add(changes[index], source: index + 1, above: base) { _ in true }
    }
    var values = ColumnValues(capacity: base.rowCount)
    values.begin(.int64)
    places.forEachRun { source, rows in
      if let raw = unsafe raws[source] {
        unsafe values.append(from: raw, rows: rows)
      } else {
        for _ in rows { values.append(word: sources[source].version) }
      }
    }
    return Column.encoded(values)
  }
}

/// A column of one source of an overlay. Without a raw column, whole rows have the default value and changed rows
/// give none.
@unsafe private struct OverlaidColumn {
  let raw: RawColumn?

  init(_ column: LayoutColumn, of block: Block) throws {
    let found = try unsafe block.rawColumn(column.number)
    if let found = unsafe found {
      guard unsafe found.kind == column.kind || found.kind.widens(to: column.kind) else {
        throw BlockError.badValue(
          column.number,
          "The column contains values of kind \(unsafe found.kind), which can't be read as \(column.kind)."
        )
      }
    }
    unsafe raw = found
  }
}

/// The source and the row from which each row of a base block takes its value.
private struct RowPlaces {
  private var sources: [Int32]
  private var rows: [Int32]

  init(rowCount: Int) {
    sources = Array(repeating: 0, count: rowCount)
    rows = (0..<Int32(rowCount)).map { $0 }
  }

  /// Takes values from the accepted rows of a change. Keys that the base lacks are skipped.
  mutating func add(
    _ change: Block, source: Int, above base: Block, where isGiven: (Int) -> Bool
  ) throws {
    let range = try change.rows(withKeys: base.minimumKey...base.maximumKey)
    guard !range.isEmpty else { return }
    let keys = try change.keys
    for row in range where isGiven(row) {
      guard let place = try base.row(of: UInt64(bitPattern: keys.integer(at: row))) else {
        continue
      }
      sources[place] = Int32(source)
      rows[place] = Int32(row)
    }
  }

  /// Calls `body` with runs of consecutive rows of one source, in the order of the base's rows.
  func forEachRun(_ body: (_ source: Int, _ rows: Range<Int>) throws -> Void) rethrows {
    var start = 0
    while start < sources.count {
      var end = start + 1
      while end < sources.count, sources[end] == sources[start],
        rows[end] == rows[start] + Int32(end - start)
      {
        end += 1
      }
      let first = Int(rows[start])
      try body(Int(sources[start]), first..<first + end - start)
      start = end
    }
  }
}

extension Block {
  /// Returns the rows with keys in the given range.
  ///
  /// - Throws: The error of a damaged block.
  func rows(withKeys range: ClosedRange<UInt64>) throws -> Range<Int> {
    let lower = max(range.lowerBound, minimumKey)
    let upper = min(range.upperBound, maximumKey)
    guard lower <= upper else { return 0..<0 }
    if isConsecutive { return Int(lower - minimumKey)..<Int(upper - minimumKey) + 1 }
    if lower == minimumKey, upper == maximumKey { return 0..<rowCount }
    let keys = try self.keys
    func firstRow(above bound: UInt64) -> Int {
      var (low, high) = (0, rowCount)
      while low < high {
        let middle = (low + high) >> 1
        if UInt64(bitPattern: keys.integer(at: middle)) > bound {
          high = middle
        } else {
          low = middle + 1
        }
      }
      return low
    }
    return (lower == 0 ? 0 : firstRow(above: lower - 1))..<firstRow(above: upper)
  }
}
