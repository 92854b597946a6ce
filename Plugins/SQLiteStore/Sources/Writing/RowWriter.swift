// SAFETY: The bytes of a value are copied while they are there.

import Foundation
import ObjectModel
import Rows
import SQLiteFiles
import SQLiteStoreFormat
import StoreInterface

/// Rows of one entity on their way into its table.
struct RowWriter {
  let connection: SQLiteConnection
  let entity: TableMap.EntityMap
  let map: TableMap
  /// What inserted rows get as their version, and changed ones; `nil` where these count up.
  let version: Int64?
  let path: String

  /// Where a column of the layout goes. Numbers alone, since it is copied for each cell.
  private struct Target {
    let kind: ColumnKind
    /// The column's place in the layout.
    let index: Int
    let isExternal: Bool
    /// The places of its parameters: the value's, and the entity's of what it leads to, which is -1 where there is none.
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

  // MARK: - Taking out, putting in

  /// Takes rows out.
  func remove(_ run: BlockRun) throws {
    let statement = try connection.prepare(
      "DELETE FROM \(quoted(entity.table)) WHERE \"Z_PK\" = ? AND \"Z_ENT\" = ?")
    try statement.bind(entity.number, 1)
    try forEachKey(run) { key, _, _ in
      try statement.bind(key, 0)
      try statement.run()
    }
  }

  /// Takes the rows out that whole ones are put in the place of.
  func makeRoom(for run: BlockRun) throws {
    for block in run.blocks {
      guard let bases = try block.column(LayoutColumn.Number.basis) else { continue }
      let keys = try block.keys
      let statement = try connection.prepare(
        "DELETE FROM \(quoted(entity.table)) WHERE \"Z_PK\" = ? AND \"Z_ENT\" = ?")
      for row in 0..<block.rowCount where bases.integer(at: row) > 0 {
        try statement.bind([.integer(keys.integer(at: row)), .integer(entity.number)])
        try statement.run()
      }
    }
  }

  /// Puts whole rows in.
  func insert(_ run: BlockRun) throws {
    guard !run.isEmpty else { return }
    let indices = Array(entity.columns.indices)
    let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + names(indices)
    let statement = try connection.prepare(
      "INSERT INTO \(quoted(entity.table)) (\(columns.map(quoted).joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
    )
    try statement.bind(entity.number, 1)
    try statement.bind(version ?? 1, 2)
    let targets = targets(indices, from: 3)
    for block in run.blocks {
      let keys = try block.keys
      let values = try entity.layout.columns.map { try block.column($0) }
      for row in 0..<block.rowCount {
        try statement.bind(keys.integer(at: row), 0)
        for index in targets.indices {
          guard let column = values[index] else {
            try bind(entity.layout.columns[index].defaultValue, to: targets[index], statement)
            continue
          }
          try bind(column, row, to: targets[index], statement)
        }
        do { try statement.run() } catch {
          guard error.code == .constraint else { throw error }
          throw StoreError(
            .badChange,
            "Two objects of \(entity.table) have the number \(keys.integer(at: row)), or the same value where it must be their own: \(error.description).",
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
      var present: [(index: Int, values: Column)] = []
      for (index, column) in entity.layout.columns.enumerated() {
        if let values = try block.column(column) { present.append((index, values)) }
      }
      for row in 0..<block.rowCount {
        let given = present.filter { $0.values.isGiven(row) }
        let indices = given.map(\.index)
        let assigned = names(indices).map { "\(quoted($0)) = ?" }
        let own = version == nil ? "\"Z_OPT\" = COALESCE(\"Z_OPT\", 0) + 1" : "\"Z_OPT\" = ?"
        let statement = try connection.prepare(
          "UPDATE \(quoted(entity.table)) SET \((assigned + [own]).joined(separator: ", ")) WHERE \"Z_PK\" = ? AND \"Z_ENT\" = ?"
        )
        for (one, target) in zip(given, targets(indices, from: 0)) {
          try bind(one.values, row, to: target, statement)
        }
        var next = assigned.count
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

  // MARK: - Values

  private func bind(
    _ column: Column, _ row: Int, to target: Target, _ statement: SQLiteStatement
  ) throws {
    guard !column.isNull(row) else {
      try statement.bindNull(target.parameter)
      if target.entityParameter >= 0 { try statement.bindNull(target.entityParameter) }
      return
    }
    switch target.kind {
    case .boolean, .int16, .int32, .int64:
      try statement.bind(column.integer(at: row), target.parameter)
    case .float: try bind(Double(column.float(at: row)), target, statement)
    case .double, .date: try bind(column.double(at: row), target, statement)
    case .string, .uri: try statement.bindText(column.bytes(at: row), target.parameter)
    case .binary:
      guard target.isExternal else {
        return try statement.bindBlob(column.bytes(at: row), target.parameter)
      }
      let bytes = unsafe column.bytes(at: row).withUnsafeBytes { unsafe [1] + Array($0) }
      try statement.bind(.blob(bytes), target.parameter)
    case .uuid, .decimal: try bind(column.value(at: row), to: target, statement)
    case .reference:
      guard let key = column.reference(at: row) else {
        return try bind(.null, to: target, statement)
      }
      try bind(.object(key), to: target, statement)
    }
  }

  /// A number, or the bits of one that SQLite does not keep as such: it takes "not a number" for nothing, and −0 for 0
  /// (spec §10.4.3).
  private func bind(_ number: Double, _ target: Target, _ statement: SQLiteStatement) throws {
    if number.isNaN || number == 0 && number.sign == .minus {
      try statement.bind(.blob(number.bitPattern.bigEndianBytes), target.parameter)
    } else {
      try statement.bind(number, target.parameter)
    }
  }

  private func bind(_ value: Value, to target: Target, _ statement: SQLiteStatement) throws {
    if target.entityParameter >= 0, value.isNull { try statement.bindNull(target.entityParameter) }
    switch value {
    case .null: try statement.bindNull(target.parameter)
    case .boolean(let value): try statement.bind(value ? 1 : 0 as Int64, target.parameter)
    case .integer(let value): try statement.bind(value, target.parameter)
    case .float(let value): try bind(Double(value), target, statement)
    case .double(let value): try bind(value, target, statement)
    case .date(let value):
      try bind(value.timeIntervalSinceReferenceDate, target, statement)
    case .string(let value), .uri(let value): try statement.bind(value, target.parameter)
    case .binary(let value):
      try statement.bind(
        .blob(target.isExternal ? [1] + Array(value) : Array(value)), target.parameter)
    case .uuid(let value):
      let bytes = unsafe withUnsafeBytes(of: value.uuid) { unsafe Array($0) }
      try statement.bind(.blob(bytes), target.parameter)
    case .decimal(let value): try statement.bind(SQLiteValue(value), target.parameter)
    case .object(let key):
      try statement.bind(Int64(key.number), target.parameter)
      guard target.entityParameter >= 0 else { return }
      guard let number = map.entities[key.entity]?.number else {
        throw StoreError(
          .badChange,
          "\(entity.columns[target.index].name) leads to an object of no entity of the store.",
          path: path)
      }
      try statement.bind(number, target.entityParameter)
    }
  }

  private func forEachKey(_ run: BlockRun, _ body: (Int64, Block, Int) throws -> Void) throws {
    for block in run.blocks {
      let keys = try block.keys
      for row in 0..<block.rowCount { try body(keys.integer(at: row), block, row) }
    }
  }
}

extension UInt64 {
  /// The bytes, the highest first.
  var bigEndianBytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) }
  }
}

extension SQLiteValue {
  /// A decimal number: as a number where that keeps every digit, and as text in bytes elsewhere, which the type of the column
  /// leaves alone (spec §10.4.4).
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
      // However many digits it has: what Core Data wrote as a number stays one.
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
