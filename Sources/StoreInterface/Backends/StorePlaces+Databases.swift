package import DurableFiles

// An SQLite database keeps a log and the log's index beside its file while it is open, and after a process was
// killed. The log contains changes that are not in the file yet. SQLite finds both by name, and reads a log that
// stays behind into the next database of that name. Plug-ins provide such stores too, so this code recognises a
// database by its first bytes.
extension StorePlaces {
  /// The first bytes of an SQLite database.
  package static let databaseMark = Array("SQLite format 3\0".utf8)
  /// The endings of the names of a log and its index. The index is removed first: without it, SQLite reads a log from
  /// its beginning.
  package static let companionEndings = ["-shm", "-wal", "-journal"]

  /// Whether the file at a path is an SQLite database.
  package func isDatabase(_ path: String) throws(DiskError) -> Bool {
    guard try disk.statusIfThere(path)?.kind == .file else { return false }
    let file = try OpenedFile(path, on: disk, readOnly: true)
    return file.firstBytes.starts(with: StorePlaces.databaseMark)
  }

  /// Removes the logs beside a database's file. The file itself need not exist.
  func removeLogs(besides path: String) throws(DiskError) {
    for suffix in StorePlaces.companionEndings where try disk.exists(path + suffix) {
      try disk.remove(path + suffix)
    }
  }

  /// Throws if the log of another database lies beside a path, because SQLite would read it into a new database.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/exists`` that names the log.
  package func refuseLogs(besides path: String) throws(StoreError) {
    try StorePlaces.refuseLogs(besides: path, on: disk)
  }

  /// Throws if the log of another database lies beside a path on a disk.
  package static func refuseLogs(besides path: String, on disk: any Disk) throws(StoreError) {
    let log: String?
    do { log = try leftLog(besides: path, on: disk) } catch { throw StoreError(error, path: path) }
    if let log {
      throw StoreError(
        .exists, "A database at '\(path)' left this log. Move the log away first.",
        path: log)
    }
  }

  private static func leftLog(
    besides path: String, on disk: any Disk
  ) throws(DiskError) -> String? {
    // An index is useless without its log, so the log is found first.
    for ending in companionEndings.reversed() where try disk.exists(path + ending) {
      return path + ending
    }
    return nil
  }

  /// Removes the logs of a database that has been renamed. The file contains the whole database already.
  package func removeLeftLogs(besides path: String) {
    // A log without its database is useless: no database of that name will come again.
    guard let isThere = try? disk.exists(path), !isThere else { return }
    try? removeLogs(besides: path)
  }

  /// Creates an empty file with the permissions of `other`, so that more users never gain access to its contents.
  ///
  /// Does nothing if `other` does not exist.
  package func reserve(_ path: String, withPermissionsOf other: String) throws(StoreError) {
    do throws(DiskError) {
      guard try disk.exists(other) else { return }
      let status = try disk.status(of: other)
      guard status.kind == .file else { return }
      let file = try disk.open(path, for: .create, permissions: .ownerOnly)
      try file.setPermissions(status.permissions)
      try file.close()
    } catch { throw StoreError(error, path: path) }
  }

  /// Brings the whole contents of a database into its file.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/locked`` if another connection has the database open.
  package func settleDatabase(_ path: String) throws {
    guard try hasLogs(path) else { return }
    // The last connection to close a database brings its log into the file.
    try open(path).close()
    guard try !hasLogs(path) else {
      throw StoreError(
        .locked,
        "Another connection has the database open, perhaps in a context, so its file is not complete.",
        path: path)
    }
  }

  private func hasLogs(_ path: String) throws(StoreError) -> Bool {
    for suffix in StorePlaces.companionEndings where try exists(path + suffix) { return true }
    return false
  }
}
