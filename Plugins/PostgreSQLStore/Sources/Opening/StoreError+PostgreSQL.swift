import PostgreSQLConnection
import StoreInterface

extension StoreError {
  /// Creates the store's error for a failure of PostgreSQL.
  init(_ error: PostgreSQLError, path: String) {
    let (code, words) = StoreError.meaning(of: error)
    self.init(
      code, words.map { "\($0) PostgreSQL: \(error)" } ?? "PostgreSQL: \(error)", path: path,
      cause: error)
  }

  /// Returns the code of an error, and a sentence with the next step.
  private static func meaning(of error: PostgreSQLError) -> (StoreError.Code, String?) {
    switch error.state {
    case nil where error.isConnectionLost:
      if error.message.contains("does not exist"), error.message.contains("database") {
        return (.notFound, "There is no such database. Create it with createdb.")
      }
      return (
        .inputOutput,
        "The server can't be reached. Check the host, the port and the password, and try again."
      )
    case "3D000", "3F000", "42P01":
      return (.notFound, "There is no store in this schema of the database.")
    case "42501":
      return (
        .readOnly,
        "The user of the database may not do this. Ask for the right, or open the store for reading."
      )
    case "25006":
      return (
        .readOnly,
        "The server only reads, as a standby does. Add target_session_attrs=read-write to the address, or open the store for reading."
      )
    case "55P03": return (.locked, "Another save keeps the store locked. Save again later.")
    case "57014":
      return (.cancelled, "The statement was cancelled, or took longer than the time-out allows.")
    case "40001", "40P01":
      return (.locked, "Other transactions were in the way too often. Save again later.")
    case "53300":
      return (.locked, "The server has no free connection. Close some, or raise max_connections.")
    case "53100", "53200", "53000": return (.inputOutput, "The server is out of space or memory.")
    case "23503":
      return (
        .badChange,
        "The changes refer to an object that the store does not have, for example because another save has removed it, or they remove an object to which others refer. Refresh the context and correct the references."
      )
    case "23505":
      return (
        .badChange,
        "Two objects have the same number, or the same value where the model wants unique values."
      )
    case "54000", "54001", "22001", "22021", "22003": return (.badChange, nil)
    default:
      if error.isConnectionLost || error.isOfClass("08") || error.isOfClass("57") {
        return (.inputOutput, "The connection to the server was lost. Try again.")
      }
      return (.failed, nil)
    }
  }
}

/// Calls `body`, and turns failures of PostgreSQL into errors of the store.
func asStore<R>(_ path: String, _ body: () throws -> R) throws -> R {
  do { return try body() } catch let error as PostgreSQLError {
    throw StoreError(error, path: path)
  }
}
