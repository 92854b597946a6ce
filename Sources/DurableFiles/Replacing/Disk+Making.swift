import Threads

extension Disk {
  /// Makes a file or a folder in a private place, and moves it to its path when it is complete.
  ///
  ///     try disk.make("Trips.xml", overwriting: true) { temporary in
  ///       try write(to: temporary)
  ///     }
  ///
  /// After any failure the old file or folder is in its place, with its companions. After a crash it is there, or the
  /// next call for the same path puts it back. A call in another process for the same path fails meanwhile. A new
  /// file has the permissions of the file that it replaces.
  ///
  /// - Parameters:
  ///   - path: The path. A symbolic link stays, and the new file replaces the file that the link refers to.
  ///   - overwriting: Whether the new file may replace an old one.
  ///   - acceptsEmptyFolder: Whether an empty folder at the path counts as nothing.
  ///   - companionEndings: Endings of the names of files that belong to the old file, such as `-wal`. They are
  ///     removed with the old file.
  ///   - contents: Makes the new file or folder at the path that it is given, durably.
  ///   - check: Checks the new file in its place. If it throws, the old file is put back.
  /// - Returns: The result of `contents`.
  /// - Throws: ``DiskError`` with code `exists` if the path exists and `overwriting` is false, and with code `locked`
  ///   if another process makes the same path; the errors of `contents` and `check`.
  package func make<Result>(
    _ path: String, overwriting: Bool, acceptsEmptyFolder: Bool = false,
    companionEndings: [String] = [],
    contents: (_ temporary: String) throws -> Result, check: (Result) throws -> Void = { _ in }
  ) throws -> Result {
    let target = try destination(path).path.trimmingSlashes
    if !overwriting, try isTaken(target, acceptsEmptyFolder) {
      removeLeftovers(of: target)
      throw DiskError.refused(.open, "create", path: path, cause: .exists)
    }
    return try writingAlone(target) {
      _ = try? removeAbandonedReplacements(of: target)
      let old = try destination(target).status
      if !overwriting {
        if old != nil, try isTaken(target, acceptsEmptyFolder) {
          throw DiskError.refused(.open, "create", path: path, cause: .exists)
        }
        let companions = try Workspace.companions(of: target, companionEndings, on: self)
        if let companion = companions.first {
          throw DiskError.refused(.open, "create", path: companion, cause: .exists)
        }
      }
      let workspace = try Workspace(self, for: target, companionEndings: companionEndings)
      let result: Result
      do {
        result = try contents(workspace.newPath)
        try TemporaryFiles.switching.withLock {
          try workspace.takePlace(of: old) { try check(result) }
        }
      } catch {
        workspace.removeAfterFailure()
        throw error
      }
      workspace.remove()
      return result
    }
  }

  /// Removes the leftovers of ended processes that made a file or a folder at a path.
  ///
  /// A process may end after it has moved the new file to its path, and leave only its temporary folder. So a command
  /// that refuses to replace the file calls this function. Nothing happens if another process makes the path, or if
  /// the disk refuses.
  package func removeLeftovers(of path: String) {
    guard let target = try? destination(path).path.trimmingSlashes else { return }
    _ = try? writingAlone(target) { try removeAbandonedReplacements(of: target) }
  }

  /// Puts back the file or folder that an ended process had moved away from a path to put a new one there.
  ///
  /// File systems that exchange two names in one step never need this. On others, a process that ends between its two
  /// renames leaves nothing at the path.
  ///
  /// - Returns: Whether there is a file or a folder at the path now.
  package func restoreMovedAway(_ path: String) -> Bool {
    guard let target = try? destination(path).path.trimmingSlashes, (try? exists(target)) == false,
      let entries = try? list(target.parentPath)
    else { return false }
    let stem = TemporaryName.shortened(target.lastPathComponent)
    let isMovedAway = entries.contains { entry in
      TemporaryName(parsing: entry.name)?.stem == stem && entry.kind == .directory
    }
    // Nothing is written, not even a lock file, unless there is something to put back.
    if isMovedAway { removeLeftovers(of: target) }
    return (try? exists(target)) == true
  }

  /// Makes a file as ``make(_:overwriting:acceptsEmptyFolder:companionEndings:contents:check:)`` does, and syncs it.
  package func makeFile<Result>(
    _ path: String, overwriting: Bool, companionEndings: [String] = [],
    contents: (inout FileWriter) throws -> Result
  ) throws -> Result {
    if let status = try? destination(path).status, status.kind == .directory {
      throw DiskError.refused(.open, "replace", path: path, cause: .isDirectory)
    }
    return try make(path, overwriting: overwriting, companionEndings: companionEndings) {
      temporary in
      let file = try open(temporary, for: .create)
      let result = try file.append(contents: contents)
      try file.sync(.everything)
      try file.close()
      return result
    }
  }

  /// Makes the missing directories that lead to a path.
  package func makeDirectories(for path: String) throws(DiskError) {
    let parent = path.parentPath
    guard try !exists(parent) else { return }
    try makeDirectories(for: parent)
    try makeDirectory(parent)
  }

  /// Sets the permissions of an existing file or directory.
  package func setPermissions(
    of path: String, isDirectory: Bool, to permissions: FilePermissions
  ) throws(DiskError) {
    let descriptor = try openDescriptor(
      path, OpenRequest(.read, links: .refused, isDirectory: isDirectory))
    defer { try? calls.close(descriptor) }
    do {
      try repeating { () throws(ErrorNumber) in
        try calls.setPermissions(descriptor, to: permissions)
      }
    } catch {
      throw .refused(.setPermissions, "set the permissions of", path: path, cause: error)
    }
  }

  private func isTaken(_ target: String, _ acceptsEmptyFolder: Bool) throws(DiskError) -> Bool {
    guard try exists(target) else { return false }
    guard acceptsEmptyFolder, try status(of: target).kind == .directory else { return true }
    return try !list(target).isEmpty
  }

  /// Calls `body` while no other process makes the same path.
  private func writingAlone<Result>(
    _ target: String, _ body: () throws -> Result
  ) throws -> Result {
    let name = ".\(TemporaryName.shortened(target.lastPathComponent)).quire-lock"
    let path = target.parentPath.appendingPathComponent(name)
    // From here on a signal ends this process only after it has removed its files. It waits for the calls that make a lock
    // file and record it, and for those that remove it.
    TemporaryFiles.record(directory: target.parentPath, calls)
    let lock = try TemporaryFiles.switching.withLock {
      let lock: FileLock
      do { lock = try self.lock(path) } catch {
        // The call may have made the file before it failed. A file that another process holds stays.
        if let lock = try? self.lock(path) {
          if lock.isLockFile { try? remove(path) }
          try? lock.release()
        }
        throw error
      }
      if lock.isLockFile { TemporaryFiles.record(lockFile: path, calls) }
      return lock
    }
    defer {
      TemporaryFiles.switching.withLock {
        // The file is removed while the lock is held: a process that waits for it then sees that its file has no name
        // any more.
        if lock.isLockFile { do { try remove(path) } catch { try? remove(path) } }
        TemporaryFiles.forget(lockFile: path, calls)
      }
      try? lock.release()
    }
    return try body()
  }

  /// Returns the path at the end of all symbolic links, and the status of the file or folder there, if it exists.
  func destination(_ path: String) throws(DiskError) -> (path: String, status: FileStatus?) {
    var target = path
    for _ in 0..<40 {
      let found: FileStatus
      do { found = try status(of: target, followingLinks: false) } catch let error
        where error.code == .notFound
      {
        return (target, nil)
      }
      switch found.kind {
      case .file, .directory: return (target, found)
      case .special: throw .notARegularFile(path: path, kind: found.kind)
      case .symbolicLink:
        let link = target
        let leads = try perform(.readSymbolicLink, "follow", link) {
          calls throws(ErrorNumber) in try calls.readSymbolicLink(link)
        }
        target =
          leads.utf8.first == UInt8(ascii: "/")
          ? leads : link.parentPath.appendingPathComponent(leads)
      }
    }
    throw .refused(.open, "follow", path: path, cause: .tooManyLinks)
  }
}
