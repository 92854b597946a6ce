// SAFETY: Spans cover memory that is valid during the call, and are not kept.

import Foundation
import ObjectModel
import PostgreSQLConnection
import Rows
import SQLTranslation
import StoreInterface

/// Reads rows of one entity's table into blocks. The binary values of the server go straight into the columns.
///
/// Each cell is checked, because the server may be hostile, or the table may have been changed by hand.
struct RowReader: ~Copyable {
  private let entity: TableMap.EntityMap
  private let map: TableMap
  private let path: String
  /// The entity's columns, followed by the version.
  private let layout: Layout
  private let versionColumn: Int
  private let plan: [Step]
  private var draft: Draft
  private var writer = BlockWriter()
  private var found: [Block] = []
  /// The key of the previous row.
  private var lastKey: Int64 = 0
  /// The number of bytes in the rows of the draft.
  private var draftByteCount = 0

  /// The most bytes of a value.
  private static let mostValueBytes = (1 << 30) - 1

  /// The way to read one column of the layout. It contains only numbers, because it is copied for each cell.
  private struct Step {
    let kind: ColumnKind
    let column: Int
    let cell: Int
    /// The index of the cell with the entity of a relationship's target; -1 if the entity is known.
    let entityCell: Int
    /// The entity of the target, unless that cell contains another one.
    let destination: UInt16
  }

  /// - Parameter basis: The version that the rows are based on; 0 if they are based on none.
  init(_ entity: TableMap.EntityMap, _ map: TableMap, path: String, basis: Int64 = 0) {
    self.entity = entity
    self.map = map
    self.path = path
    layout = entity.layout.versioned(above: basis)
    versionColumn = layout.columns.count - 1
    draft = Draft(layout, role: .insertions)
    var cell = 2
    plan = entity.columns.enumerated().map { index, column in
      let step = Step(
        kind: entity.layout.columns[index].kind, column: index, cell: cell,
        entityCell: column.entityColumn == nil ? -1 : cell + 1,
        destination: column.destination?.entity ?? 0)
      cell += step.entityCell < 0 ? 1 : 2
      return step
    }
  }

  /// The expressions that are read of each row.
  private var selection: [String] {
    ["t.id", "t.version"]
      + entity.columns.flatMap { column in
        [column.name, column.entityColumn].compactMap { $0.map { "t.\(quoted($0))" } }
      }
  }

  /// Reads the rows of the entity, all or those in a range of keys, in the order of their keys.
  mutating func blocks(
    _ keys: Range<UInt64>?, from connection: any RowSource
  ) throws -> [Block] {
    var conditions = entity.sharesTable ? ["t.entity = \(entity.number)"] : []
    if let keys { conditions.append("t.id >= \(keys.lowerBound) AND t.id < \(keys.upperBound)") }
    let condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    let cells = selection
    try connection.copyRows(
      of:
        "SELECT \(cells.joined(separator: ", ")) FROM \(quoted(entity.table)) t\(condition) ORDER BY t.id",
      columnCount: cells.count
    ) { cells in try takeRow(cells) }
    freeze()
    return found
  }

  /// Reads the existing rows with the given keys, in the order of the keys.
  mutating func blocks(
    of keys: [UInt64], from connection: any RowSource
  ) throws -> [Block] {
    let condition = entity.sharesTable ? " AND t.entity = \(entity.number)" : ""
    try connection.forEachRow(
      """
      SELECT \(selection.joined(separator: ", ")) FROM \(quoted(entity.table)) t WHERE t.id = ANY($1)\(condition) \
      ORDER BY t.id
      """, [PostgreSQLParameter(keys.map { Int64(bitPattern: $0) })], columnCount: selection.count
    ) { cells in try takeRow(cells) }
    freeze()
    return found
  }

  private mutating func takeRow(_ cells: Span<PostgreSQLCell>) throws {
    // Unmanaged, to avoid reference counting for each row.
    let draft = unsafe Unmanaged.passUnretained(draft)
    let isFull = try unsafe draft._withUnsafeGuaranteedRef { draft in
      try take(cells, draft)
      return draft.isFull
    }
    for index in cells.indices { draftByteCount += cells[index].byteCount }
    guard isFull || draftByteCount > Draft.fullByteCount else { return }
    freeze()
    // Many more rows are likely to follow.
    self.draft = Draft(layout, role: .insertions, capacity: Draft.maximumRowCount)
  }

  /// Turns the draft into blocks, while its memory is still in the cache.
  private mutating func freeze() {
    found += Draft.freeze([draft], &writer)
    draft = Draft(layout, role: .insertions)
    draftByteCount = 0
  }

  private mutating func take(_ cells: Span<PostgreSQLCell>, _ draft: Draft) throws {
    guard let key = cells[0].integer, key >= 1, key <= Int64(ObjectKey.highestNumber) else {
      throw fault(
        "id", nil, "contains \(cells[0].words), but keys are from 1 to \(ObjectKey.highestNumber)")
    }
    guard key > lastKey else {
      throw fault("id", key, "contains a key that is out of order or occurs twice")
    }
    lastKey = key
    let row = draft.append(key: UInt64(key))
    guard let version = cells[1].integer, version >= 0 else {
      throw fault("version", key, "contains \(cells[1].words) instead of a commit")
    }
    draft.setInteger(version, column: versionColumn, row: row)
    for index in plan.indices {
      do throws(OddCell) { try take(cells, plan[index], draft, row) } catch {
        let name = entity.columns[plan[index].column].name
        switch error {
        case .kind:
          throw fault(
            name, key, "contains \(cells[plan[index].cell].words) instead of \(plan[index].kind)")
        case .words(let words): throw fault(name, key, words)
        }
      }
    }
  }

  /// The reason why a cell is rejected.
  private enum OddCell: Error {
    case kind
    case words(String)
  }

  private func take(
    _ cells: Span<PostgreSQLCell>, _ step: Step, _ draft: Draft, _ row: Int
  ) throws(OddCell) {
    let column = step.column
    if cells[step.cell].isNull { return draft.setNull(column: column, row: row) }
    guard cells[step.cell].byteCount <= RowReader.mostValueBytes else {
      throw .words("contains \(cells[step.cell].byteCount) bytes, which are too many")
    }
    if step.kind.family == .bytes {
      let byteCount = cells[step.cell].byteCount
      guard draft.hasRoom(for: byteCount, column: column, row: row) else {
        throw .words(
          "contains \(byteCount) bytes, but the texts and bytes of one row can have at most \(Draft.maximumRowByteCount) bytes together"
        )
      }
    }
    switch step.kind {
    case .boolean, .int16, .int32, .int64:
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
    case .reference:
      guard let number = cells[step.cell].integer, number >= 1,
        number <= Int64(ObjectKey.highestNumber)
      else { throw .words("contains \(cells[step.cell].words), which is no key of an object") }
      var entity = step.destination
      if step.entityCell >= 0 {
        guard let written = cells[step.entityCell].integer, let known = map.layoutNumbers[written]
        else {
          throw .words(
            "refers to an object of entity \(cells[step.entityCell].words), which the model does not have"
          )
        }
        entity = known
      }
      draft.setReference(
        ObjectKey(entity: entity, number: UInt64(number)), column: column, row: row)
    }
  }

  private func fault(_ column: String, _ key: Int64?, _ what: String) -> StoreError {
    StoreError(
      .damaged,
      "\(entity.table)\(key.map { ", row \($0)" } ?? ""), column \(column): the cell \(what).",
      path: path)
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
