// SAFETY: Spans cover memory that is valid during the call, and are not kept.

import Foundation
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles

/// Reads rows of one entity's table into blocks.
///
/// Each cell is checked by the kind of its value, and not by the declared type of its column.
struct RowReader: ~Copyable {
  private var rows: RowBlocks
  private let map: TableMap
  private let values: ExternalFiles
  /// The keys of the rows to read, ascending; `nil` for all rows.
  private var wanted: ArraySlice<UInt64>?
  /// Whether another program made the table, so that values are in that program's forms.
  private let isPlain: Bool

  /// - Parameter basis: The version that the rows are based on; 0 for rows without a base.
  init(
    _ entity: TableMap.EntityMap, _ map: TableMap, _ values: ExternalFiles, path: String,
    basis: Int64, isPlain: Bool = false
  ) {
    self.isPlain = isPlain
    self.values = values
    self.map = map
    rows = RowBlocks(entity, path: path, basis: basis) {
      $0.destination?.isOnlyEntity == false
    }
  }

  /// The expressions that are read of each row.
  private var selection: [String] {
    var cells = ["t.\"Z_PK\"", "t.\"Z_OPT\""]
    for column in rows.entity.columns {
      let cell = "t.\(quoted(column.name))"
      cells.append(cell)
      guard let destination = column.destination, !destination.isOnlyEntity else { continue }
      cells.append(
        RowReader.entity(
          of: cell, known: column.entityColumn.map { "t.\(quoted($0))" }, in: destination))
    }
    return cells
  }

  /// Returns the expression for the entity number of a key's target: the number written beside the key, or else that
  /// of the target's row.
  static func entity(
    of key: String, known: String?, in destination: TableMap.Destination
  ) -> String {
    let own =
      "(SELECT d.\"Z_ENT\" FROM \(quoted(destination.table)) d WHERE d.\"Z_PK\" = \(key))"
    return known.map { "COALESCE(\($0), \(own))" } ?? own
  }

  /// Reads rows of the entity, in the order of their keys.
  mutating func blocks(
    _ keys: RowSelection, from connection: SQLiteConnection
  ) throws -> [Block] {
    switch keys {
    case .all: try read(nil, from: connection)
    case .range(let keys): try read(keys, from: connection)
    case .keys(let keys):
      try keys.forEachStretch { keys in
        wanted = keys
        try read(keys[keys.startIndex]..<keys[keys.endIndex - 1] + 1, from: connection)
      }
    }
    return rows.frozen()
  }

  private mutating func read(_ keys: Range<UInt64>?, from connection: SQLiteConnection) throws {
    let entity = rows.entity
    var conditions = entity.sharesTable ? ["t.\"Z_ENT\" = \(entity.number)"] : []
    if keys != nil { conditions.append("t.\"Z_PK\" >= ? AND t.\"Z_PK\" < ?") }
    try connection.forEachRow(
      selection, from: "\(quoted(entity.table)) t",
      where: conditions.isEmpty ? nil : conditions.joined(separator: " AND "),
      keys.map { [.integer(Int64($0.lowerBound)), .integer(Int64($0.upperBound))] } ?? []
    ) { cells in
      // Unmanaged, to avoid reference counting for each row.
      let draft = unsafe Unmanaged.passUnretained(rows.draft)
      try unsafe draft._withUnsafeGuaranteedRef { draft in try take(cells, draft) }
      rows.freezeIfFull()
    }
  }

  /// Returns whether a row is to be read. Must be called with ascending keys.
  private mutating func isWanted(_ key: UInt64) -> Bool {
    wanted = wanted?.drop { $0 < key }
    return wanted?.first == key
  }

  private mutating func take(_ cells: Span<SQLiteCell>, _ draft: Draft) throws {
    let key = try rows.check(
      key: cells[0].kind == .integer ? cells[0].integer : nil, "Z_PK", cells[0].value.words)
    if wanted != nil, !isWanted(UInt64(key)) { return }
    let row = draft.append(key: UInt64(key))
    let version = cells[1].kind == .integer ? cells[1].integer : 0
    draft.setInteger(max(version, 0), column: rows.versionColumn, row: row)
    for index in rows.steps.indices {
      do throws(RowBlocks.OddCell) {
        try take(cells, rows.steps[index], draft, row)
      } catch {
        let step = rows.steps[index]
        throw rows.error(for: error, step, key, cells[step.cell].value.words)
      }
    }
  }

  private mutating func take(
    _ cells: Span<SQLiteCell>, _ step: RowBlocks.Step, _ draft: Draft, _ row: Int
  ) throws(RowBlocks.OddCell) {
    let cell = cells[step.cell]
    let column = step.column
    if cell.kind == .null { return draft.setNull(column: column, row: row) }
    if isPlain, let value = PlainCell.value(cell, of: step.kind) {
      if case .string(let text) = value {
        try checkRoom(for: text.utf8.count, draft, column, row)
      } else if case .binary(let bytes) = value {
        try checkRoom(for: bytes.count, draft, column, row)
      }
      return draft.set(value, column: column, row: row)
    }
    switch step.kind.content {
    case .boolean, .integer:
      guard let number = RowReader.integer(cell), step.kind.integerRange.contains(number) else {
        throw .kind
      }
      draft.setInteger(number, column: column, row: row)
    case .float, .double, .date:
      guard let number = RowReader.real(cell) else { throw .kind }
      draft.setDouble(number, column: column, row: row)
    case .string, .uri:
      guard cell.kind == .text else { throw .kind }
      try checkRoom(for: cell.byteCount, draft, column, row)
      let isText = cell.withBytes { bytes in
        guard bytes.isUTF8 else { return false }
        draft.setText(bytes, column: column, row: row)
        return true
      }
      guard isText else { throw .words("contains a text that is not UTF-8") }
    case .binary: try takeBytes(cell, step, draft, row)
    case .uuid:
      guard cell.kind == .blob, let uuid = UUID(bytes: cell.bytes) else { throw .kind }
      draft.set(.uuid(uuid), column: column, row: row)
    case .decimal:
      guard let parts = RowReader.decimal(cell) else { throw .kind }
      draft.setDecimal(parts, column: column, row: row)
    case .object:
      guard cell.kind == .integer else { throw .kind }
      // Some rows contain 0 for a reference to no object.
      if cell.integer == 0 { return draft.setNull(column: column, row: row) }
      draft.setReference(try reference(cell.integer, cells, step), column: column, row: row)
    }
  }

  private func reference(
    _ number: Int64, _ cells: Span<SQLiteCell>, _ step: RowBlocks.Step
  ) throws(RowBlocks.OddCell) -> ObjectKey {
    guard number >= 1, number <= Int64(ObjectKey.highestNumber) else { throw .key(number) }
    var entity = step.destination
    if step.entityCell >= 0, cells[step.entityCell].kind == .integer {
      let written = cells[step.entityCell].integer
      guard let known = map.layoutNumbers[written] else { throw .entity(written) }
      entity = known
    }
    return ObjectKey(entity: entity, number: UInt64(number))
  }

  private mutating func takeBytes(
    _ cell: SQLiteCell, _ step: RowBlocks.Step, _ draft: Draft, _ row: Int
  ) throws(RowBlocks.OddCell) {
    guard cell.kind == .blob || cell.kind == .text else { throw .kind }
    guard step.isExternal else {
      try checkRoom(for: cell.byteCount, draft, step.column, row)
      return cell.withBytes { draft.setBytes($0, column: step.column, row: row) }
    }
    let value: [UInt8]
    do { value = try values.value(of: cell.bytes) } catch { throw .other(error) }
    try checkRoom(for: value.count, draft, step.column, row)
    unsafe draft.setBytes(value.span.bytes, column: step.column, row: row)
  }

  private mutating func checkRoom(
    for byteCount: Int, _ draft: Draft, _ column: Int, _ row: Int
  ) throws(RowBlocks.OddCell) {
    rows.byteCount += byteCount
    try RowBlocks.checkRoom(for: byteCount, draft, column: column, row: row)
  }

  // MARK: - Cells

  /// Returns a whole number; `nil` for any other cell.
  static func integer(_ cell: SQLiteCell) -> Int64? {
    switch cell.kind {
    case .integer: cell.integer
    case .real: Int64(exactly: cell.real)
    default: nil
    }
  }

  /// Returns a number, from its bits if SQLite does not keep it as a number (spec §10.4.3).
  static func real(_ cell: SQLiteCell) -> Double? {
    switch cell.kind {
    case .integer, .real: return cell.real
    case .blob:
      guard cell.byteCount == 8 else { return nil }
      return Double(bitPattern: cell.bytes.reduce(0) { $0 << 8 | UInt64($1) })
    default: return nil
    }
  }

  /// Returns a decimal number, with an inner `nil` for "not a number"; `nil` for any other cell.
  static func decimal(_ cell: SQLiteCell) -> DecimalParts?? {
    switch cell.kind {
    case .integer: return .some(DecimalParts(Decimal(cell.integer)))
    case .real:
      // The shortest text of the number gives the intended digits, such as 10.11.
      guard cell.real.isFinite else { return nil }
      return Decimal(string: "\(cell.real)").map { DecimalParts($0) }
    case .blob, .text:
      let bytes = cell.bytes
      if bytes.elementsEqual("NaN".utf8) { return .some(nil) }
      return DecimalParts(text: bytes.span).map { .some($0) }
    case .null: return nil
    }
  }
}

extension SQLiteValue {
  /// A description of the value, for messages.
  var words: String {
    switch self {
    case .null: "nothing"
    case .integer(let number): "the number \(number)"
    case .real(let number): "the number \(number)"
    case .text(let text): "the text '\(text.prefix(40))'"
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }
}
