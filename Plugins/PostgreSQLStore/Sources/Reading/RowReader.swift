// SAFETY: Spans cover memory that is valid during the call, and are not kept.

import Foundation
import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
import SQLTranslation

/// Reads rows of one entity's table into blocks. The binary values of the server go straight into the columns.
///
/// Each cell is checked, because the server may be hostile, or the table may have been changed by hand.
struct RowReader: ~Copyable {
  private var rows: RowBlocks
  private let map: TableMap

  private static let mostValueBytes = (1 << 30) - 1

  /// - Parameter basis: The version that the rows are based on; 0 if they are based on none.
  init(_ entity: TableMap.EntityMap, _ map: TableMap, path: String, basis: Int64) {
    self.map = map
    rows = RowBlocks(entity, path: path, basis: basis) { $0.entityColumn != nil }
  }

  /// Returns the expressions that are read of each row.
  private static func selection(_ entity: TableMap.EntityMap) -> [String] {
    ["t.id", "t.version"]
      + entity.columns.flatMap { column in
        [column.name, column.entityColumn].compactMap { $0.map { "t.\(quoted($0))" } }
      }
  }

  /// Reads rows of the entity, in the order of their keys.
  mutating func blocks(
    _ keys: RowSelection, from connection: any RowSource
  ) throws -> [Block] {
    let entity = rows.entity
    let cells = RowReader.selection(entity)
    if case .keys(let keys) = keys {
      let (text, parameters) = RowReader.selection(of: keys, entity)
      try connection.forEachRow(text, parameters, columnCount: cells.count) { try takeRow($0) }
      return rows.frozen()
    }
    var conditions = entity.sharesTable ? ["t.entity = \(entity.number)"] : []
    if case .range(let keys) = keys {
      conditions.append("t.id >= \(keys.lowerBound) AND t.id < \(keys.upperBound)")
    }
    let condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    try connection.copyRows(
      of:
        "SELECT \(cells.joined(separator: ", ")) FROM \(quoted(entity.table)) t\(condition) ORDER BY t.id",
      columnCount: cells.count
    ) { cells in try takeRow(cells) }
    return rows.frozen()
  }

  /// Returns the statement that reads the rows with some keys.
  static func selection(
    of keys: [UInt64], _ entity: TableMap.EntityMap
  ) -> (text: String, parameters: [PostgreSQLParameter]) {
    let condition = entity.sharesTable ? " AND t.entity = \(entity.number)" : ""
    let text = """
      SELECT \(selection(entity).joined(separator: ", ")) FROM \(quoted(entity.table)) t WHERE t.id = ANY($1)\(condition) \
      ORDER BY t.id
      """
    return (text, [PostgreSQLParameter(keys.map { Int64(bitPattern: $0) })])
  }

  /// Reads the row of `quire_store`, and the rows of the entity in a range of keys, in one statement. So both show the same
  /// moment, although no transaction was begun.
  mutating func lookUp(
    _ keys: Range<UInt64>, from connection: any RowSource
  ) throws -> (head: LookUpHead, blocks: [Block]) {
    let entity = rows.entity
    let isOne = keys.count == 1
    let condition =
      (isOne ? "t.id = $1" : "t.id >= $1 AND t.id < $2")
      + (entity.sharesTable ? " AND t.entity = \(entity.number)" : "")
    let cells = RowReader.selection(entity)
    let parameters = [keys.lowerBound, keys.upperBound].map {
      PostgreSQLParameter(Int64(bitPattern: $0))
    }
    var head: LookUpHead?
    try connection.forEachRow(
      """
      SELECT h.format, h.newest, h.model_commit, h.metadata_commit, \(cells.joined(separator: ", ")) \
      FROM quire_store h LEFT JOIN \(quoted(entity.table)) t ON \(condition)\(isOne ? "" : " ORDER BY t.id")
      """, isOne ? [parameters[0]] : parameters, columnCount: 4 + cells.count
    ) { cells in
      head = try head ?? LookUpHead(cells)
      if !cells[4].isNull { try takeRow(cells.extracting(4...)) }
    }
    guard let head else { throw PostgreSQLError(message: "The table quire_store has no row.") }
    return (head, rows.frozen())
  }

  private mutating func takeRow(_ cells: Span<PostgreSQLCell>) throws {
    // Unmanaged, to avoid reference counting for each row.
    let draft = unsafe Unmanaged.passUnretained(rows.draft)
    try unsafe draft._withUnsafeGuaranteedRef { draft in try take(cells, draft) }
    for index in cells.indices { rows.byteCount += cells[index].byteCount }
    rows.freezeIfFull()
  }

  private mutating func take(_ cells: Span<PostgreSQLCell>, _ draft: Draft) throws {
    let key = try rows.check(key: cells[0].integer, "id", cells[0].words)
    let row = draft.append(key: UInt64(key))
    guard let version = cells[1].integer, version >= 0 else {
      throw rows.fault("version", key, "contains \(cells[1].words) instead of a commit")
    }
    draft.setInteger(version, column: rows.versionColumn, row: row)
    for index in rows.steps.indices {
      do throws(RowBlocks.OddCell) { try take(cells, rows.steps[index], draft, row) } catch {
        let step = rows.steps[index]
        throw rows.error(for: error, step, key, cells[step.cell].words)
      }
    }
  }

  private func take(
    _ cells: Span<PostgreSQLCell>, _ step: RowBlocks.Step, _ draft: Draft, _ row: Int
  ) throws(RowBlocks.OddCell) {
    let column = step.column
    if cells[step.cell].isNull { return draft.setNull(column: column, row: row) }
    guard cells[step.cell].byteCount <= RowReader.mostValueBytes else {
      throw .words("contains \(cells[step.cell].byteCount) bytes, which are too many")
    }
    if step.kind.family == .bytes {
      try RowBlocks.checkRoom(for: cells[step.cell].byteCount, draft, column: column, row: row)
    }
    switch step.kind.content {
    case .boolean, .integer:
      guard let number = cells[step.cell].integer, step.kind.integerRange.contains(number) else {
        throw .kind
      }
      draft.setInteger(number, column: column, row: row)
    case .float, .double, .date:
      guard let number = cells[step.cell].real else { throw .kind }
      draft.setDouble(number, column: column, row: row)
    case .string, .uri:
      let isText = cells[step.cell].withBytes { bytes in
        guard bytes.isUTF8 else { return false }
        if StoredText.isPlain(bytes) {
          draft.setText(bytes, column: column, row: row)
          return true
        }
        guard let text = StoredText.text(bytes) else { return false }
        unsafe draft.setText(text.span.bytes, column: column, row: row)
        return true
      }
      guard isText else { throw .words("contains a text that is not valid (spec §14.3.2)") }
    case .binary:
      cells[step.cell].withBytes { draft.setBytes($0, column: column, row: row) }
    case .uuid:
      guard cells[step.cell].byteCount == 16, let uuid = UUID(bytes: cells[step.cell].bytes) else {
        throw .kind
      }
      draft.set(.uuid(uuid), column: column, row: row)
    case .decimal:
      guard let number = cells[step.cell].numeric else { throw .kind }
      guard let parts = number.map({ DecimalParts($0) }) else {
        return draft.setDecimal(nil, column: column, row: row)
      }
      guard let parts else { throw .words("contains a number with too many digits") }
      draft.setDecimal(parts, column: column, row: row)
    case .object:
      guard let number = cells[step.cell].integer else { throw .kind }
      guard number >= 1, number <= Int64(ObjectKey.highestNumber) else { throw .key(number) }
      var entity = step.destination
      if step.entityCell >= 0 {
        guard let written = cells[step.entityCell].integer else {
          throw .words("refers to an object without an entity")
        }
        guard let known = map.layoutNumbers[written] else { throw .entity(written) }
        entity = known
      }
      draft.setReference(
        ObjectKey(entity: entity, number: UInt64(number)), column: column, row: row)
    }
  }
}

extension PostgreSQLCell {
  /// A description of the cell, for messages.
  var words: String {
    isNull ? "nothing" : integer.map { "the number \($0)" } ?? "\(byteCount) bytes"
  }
}

extension DecimalParts {
  /// Creates the parts of a number of the database; `nil` if the number has too many digits, or too great a power.
  init?(_ number: PostgreSQLNumeric) {
    let sign = number.isNegative ? "-" : ""
    self.init(text: "\(sign)\(number.magnitude)e\(number.exponent)".utf8.span)
  }
}

extension PostgreSQLNumeric {
  /// Creates the number of a decimal; `nil` for "not a number".
  init?(_ decimal: Decimal) {
    guard let parts = DecimalParts(decimal) else { return nil }
    self.init(
      isNegative: parts.isNegative, magnitude: parts.magnitude, exponent: Int(parts.exponent))
  }
}
