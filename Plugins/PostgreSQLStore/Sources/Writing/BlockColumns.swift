// SAFETY: `count` is the number of columns, and the index is checked against it. The memory is freed once.

import ObjectModel
import PostgreSQLConnection
import Rows

/// The columns of a block, in the order of a layout, to be written in binary form.
///
/// Each column is used in place and never copied: a copy would cost reference counting for each cell.
@safe
struct BlockColumns: ~Copyable {
  private let columns: UnsafeMutablePointer<One>
  let count: Int

  init(_ block: Block, _ layout: [LayoutColumn]) throws {
    let found = try layout.map { try block.column($0) }
    count = found.count
    unsafe columns = .allocate(capacity: count)
    for (index, column) in found.enumerated() {
      unsafe (columns + index).initialize(
        to: One(
          column: column ?? Column(repeating: .null, kind: layout[index].kind, rowCount: 1),
          isThere: column != nil, kind: layout[index].kind))
    }
  }

  deinit {
    unsafe columns.deinitialize(count: count)
    unsafe columns.deallocate()
  }

  subscript(index: Int) -> One {
    @inline(__always) unsafeAddress {
      precondition(index >= 0 && index < count)
      return unsafe UnsafePointer(columns + index)
    }
  }

  struct One: ~Copyable {
    fileprivate let column: Column
    /// Whether the block has the column.
    fileprivate let isThere: Bool
    fileprivate let kind: ColumnKind

    fileprivate init(column: Column, isThere: Bool, kind: ColumnKind) {
      (self.column, self.isThere, self.kind) = (column, isThere, kind)
    }

    /// Creates a column that is no part of a block.
    init(_ column: Column, _ kind: ColumnKind) {
      self.init(column: column, isThere: true, kind: kind)
    }

    /// Returns whether a row has its own value in the column.
    func isGiven(_ row: Int) -> Bool { isThere && column.isGiven(row) }

    /// Appends the value of a row.
    func append(_ row: Int, to values: inout BinaryValues) {
      guard !column.isNull(row) else { return values.appendNull() }
      switch kind {
      case .boolean: values.append(column.integer(at: row) != 0)
      case .int16: values.append(Int16(truncatingIfNeeded: column.integer(at: row)))
      case .int32: values.append(Int32(truncatingIfNeeded: column.integer(at: row)))
      case .int64: values.append(column.integer(at: row))
      case .float: values.append(column.float(at: row))
      case .double, .date: values.append(column.double(at: row))
      case .string, .uri:
        let bytes = column.bytes(at: row)
        if StoredText.isPlain(bytes) {
          values.append(bytes)
        } else {
          values.append(StoredText.stored(bytes))
        }
      case .binary: values.append(column.bytes(at: row))
      case .uuid: values.append(column.bytes(at: row))
      case .decimal: values.append(PostgreSQLNumeric(column.decimal(at: row)))
      case .reference:
        guard let key = column.reference(at: row) else { return values.appendNull() }
        values.append(Int64(key.number))
      }
    }

    /// Appends the number of the entity to which a reference leads.
    func appendEntity(_ row: Int, to values: inout BinaryValues) {
      guard let key = column.isNull(row) ? nil : column.reference(at: row) else {
        return values.appendNull()
      }
      values.append(Int32(key.entity))
    }
  }
}

extension ColumnKind {
  /// The type of the column in the database.
  var postgreSQLType: PostgreSQLType {
    switch self {
    case .boolean: .boolean
    case .int16: .int16
    case .int32: .int32
    case .int64, .reference: .int64
    case .float: .float
    case .double, .date: .double
    case .string, .uri: .text
    case .binary: .bytes
    case .uuid: .uuid
    case .decimal: .numeric
    }
  }
}
