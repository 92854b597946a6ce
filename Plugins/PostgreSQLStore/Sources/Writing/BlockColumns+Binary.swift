import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows

extension BlockColumns.One {
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
