import CSQLite3
import Foundation
import SQLiteFiles

/// A database as SQLite itself shows it, without any of the code under test. Tests use it to create databases and to
/// inspect written ones. It lacks the SQL functions that only Core Data defines.
final class RawDatabase {
  private let handle: OpaquePointer
  let path: String

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameter isReadOnly: Whether the file is opened as immutable, so that SQLite creates no file beside it.
  init(_ path: String, isReadOnly: Bool = false) throws {
    self.path = path
    var opened: OpaquePointer?
    let flags =
      isReadOnly
      ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let name =
      isReadOnly ? URL(filePath: path).absoluteString + "?immutable=1" : path
    let code = sqlite3_open_v2(name, &opened, flags, nil)
    guard let opened, code == SQLITE_OK else {
      throw Failure(description: "\(path): SQLite can't open it (\(code)).")
    }
    handle = opened
    sqlite3_busy_timeout(handle, 5000)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs all statements of the text.
  func run(_ text: String) throws {
    guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw failure(text) }
  }

  /// Runs one statement with values for its parameters.
  func run(_ text: String, _ values: [SQLiteValue]) throws { _ = try rows(text, values) }

  /// Returns the rows of a statement.
  func rows(_ text: String, _ values: [SQLiteValue] = []) throws -> [[SQLiteValue]] {
    var made: OpaquePointer?
    guard sqlite3_prepare_v2(handle, text, -1, &made, nil) == SQLITE_OK, let made else {
      throw failure(text)
    }
    defer { sqlite3_finalize(made) }
    let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      switch value {
      case .null: sqlite3_bind_null(made, place)
      case .integer(let number): sqlite3_bind_int64(made, place, number)
      case .real(let number): sqlite3_bind_double(made, place, number)
      case .text(let text): sqlite3_bind_text(made, place, text, -1, copies)
      case .blob(let bytes):
        sqlite3_bind_blob64(made, place, bytes.isEmpty ? [0] : bytes, UInt64(bytes.count), copies)
      }
    }
    var rows: [[SQLiteValue]] = []
    while true {
      switch sqlite3_step(made) {
      case SQLITE_ROW: rows.append((0..<sqlite3_column_count(made)).map { cell(made, $0) })
      case SQLITE_DONE: return rows
      default: throw failure(text)
      }
    }
  }

  /// Returns the single value of a statement.
  func value(_ text: String) throws -> SQLiteValue { try rows(text).first?.first ?? .null }

  private func cell(_ statement: OpaquePointer, _ column: Int32) -> SQLiteValue {
    func bytes() -> [UInt8] {
      let start = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      return Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
    return switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT: .text(String(decoding: bytes(), as: UTF8.self))
    case SQLITE_BLOB: .blob(bytes())
    default: .null
    }
  }

  private func failure(_ text: String) -> Failure {
    Failure(description: "\(String(cString: sqlite3_errmsg(handle))): \(text.prefix(200))")
  }
}
