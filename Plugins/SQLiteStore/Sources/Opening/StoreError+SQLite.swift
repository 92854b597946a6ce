import SQLiteFiles
import StoreInterface

extension StoreError {
  /// Creates the store's error for a failure of SQLite.
  init(_ error: SQLiteError, path: String) {
    let code: StoreError.Code =
      switch error.code {
      case .busy: .locked
      case .notADatabase: .notAStore
      case .damaged: .damaged
      case .readOnly: .readOnly
      case .inputOutput: .inputOutput
      case .cantOpen: .inputOutput
      case .interrupted: .cancelled
      case .tooBig, .constraint: .badChange
      case .notAuthorized: .damaged
      case .failed: .failed
      }
    let words: String =
      switch error.code {
      case .busy:
        "Another connection has locked the database for too long: \(error.description)."
      case .notADatabase: "The file is not an SQLite database."
      case .damaged: "The database is damaged: \(error.description)."
      default: "SQLite: \(error.description)."
      }
    self.init(code, words, path: path, cause: error)
  }
}

/// Calls `body`, and turns failures of SQLite into errors of the store.
func asStore<R>(_ path: String, _ body: () throws -> R) throws -> R {
  do { return try body() } catch let error as SQLiteError {
    throw StoreError(error, path: path)
  }
}
