// SAFETY: The backup is finished before the call returns, and both connections outlive the call.

import CSQLite3

extension SQLiteConnection {
  /// Copies the whole database into another one by SQLite's backup interface, as of one moment.
  ///
  /// Other connections may write to the database meanwhile. The other database must not be in use.
  ///
  /// - Throws: ``SQLiteError``, with code ``SQLiteError/Code/busy`` if a connection locks the database for longer than the
  ///   patience of this one.
  public func copyDatabase(to other: SQLiteConnection) throws(SQLiteError) {
    guard let backup = unsafe sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw unsafe other.error(sqlite3_errcode(other.handle), "beginning a copy")
    }
    let code = unsafe sqlite3_backup_step(backup, -1)
    let result = unsafe sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, result == SQLITE_OK else {
      throw other.error(result == SQLITE_OK ? code : result, "copying the database")
    }
  }
}
