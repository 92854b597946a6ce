extension Disk {
  /// What is at the path; with `followingLinks` false, a symbolic link itself.
  ///
  /// - Throws: ``DiskError`` with code `notFound` if nothing is.
  public func status(
    of path: String, followingLinks: Bool = true
  ) throws(DiskError) -> FileStatus {
    try perform(.status, "look at", path) { calls throws(ErrorNumber) in
      try calls.status(of: path, followingLinks: followingLinks)
    }
  }

  /// Whether anything is at the path, be it a symbolic link that leads nowhere.
  ///
  /// Not being able to tell, for want of permission say, is an error and not a no.
  public func exists(_ path: String) throws(DiskError) -> Bool {
    do {
      _ = try status(of: path, followingLinks: false)
      return true
    } catch let error where error.code == .notFound || error.code == .notADirectory {
      return false
    }
  }

  /// What a directory holds, sorted by name, without `.` and `..`.
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

  /// Makes a directory in one that is there.
  ///
  /// - Throws: ``DiskError`` with code `exists` if anything of that name is.
  public func makeDirectory(
    _ path: String, permissions: FilePermissions = .newDirectory
  ) throws(DiskError) {
    try perform(.makeDirectory, "make directory", path) { calls throws(ErrorNumber) in
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

  /// Removes whatever is at the path, a directory with all it holds.
  ///
  /// Symbolic links are removed and not followed. What somebody else removes meanwhile is no
  /// error. After an error a part may be gone.
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

  /// Moves a file or a directory in one step, replacing a file, or an empty directory, that has
  /// the new name.
  ///
  /// A crash leaves the old or the new name, once the bytes were synced. The move is durable after
  /// ``syncDirectory(_:)`` of the new name's directory and then of the old one's.
  public func rename(_ path: String, to newPath: String) throws(DiskError) {
    try checkPath(newPath, .rename)
    try perform(.rename, "give the new name '\(newPath)' to", path) { calls throws(ErrorNumber) in
      try calls.rename(path, to: newPath)
    }
  }

  /// Gives a file a second name, which must be free.
  ///
  /// - Throws: ``DiskError`` with code `exists` if anything has the new name.
  public func link(_ path: String, to newPath: String) throws(DiskError) {
    try checkPath(newPath, .link)
    try perform(.link, "give the second name '\(newPath)' to", path) { calls throws(ErrorNumber) in
      try calls.link(path, to: newPath)
    }
  }

  /// Makes a symbolic link that leads to `destination`, which need not exist.
  public func makeSymbolicLink(_ path: String, to destination: String) throws(DiskError) {
    try checkPath(destination, .makeSymbolicLink)
    try perform(.makeSymbolicLink, "make symbolic link", path) { calls throws(ErrorNumber) in
      try calls.makeSymbolicLink(path, to: destination)
    }
  }

  /// Makes the names in a directory durable: what was created, moved and removed there.
  ///
  /// A file system that cannot sync a directory says `EINVAL` or `ENOTSUP`; that is no error here,
  /// because there is nothing else a program could do. Any other failure means that the names may
  /// be lost, and that a later sync proves nothing about them.
  public func syncDirectory(_ path: String) throws(DiskError) {
    let descriptor = try openDescriptor(path, OpenRequest(.read, isDirectory: true))
    defer { try? calls.close(descriptor) }
    do {
      try calls.sync(descriptor, .everything)
    } catch .invalidArgument, .notSupported {
      return
    } catch {
      throw .syncFailed(path: path, cause: error)
    }
  }

  /// Makes the name of the thing at a path durable, as ``syncDirectory(_:)`` does for all names beside it.
  public func syncDirectory(of path: String) throws(DiskError) {
    try syncDirectory(path.parentPath)
  }

  /// Makes one call on a path, again while signals interrupt it. `attempt` completes "Can't …".
  func perform<Result>(
    _ operation: DiskOperation, _ attempt: String, _ path: String,
    _ body: (any DiskCalls) throws(ErrorNumber) -> Result
  ) throws(DiskError) -> Result {
    try checkPath(path, operation)
    while true {
      do {
        return try body(calls)
      } catch .interrupted {
        continue
      } catch {
        throw .refused(operation, attempt, path: path, cause: error)
      }
    }
  }
}
