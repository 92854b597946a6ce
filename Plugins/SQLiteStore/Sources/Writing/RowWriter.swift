// SAFETY: The bytes of a value are copied while they are valid.

import Foundation
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

/// Writes rows of one entity into its table.
struct RowWriter {
  let connection: SQLiteConnection
  let entity: TableMap.EntityMap
  let map: TableMap
  /// The version of inserted and changed rows; `nil` if each write adds 1 to the row's version.
  let version: Int64?
  let path: String

  /// The destination of a column of the layout. It contains only numbers, because it is copied for each cell.
  fileprivate struct Target {
    let kind: ColumnKind
    /// The index of the column in the layout.
    let index: Int
    let isExternal: Bool
    /// The index of the value's parameter, and below it that of the parameter for the target's entity; -1 if unused.
    let parameter: Int
    let entityParameter: Int
  }

  private func targets(_ indices: [Int], from first: Int) -> [Target] {
    var parameter = first
    return indices.map { index in
      let column = entity.columns[index]
      let target = Target(
        kind: entity.layout.columns[index].kind, index: index, isExternal: column.isExternal,
        parameter: parameter, entityParameter: column.entityColumn == nil ? -1 : parameter + 1)
      parameter += target.entityParameter < 0 ? 1 : 2
      return target
    }
  }

  private func names(_ indices: [Int]) -> [String] {
    indices.flatMap { index in
      [entity.columns[index].name, entity.columns[index].entityColumn].compactMap { $0 }
    }
  }

  // MARK: - Removing and inserting

  /// Removes rows.
  func remove(_ run: BlockRun) throws {
    let removal = try removal()
    try run.forEachKey { try remove($0, removal) }
  }

  /// Removes the rows that whole new rows replace.
  func makeRoom(for run: BlockRun) throws {
    let removal = try removal()
    try run.forEachReplacedKey { try remove($0, removal) }
  }

  private func removal() throws -> SQLiteStatement {
    try connection.prepare(
      "DELETE FROM \(quoted(entity.table)) WHERE \"Z_PK\" = ? AND \"Z_ENT\" = ?")
  }

  private func remove(_ key: Int64, _ removal: SQLiteStatement) throws {
    try removal.bind([.integer(key), .integer(entity.number)])
    try removal.run()
  }

  /// Inserts whole rows.
  func insert(_ run: BlockRun) throws {
    guard !run.isEmpty else { return }
    let indices = Array(entity.columns.indices)
    let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + names(indices)
    let statement = try connection.prepare(
      "INSERT INTO \(quoted(entity.table)) (\(columns.map(quoted).joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
    )
    try statement.bind(entity.number, 1)
    let targets = targets(indices, from: 3)
    for block in run.blocks {
      let keys = try block.keys
      let values = try BlockColumns(block, entity.layout.columns)
      let bases = try version == nil ? block.column(LayoutColumn.Number.basis) : nil
      for row in 0..<block.rowCount {
        try statement.bind(keys.integer(at: row), 0)
        // A row that replaces another one continues the other's version count.
        try statement.bind(version ?? max(bases?.integer(at: row) ?? 0, 0) + 1, 2)
        for index in targets.indices {
          try values[index].bind(row, to: targets[index], statement, self)
        }
        do { try statement.run() } catch {
          guard error.code == .constraint else { throw error }
          throw StoreError(
            .badChange,
            "Two objects of \(entity.table) have the number \(keys.integer(at: row)), or the same value in a unique column: \(error.description).",
            path: path, cause: error)
        }
      }
    }
  }

  // MARK: - Changing

  /// Changes single values of rows.
  func update(_ run: BlockRun) throws {
    for block in run.blocks {
      let keys = try block.keys
      let values = try BlockColumns(block, entity.layout.columns)
      // Most rows of a block change the same columns.
      var last: Change?
      for row in 0..<block.rowCount {
        if last?.isOf(values, row) != true {
          last = try change(of: entity.columns.indices.filter { values[$0].isGiven(row) })
        }
        guard let change = last else { continue }
        let statement = change.statement
        for target in change.targets {
          try values[target.index].bind(row, to: target, statement, self)
        }
        var next = change.parameterCount
        if let version {
          try statement.bind(version, next)
          next += 1
        }
        try statement.bind(keys.integer(at: row), next)
        try statement.bind(entity.number, next + 1)
        try statement.run()
      }
    }
  }

  /// The statement and parameters that change certain columns of a row.
  private struct Change {
    let indices: [Int]
    let targets: [Target]
    /// The number of parameters of the values.
    let parameterCount: Int
    let statement: SQLiteStatement

    /// Returns whether a row changes exactly these columns.
    func isOf(_ values: borrowing BlockColumns, _ row: Int) -> Bool {
      var next = 0
      for index in 0..<values.count where values[index].isGiven(row) {
        guard next < indices.count, indices[next] == index else { return false }
        next += 1
      }
      return next == indices.count
    }
  }

  private func change(of indices: [Int]) throws -> Change {
    let assigned = names(indices).map { "\(quoted($0)) = ?" }
    let own = version == nil ? "\"Z_OPT\" = COALESCE(\"Z_OPT\", 0) + 1" : "\"Z_OPT\" = ?"
    return Change(
      indices: indices, targets: targets(indices, from: 0), parameterCount: assigned.count,
      statement: try connection.prepare(
        "UPDATE \(quoted(entity.table)) SET \((assigned + [own]).joined(separator: ", ")) WHERE \"Z_PK\" = ? AND \"Z_ENT\" = ?"
      ))
  }

}

extension BlockColumns.One {
  /// Binds the value of a row.
  fileprivate func bind(
    _ row: Int, to target: RowWriter.Target, _ statement: SQLiteStatement, _ writer: RowWriter
  ) throws {
    guard !column.isNull(row) else { return try bindNull(target, statement) }
    switch target.kind.content {
    case .boolean, .integer:
      try statement.bind(column.integer(at: row), target.parameter)
    case .float:
      let number = SQLiteValue(Double(column.float(at: row)))
      try statement.bind(writer.known(number, target), target.parameter)
    case .double, .date:
      try statement.bind(
        writer.known(SQLiteValue(column.double(at: row)), target), target.parameter)
    case .string, .uri: try statement.bindText(column.bytes(at: row), target.parameter)
    case .binary:
      guard target.isExternal else {
        return try statement.bindBlob(column.bytes(at: row), target.parameter)
      }
      let bytes = unsafe column.bytes(at: row).withUnsafeBytes { unsafe [1] + Array($0) }
      try statement.bind(.blob(bytes), target.parameter)
    case .uuid: try statement.bindBlob(column.bytes(at: row), target.parameter)
    case .decimal:
      try statement.bind(
        writer.known(SQLiteValue(column.decimal(at: row)), target), target.parameter)
    case .object:
      guard let key = column.reference(at: row) else { return try bindNull(target, statement) }
      try statement.bind(Int64(key.number), target.parameter)
      guard target.entityParameter >= 0 else { return }
      try statement.bind(writer.entityNumber(of: key, target), target.entityParameter)
    }
  }

  private func bindNull(_ target: RowWriter.Target, _ statement: SQLiteStatement) throws {
    try statement.bindNull(target.parameter)
    if target.entityParameter >= 0 { try statement.bindNull(target.entityParameter) }
  }
}

extension RowWriter {
  fileprivate func entityNumber(of key: ObjectKey, _ target: Target) throws(StoreError) -> Int64 {
    if let number = map.entities[key.entity]?.number { return number }
    throw StoreError(
      .badChange,
      "\(entity.columns[target.index].name) refers to an object whose entity is not in the store.",
      path: path)
  }

  /// Returns the cell of a number for the database at hand. Quire writes bytes if SQLite can't store the value as a
  /// number. A database of another system can't contain such bytes (spec §10.6.2): −0 becomes 0, and any other such
  /// value throws.
  fileprivate func known(_ cell: SQLiteValue, _ target: Target) throws(StoreError) -> SQLiteValue {
    guard version == nil, case .blob(let bytes) = cell else { return cell }
    let minusZero = [(-0.0).bitPattern.bigEndianBytes, Array("-0".utf8)]
    if minusZero.contains(bytes) { return .real(0) }
    throw StoreError(
      .badChange,
      "\(entity.table), column \(entity.columns[target.index].name), can't contain this number, because Core Data has no form for it: \(target.kind == .decimal ? String(decoding: bytes, as: UTF8.self) : "\"not a number\"").",
      path: path)
  }
}

extension BlockRun {
  /// Calls `body` with the keys of whole rows that replace others.
  func forEachReplacedKey(_ body: (Int64) throws -> Void) throws {
    for block in blocks {
      guard let bases = try block.column(LayoutColumn.Number.basis) else { continue }
      let keys = try block.keys
      for row in 0..<block.rowCount where bases.integer(at: row) > 0 {
        try body(keys.integer(at: row))
      }
    }
  }
}

extension UInt64 {
  /// The eight bytes, most significant first.
  var bigEndianBytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) }
  }
}

extension SQLiteValue {
  /// Creates the cell of a value (spec §10.4).
  ///
  /// - Parameter isExternal: Whether the first byte of the cell shows where the value is. The value is always written
  ///   into the cell.
  init(_ value: Value, isExternal: Bool) {
    switch value {
    case .null: self = .null
    case .boolean(let value): self = .integer(value ? 1 : 0)
    case .integer(let value): self = .integer(value)
    case .float(let value): self.init(Double(value))
    case .double(let value): self.init(value)
    case .date(let value): self.init(value.timeIntervalSinceReferenceDate)
    case .string(let value), .uri(let value): self = .text(value)
    case .binary(let value): self = .blob(isExternal ? [1] + Array(value) : Array(value))
    case .uuid(let value): self = .blob(value.bytes)
    case .decimal(let value): self.init(value)
    case .object(let key): self = .integer(Int64(key.number))
    }
  }

  /// Creates the cell of a number, or of its bits if SQLite does not keep the number: SQLite stores "not a number" as
  /// NULL and −0 as 0 (spec §10.4.3).
  init(_ number: Double) {
    let isKept = !number.isNaN && !(number == 0 && number.sign == .minus)
    self = isKept ? .real(number) : .blob(number.bitPattern.bigEndianBytes)
  }

  /// Creates the cell of a decimal number: a number if that keeps every digit, or else the digits as a blob, which
  /// the column's type does not convert (spec §10.4.4).
  init(_ decimal: Decimal) {
    guard let parts = DecimalParts(decimal) else {
      self = .blob(Array("NaN".utf8))
      return
    }
    let text = parts.text
    if !(parts.magnitude == 0 && parts.isNegative) {
      if parts.exponent == 0, parts.magnitude < 1_000_000_000_000_000 {
        let whole = Int64(parts.magnitude)
        self = .integer(parts.isNegative ? -whole : whole)
        return
      }
      // A number of any length stays a number if Core Data would have written it as one.
      if let number = Double(text), Decimal(string: "\(number)") == decimal,
        number.magnitude < 1e15, number.magnitude > 1e-15
      {
        self = .real(number)
        return
      }
    }
    self = .blob(Array(text.utf8))
  }
}
