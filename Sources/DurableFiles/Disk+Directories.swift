extension Disk {
  /// Returns the status of the file or directory at a path; with `followingLinks` false, of a symbolic link itself.
  ///
  /// - Throws: ``DiskError`` with code `notFound` if nothing is there.
  public func status(
    of path: String, followingLinks: Bool = true
  ) throws(DiskError) -> FileStatus {
    try perform(.status, "read the status of", path) { calls throws(ErrorNumber) in
      try calls.status(of: path, followingLinks: followingLinks)
    }
  }

  /// Returns whether a path exists. A symbolic link that leads nowhere counts.
  ///
  /// If the status of the path cannot be read, for example for lack of permission, the function throws; it does not
  /// return false.
  public func exists(_ path: String) throws(DiskError) -> Bool {
    try statusIfThere(path, followingLinks: false) != nil
  }

  /// Returns the status of the file or directory at a path, or `nil` if there is none.
  package func statusIfThere(
    _ path: String, followingLinks: Bool = true
  ) throws(DiskError) -> FileStatus? {
    // That nothing is there is an answer. To write the text of an error would take longer than to ask.
    try perform(.status, "read the status of", path) { calls throws(ErrorNumber) in
      do throws(ErrorNumber) {
        return try calls.status(of: path, followingLinks: followingLinks)
      } catch {
        guard [.notFound, .notADirectory].contains(DiskError.Code(error)) else { throw error }
        return nil
      }
    }
  }

  /// Returns the entries of a directory, sorted by name, without `.` and `..`.
  public func list(
    _ path: String, links: LinkRule = .followed
  ) throws(DiskError) -> [DirectoryEntry] {
    let descriptor = try openDescriptor(
      path, OpenRequest(.read, links: links, isDirectory: true))
    defer { try? calls.close(descriptor) }
    let entries = try perform(.list, "list", path) { calls throws(ErrorNumber) in
      try calls.list(descriptor)
    }
    return entries.sorted { $0.name < $1.name }
  }

  /// Makes a directory in an existing directory.
  ///
  /// - Throws: ``DiskError`` with code `exists` if the path exists.
  public func makeDirectory(
    _ path: String, permissions: FilePermissions = .newDirectory
  ) throws(DiskError) {
    try perform(.makeDirectory, "create directory", path) { calls throws(ErrorNumber) in
      try calls.makeDirectory(path, permissions)
    }
  }

  /// Removes a file's or a symbolic link's name. Open handles of the file stay valid.
  public func remove(_ path: String) throws(DiskError) {
    try perform(.remove, "remove", path) { calls throws(ErrorNumber) in
      try calls.remove(path)
    }
  }

  /// Removes an empty directory.
  public func removeDirectory(_ path: String) throws(DiskError) {
    try perform(.removeDirectory, "remove directory", path) { calls throws(ErrorNumber) in
      try calls.removeDirectory(path)
    }
  }

  /// Removes a file, a symbolic link, or a directory with everything in it.
  ///
  /// Symbolic links are removed and not followed. If another process removes a part meanwhile, that is not an error.
  /// After an error some parts may already be removed.
  public func removeTree(_ path: String) throws(DiskError) {
    do {
      guard try status(of: path, followingLinks: false).kind == .directory else {
        return try remove(path)
      }
      for entry in try list(path, links: .refused) {
        try removeTree(path.appendingPathComponent(entry.name))
      }
      try removeDirectory(path)
    } catch let error where error.code == .notFound {
      return
    }
  }

  /// Moves a file or a directory in one step. A file or an empty directory at the new path is replaced.
  ///
  /// If the bytes of the file were synced, a crash leaves the file under the old or the new name. The move is durable
  /// after ``syncDirectory(_:)`` of the new name's directory and then of the old name's directory.
  public func rename(_ path: String, to newPath: String) throws(DiskError) {
    try checkPath(newPath, .rename)
    try perform(.rename, "give the new name '\(newPath)' to", path) { calls throws(ErrorNumber) in
      try calls.rename(path, to: newPath)
    }
  }

  /// Exchanges two files or directories in one step, so that each of the two names exists at every moment.
  ///
  /// - Returns: Whether the file system can do this. Nothing has changed if it can't.
  package func exchange(_ path: String, with other: String) throws(DiskError) -> Bool {
    try checkPath(other, .exchange)
    return try perform(.exchange, "exchange '\(other)' with", path) {
      calls throws(ErrorNumber) in
      do throws(ErrorNumber) {
        try calls.exchange(path, with: other)
        return true
      } catch .notSupported, .invalidArgument, .noSuchCall {
        return false
      }
    }
  }

  /// Gives a file a second name.
  ///
  /// - Throws: ``DiskError`` with code `exists` if the new name is in use.
  public func link(_ path: String, to newPath: String) throws(DiskError) {
    try checkPath(newPath, .link)
    try perform(.link, "create the link '\(newPath)' to", path) { calls throws(ErrorNumber) in
      try calls.link(path, to: newPath)
    }
  }

  /// Makes a symbolic link that refers to `destination`, which need not exist.
  public func makeSymbolicLink(_ path: String, to destination: String) throws(DiskError) {
    try checkPath(destination, .makeSymbolicLink)
    try perform(.makeSymbolicLink, "create symbolic link", path) { calls throws(ErrorNumber) in
      try calls.makeSymbolicLink(path, to: destination)
    }
  }

  /// Makes the names in a directory durable: every creation, move and removal in that directory.
  ///
  /// A file system that cannot sync a directory returns `EINVAL` or `ENOTSUP`. The function ignores these two errors,
  /// because a program has no other way to make the names durable. After any other failure the names may be lost, and
  /// a later sync proves nothing about them.
  public func syncDirectory(_ path: String) throws(DiskError) {
    let descriptor = try openDescriptor(path, OpenRequest(.read, isDirectory: true))
    defer { try? calls.close(descriptor) }
    do {
      try repeating { () throws(ErrorNumber) in try calls.sync(descriptor, .everything) }
    } catch .invalidArgument, .notSupported {
      return
    } catch {
      throw .syncFailed(path: path, cause: error)
    }
  }

  /// Makes the name of a file or directory durable, with all other names in the same directory (see
  /// ``syncDirectory(_:)``).
  public func syncDirectory(of path: String) throws(DiskError) {
    try syncDirectory(path.parentPath)
  }

  /// Makes one system call on a path, and repeats the call while signals interrupt it. `attempt` completes "Can't …".
  func perform<Result>(
    _ operation: DiskOperation, _ attempt: String, _ path: String,
    _ body: (any DiskCalls) throws(ErrorNumber) -> Result
  ) throws(DiskError) -> Result {
    try checkPath(path, operation)
    do {
      return try repeating { () throws(ErrorNumber) in try body(calls) }
    } catch {
      throw .refused(operation, attempt, path: path, cause: error)
    }
  }
}
