import DurableFiles

// What an SQLite database keeps beside its file while somebody has it open, and after a process was killed: a log of what is
// not in the file yet, and the log's index. SQLite finds them by their names and takes them for those of whatever file
// is there, so a log that stays behind is read into the next database of that name. Plug-ins bring such stores too, so it
// is seen here from their first bytes.
extension StorePlaces {
  private static let databaseMark = Array("SQLite format 3\0".utf8)
  /// What the names of a log and its index end in. The index goes first: without it a log is read from its beginning.
  package static let companionEndings = ["-shm", "-wal", "-journal"]

  /// Whether there is a database at a path.
  package func isDatabase(_ path: String) -> Bool {
    let bytes = try? StoreBackends.firstBytes(of: path, on: disk)
    return bytes?.starts(with: StorePlaces.databaseMark) ?? false
  }

  /// Removes what lies beside a database's file, be the file there or not.
  func removeLogs(besides path: String) throws(DiskError) {
    for suffix in StorePlaces.companionEndings where try disk.exists(path + suffix) {
      try disk.remove(path + suffix)
    }
  }

  /// Refuses a path beside which the log of another database lies: it would be read into a new one.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/exists`` that names the log.
  package func refuseLogs(besides path: String) throws(StoreError) {
    for suffix in StorePlaces.companionEndings where try exists(path + suffix) {
      throw StoreError(
        .exists, "It is the log of a database that was at '\(path)'. Move it away first.",
        path: path + suffix)
    }
  }

  /// Removes the log of a database that has another name by now. All of the database is in its file.
  package func removeLeftLogs(besides path: String) {
    // It is litter: no database of that name comes again.
    guard let isThere = try? disk.exists(path), !isThere else { return }
    try? removeLogs(besides: path)
  }

  /// Makes an empty file with the permissions of another, so that what is written into it is never open to more users.
  ///
  /// Nothing happens where there is no such file.
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

  /// Sees to it that all of a database is in its file.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/locked`` when somebody has it open.
  package func settleDatabase(_ path: String) throws {
    guard try hasLogs(path) else { return }
    // Whoever is the last to close a database brings its log into the file.
    try open(path).close()
    guard try !hasLogs(path) else {
      throw StoreError(
        .locked,
        "The database is open elsewhere, perhaps in a context that still shows it, so its file is not complete.",
        path: path)
    }
  }

  private func hasLogs(_ path: String) throws(StoreError) -> Bool {
    for suffix in StorePlaces.companionEndings where try exists(path + suffix) { return true }
    return false
  }
}
