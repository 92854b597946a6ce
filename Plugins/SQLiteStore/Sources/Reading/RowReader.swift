// SAFETY: Spans cover memory that is valid during the call, and are not kept.

import Foundation
import ObjectModel
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

/// Reads rows of one entity's table into blocks.
///
/// Each cell is checked by the kind of its value, and not by the declared type of its column.
struct RowReader: ~Copyable {
  private let entity: TableMap.EntityMap
  private let map: TableMap
  private let path: String
  /// The entity's columns, followed by the version.
  private let layout: Layout
  private let versionColumn: Int
  private let plan: [Step]
  private let values: any ExternalValues
  private var draft: Draft
  private var writer = BlockWriter()
  private var found: [Block] = []
  /// The keys of the rows to read, ascending; `nil` for all rows.
  private var wanted: ArraySlice<UInt64>?
  /// The key of the previous row. Keys must ascend, even if the table does not enforce it.
  private var lastKey: Int64 = 0
  /// The number of bytes of the texts and binary values in the draft.
  private var draftByteCount = 0

  /// The way to read one column of the layout. It contains only numbers, because it is copied for each cell.
  private struct Step {
    let kind: ColumnKind
    /// The index of the column in the layout.
    let column: Int
    /// The index of the cell in the row.
    let cell: Int
    /// The index of the cell with the entity of a relationship's target; -1 if the entity is known.
    let entityCell: Int
    /// The entity of the target, unless that cell contains another one.
    let destination: UInt16
    let isExternal: Bool
  }

  /// - Parameter basis: The version that the rows are based on; 0 if they are based on none.
  init(
    _ entity: TableMap.EntityMap, _ map: TableMap, _ values: any ExternalValues, path: String,
    basis: Int64 = 0
  ) {
    self.entity = entity
    self.map = map
    self.path = path
    self.values = values
    layout = entity.layout.versioned(above: basis)
    versionColumn = layout.columns.count - 1
    draft = Draft(layout, role: .insertions)
    var cell = 2
    plan = entity.columns.enumerated().map { index, column in
      let step = Step(
        kind: entity.layout.columns[index].kind, column: index, cell: cell,
        entityCell: column.destination?.isOnlyEntity == false ? cell + 1 : -1,
        destination: column.destination?.entity ?? 0, isExternal: column.isExternal)
      cell += step.entityCell < 0 ? 1 : 2
      return step
    }
  }

  /// The expressions that are read of each row.
  private var selection: [String] {
    var cells = ["t.\"Z_PK\"", "t.\"Z_OPT\""]
    for column in entity.columns {
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

  /// Reads the rows of the entity, all or those in a range of keys, in the order of their keys.
  mutating func blocks(_ keys: Range<UInt64>?, from connection: SQLiteConnection) throws -> [Block]
  {
    try read(keys, from: connection)
    freeze()
    return found
  }

  /// Reads the existing rows with the given keys, which ascend.
  mutating func blocks(of keys: [UInt64], from connection: SQLiteConnection) throws -> [Block] {
    try keys.forEachStretch { keys in
      wanted = keys
      try read(keys[keys.startIndex]..<keys[keys.endIndex - 1] + 1, from: connection)
    }
    freeze()
    return found
  }

  private mutating func read(_ keys: Range<UInt64>?, from connection: SQLiteConnection) throws {
    var conditions = entity.sharesTable ? ["t.\"Z_ENT\" = \(entity.number)"] : []
    if keys != nil { conditions.append("t.\"Z_PK\" >= ? AND t.\"Z_PK\" < ?") }
    try connection.forEachRow(
      selection, from: "\(quoted(entity.table)) t",
      where: conditions.isEmpty ? nil : conditions.joined(separator: " AND "),
      keys.map { [.integer(Int64($0.lowerBound)), .integer(Int64($0.upperBound))] } ?? []
    ) { cells in
      // Unmanaged, to avoid reference counting for each row.
      let draft = unsafe Unmanaged.passUnretained(draft)
      let isFull = try unsafe draft._withUnsafeGuaranteedRef { draft in
        try take(cells, draft)
        return draft.isFull || draftByteCount > Draft.fullByteCount
      }
      guard isFull else { return }
      freeze()
      // Many more rows are likely to follow.
      self.draft = Draft(layout, role: .insertions, capacity: Draft.maximumRowCount)
    }
  }

  /// Returns whether a row is to be read. Must be called with ascending keys.
  private mutating func isWanted(_ key: UInt64) -> Bool {
    wanted = wanted?.drop { $0 < key }
    return wanted?.first == key
  }

  /// Turns the draft into blocks, while its memory is still in the cache.
  private mutating func freeze() {
    found += Draft.freeze([draft], &writer)
    draftByteCount = 0
  }

  private mutating func take(_ cells: Span<SQLiteCell>, _ draft: Draft) throws {
    let key = cells[0].integer
    guard cells[0].kind == .integer, key >= 1, key <= Int64(ObjectKey.highestNumber) else {
      throw fault(
        "Z_PK", nil,
        "contains \(cells[0].value.words), but keys are from 1 to \(ObjectKey.highestNumber)")
    }
    // A damaged tree may contain rows out of order, or twice.
    guard key > lastKey else {
      throw fault("Z_PK", key, "contains a key that is out of order or occurs twice")
    }
    lastKey = key
    if wanted != nil, !isWanted(UInt64(key)) { return }
    let row = draft.append(key: UInt64(key))
    let version = cells[1].kind == .integer ? cells[1].integer : 0
    draft.setInteger(max(version, 0), column: versionColumn, row: row)
    for index in plan.indices {
      do throws(OddCell) {
        try take(cells, plan[index], draft, row)
      } catch {
        throw fault(error, cells, plan[index], key)
      }
    }
  }

  /// The reason why a cell is rejected.
  private enum OddCell: Error {
    /// The value is of a wrong kind.
    case kind
    /// A description of the fault.
    case words(String)
    /// The error from reading a value in a separate file.
    case other(any Error)
  }

  private mutating func take(
    _ cells: Span<SQLiteCell>, _ step: Step, _ draft: Draft, _ row: Int
  ) throws(OddCell) {
    let cell = cells[step.cell]
    let column = step.column
    if cell.kind == .null { return draft.setNull(column: column, row: row) }
    switch step.kind {
    case .boolean, .int16, .int32, .int64:
      guard let number = integer(cell), step.kind.integerRange.contains(number) else {
        throw .kind
      }
      draft.setInteger(number, column: column, row: row)
    case .float, .double, .date:
      guard let number = real(cell) else { throw .kind }
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
      guard let parts = decimal(cell) else { throw .kind }
      draft.setDecimal(parts, column: column, row: row)
    case .reference:
      guard cell.kind == .integer else { throw .kind }
      // Some rows contain 0 for a reference to no object.
      if cell.integer == 0 { return draft.setNull(column: column, row: row) }
      draft.setReference(try reference(cell.integer, cells, step), column: column, row: row)
    }
  }

  private mutating func takeBytes(
    _ cell: SQLiteCell, _ step: Step, _ draft: Draft, _ row: Int
  ) throws(OddCell) {
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
  ) throws(OddCell) {
    draftByteCount += byteCount
    guard !draft.hasRoom(for: byteCount, column: column, row: row) else { return }
    throw .words(
      "contains \(byteCount) bytes, but the texts and bytes of one row can have at most \(Draft.maximumRowByteCount) bytes together"
    )
  }

  private func reference(
    _ number: Int64, _ cells: Span<SQLiteCell>, _ step: Step
  ) throws(OddCell) -> ObjectKey {
    guard number >= 1, number <= Int64(ObjectKey.highestNumber) else {
      throw .words("refers to the key \(number), which no object can have")
    }
    var entity = step.destination
    if step.entityCell >= 0, cells[step.entityCell].kind == .integer {
      let written = cells[step.entityCell].integer
      guard let known = map.layoutNumbers[written] else {
        throw .words("refers to an object of entity \(written), which the model does not have")
      }
      entity = known
    }
    return ObjectKey(entity: entity, number: UInt64(number))
  }

  // MARK: - Cells

  private func integer(_ cell: SQLiteCell) -> Int64? {
    switch cell.kind {
    case .integer: cell.integer
    case .real: Int64(exactly: cell.real)
    default: nil
    }
  }

  /// Returns a number, from its bits if SQLite does not keep it as a number (spec §10.4.3).
  private func real(_ cell: SQLiteCell) -> Double? {
    switch cell.kind {
    case .integer, .real: return cell.real
    case .blob:
      guard cell.byteCount == 8 else { return nil }
      return Double(bitPattern: cell.bytes.reduce(0) { $0 << 8 | UInt64($1) })
    default: return nil
    }
  }

  private func decimal(_ cell: SQLiteCell) -> DecimalParts?? {
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

  private func name(_ step: Step) -> String { entity.columns[step.column].name }

  private func fault(
    _ odd: OddCell, _ cells: Span<SQLiteCell>, _ step: Step, _ key: Int64
  ) -> any Error {
    switch odd {
    case .kind:
      fault(
        name(step), key,
        "contains \(cells[step.cell].value.words) instead of \(step.kind.words)")
    case .words(let words): fault(name(step), key, words)
    case .other(let error): error
    }
  }

  private func fault(_ column: String, _ key: Int64?, _ what: String) -> StoreError {
    StoreError(
      .damaged,
      "\(entity.table)\(key.map { ", row \($0)" } ?? ""), column \(column): the cell \(what).",
      path: path)
  }
}

/// The source of values in separate files.
protocol ExternalValues: Sendable {
  /// Returns the value that a cell stands for.
  func value(of cell: [UInt8]) throws -> [UInt8]
}

extension SQLiteValue {
  /// A description of the value, for messages.
  var words: String {
    switch self {
    case .null: "nothing"
    case .integer(let number): "the number \(number)"
    case .real(let number): "the number \(number)"
    case .text(let text): "the text \"\(text.prefix(40))\""
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }
}

extension ColumnKind {
  /// A description of the expected kind, for messages.
  var words: String {
    switch self {
    case .boolean: "a Boolean value"
    case .int16: "a whole number of 16 bits"
    case .int32: "a whole number of 32 bits"
    case .int64: "a whole number of 64 bits"
    case .float, .double: "a number"
    case .date: "a date"
    case .decimal: "a decimal number"
    case .string: "a text"
    case .uri: "a URI"
    case .binary: "bytes"
    case .uuid: "a UUID of 16 bytes"
    case .reference: "the key of an object"
    }
  }
}
