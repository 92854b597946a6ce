extension Disk {
  /// Replaces or creates a file atomically: every reader sees either all of the old contents or all of the new, even
  /// after a crash at any moment.
  ///
  ///     try disk.replace("Trip.quire/manifest.json") { writer in
  ///       try writer.write(manifest)
  ///     }
  ///
  /// The new contents go to a temporary file in the same directory. That file is synced and renamed over the old one,
  /// and a sync of the directory makes the rename durable. After an error before the rename, also an error of
  /// `contents`, the old file is unchanged and the temporary file is removed. If only the last sync fails, the new
  /// contents are in place, and the error says that they may not survive. A crash may leave the temporary file:
  /// ``removeAbandonedReplacements(of:)``.
  ///
  /// An open handle of the old file still reads the old contents. The permissions are kept; the owner, other names
  /// and extended attributes are not.
  ///
  /// - Parameters:
  ///   - path: The file. It must not be a directory, a pipe or a device.
  ///   - links: If links are followed, a symbolic link at the path stays, and the file that it refers to is replaced.
  ///   - overwriting: If false, an existing file, or one that appears meanwhile, is an error with code `exists`.
  ///   - newPermissions: The permissions of a file that replaces none; if `nil`, the default for new files.
  ///   - contents: Writes the new contents. It may read the old file.
  /// - Returns: The result of `contents`.
  public func replace<Result>(
    _ path: String, links: LinkRule = .followed, overwriting: Bool = true,
    newPermissions: FilePermissions? = nil,
    contents: (inout FileWriter) throws -> Result
  ) throws -> Result {
    let target = try replacementTarget(path, links: links)
    if target.permissions != nil, !overwriting {
      throw DiskError.refused(.open, "create", path: path, cause: .exists)
    }
    let temporary = temporaryPath(for: target.path)
    let result: Result
    do {
      let file: DurableFile
      (result, file) = try writeReplacement(
        temporary, links: links, permissions: target.permissions ?? newPermissions,
        contents: contents)
      try file.close()
      if overwriting {
        try rename(temporary, to: target.path)
      } else {
        // A rename would replace a file that appeared meanwhile. Giving the file a second name fails in this case.
        try link(temporary, to: target.path)
        try remove(temporary)
      }
    } catch {
      // The first error matters more to the caller than a failure to remove the temporary file, which does no harm.
      discard(temporary, by: { try remove(temporary) })
      throw error
    }
    do {
      try syncDirectory(of: target.path)
    } catch {
      throw DiskError.replacedButNotDurable(path: path, cause: error)
    }
    return result
  }

  /// Replaces or creates a file as ``replace(_:links:overwriting:newPermissions:contents:)`` does, and calls `body` while this
  /// call holds the lock of the new file.
  ///
  /// A lock belongs to a file and not to its name. A process that holds only the lock of the old file lets others write to the
  /// new one as soon as it has the name: before the name is durable, and before the process has looked at the file.
  ///
  /// - Parameter body: Receives the result of `contents`. The new file is in its place, but may not survive a crash if there is
  ///   an error.
  package func replaceLocked<Written, Result>(
    _ path: String, newPermissions: FilePermissions? = nil,
    contents: (inout FileWriter) throws -> Written,
    whenInPlace body: (Written, DiskError?) throws -> Result
  ) throws -> Result {
    let (written, file, failure) = try replaceKeepingLock(
      path, newPermissions: newPermissions, contents: contents)
    defer {
      // A child process that another thread is starting may have a copy of the descriptor.
      try? file.unlock()
      try? file.close()
    }
    return try body(written, failure)
  }

  /// Replaces a file as ``replaceLocked(_:newPermissions:contents:whenInPlace:)`` does, for a caller that goes on to hold the
  /// lock of the new file.
  ///
  /// - Returns: The result of `contents`, the new file, and the error if the new file may not survive a crash. The file is
  ///   locked until it is closed. Its path is that of the temporary file that it was before.
  package func replaceKeepingLock<Written>(
    _ path: String, newPermissions: FilePermissions? = nil,
    contents: (inout FileWriter) throws -> Written
  ) throws -> (Written, DurableFile, DiskError?) {
    let target = try replacementTarget(path, links: .followed)
    let temporary = temporaryPath(for: target.path)
    let written: Written
    let file: DurableFile
    do {
      (written, file) = try writeReplacement(
        temporary, links: .followed, permissions: target.permissions ?? newPermissions,
        contents: contents)
      try file.lock(.exclusive)
      try rename(temporary, to: target.path)
    } catch {
      discard(temporary, by: { try remove(temporary) })
      throw error
    }
    do { try syncDirectory(of: target.path) } catch {
      return (written, file, .replacedButNotDurable(path: path, cause: error))
    }
    return (written, file, nil)
  }

  /// Returns a path beside a file, for a replacement that the caller writes itself. A crash may leave the
  /// replacement: ``removeAbandonedReplacements(of:)``.
  package func pathOfReplacement(for path: String) throws(DiskError) -> String {
    temporaryPath(for: try replacementTarget(path, links: .followed).path)
  }

  /// Puts a complete and durable file in the place of another in one step, as
  /// ``replace(_:links:overwriting:contents:)`` does.
  ///
  /// A directory can only be put at a path that does not exist.
  ///
  /// - Parameters:
  ///   - backup: Another name that the replaced file gets. The name must be free.
  package func put(
    _ replacement: String, inPlaceOf path: String, keeping backup: String? = nil,
    overwriting: Bool = true
  ) throws(DiskError) {
    let target = try replacementTarget(path, links: .followed)
    if let permissions = target.permissions {
      guard overwriting else {
        throw DiskError.refused(.open, "create", path: path, cause: .exists)
      }
      let file = try open(replacement, for: .update)
      try file.setPermissions(permissions)
      try file.close()
      if let backup {
        try link(target.path, to: backup)
        try syncDirectory(of: backup)
      }
      try rename(replacement, to: target.path)
    } else if try status(of: replacement, followingLinks: false).kind == .directory {
      // Nothing is replaced: a rename fails if a directory that is not empty has the name.
      try rename(replacement, to: target.path)
    } else {
      try link(replacement, to: target.path)
      try remove(replacement)
    }
    do { try syncDirectory(of: target.path) } catch {
      throw DiskError.replacedButNotDurable(path: path, cause: error)
    }
  }

  /// Copies a file with its permissions, to this disk or to another one. The copy is complete or does not exist.
  ///
  /// Long parts that were never written are not written in the copy either, so that a file of a terabyte of nothing does
  /// not fill the disk.
  package func copy(
    _ path: String, to other: String, on target: (any Disk)? = nil
  ) throws(DiskError) {
    let file = try open(path, for: .read)
    do {
      // The copy of a private file is private from its first byte on.
      let permissions = try file.status().permissions
      try (target ?? self).replace(other, overwriting: false, newPermissions: permissions) {
        writer in
        var offset = 0
        let end = try file.byteCount()
        while offset < end {
          // The last byte is always written, so that the copy is as long as the file.
          let stored = min(file.startOfStoredBytes(from: offset) ?? end, end - 1)
          if stored > offset {
            try writer.skip(stored - offset)
            offset = stored
          }
          let bytes = try file.read(byteCount: min(1 << 20, end - offset), at: offset)
          try writer.write(bytes)
          offset += bytes.count
        }
      }
    } catch let error as DiskError {
      throw error
    } catch { preconditionFailure("Only a disk error is expected here: \(error)") }
  }

  /// Copies a file, or a directory with everything in it, to this disk or to another one. The copy is durable, except for its
  /// own name.
  ///
  /// - Throws: ``DiskError`` with code `notARegularFile` for an item that is neither a file nor a directory.
  package func copyTree(
    _ path: String, to other: String, on target: (any Disk)? = nil
  ) throws(DiskError) {
    switch try status(of: path, followingLinks: false).kind {
    case .file: try copy(path, to: other, on: target)
    case .directory:
      try (target ?? self).makeDirectory(other)
      for entry in try list(path, links: .refused) {
        try copyTree(
          path.appendingPathComponent(entry.name), to: other.appendingPathComponent(entry.name),
          on: target)
      }
      try (target ?? self).syncDirectory(other)
    case let kind: throw .notARegularFile(path: path, kind: kind)
    }
  }

  /// Returns the path of the file to replace, at the end of all links, and its permissions if it exists.
  private func replacementTarget(
    _ path: String, links: LinkRule
  ) throws(DiskError) -> (path: String, permissions: FilePermissions?) {
    if links != .followed,
      (try? status(of: path, followingLinks: false).kind) == .symbolicLink
    {
      throw .refused(.open, "replace", path: path, cause: .tooManyLinks)
    }
    let (target, found) = try destination(path)
    if found?.kind == .directory {
      throw .refused(.open, "replace", path: path, cause: .isDirectory)
    }
    return (target, found?.permissions)
  }

  private func writeReplacement<Result>(
    _ temporary: String, links: LinkRule, permissions: FilePermissions?,
    contents: (inout FileWriter) throws -> Result
  ) throws -> (Result, DurableFile) {
    let file = try open(
      temporary, for: .create, links: links, permissions: permissions ?? .newFile)
    // The process's mask was subtracted when the file was created. The mask must not narrow the permissions of the
    // old file.
    if let permissions { try file.setPermissions(permissions) }
    let result = try file.append(contents: contents)
    try file.sync(.everything)
    return (result, file)
  }

  /// Returns a new name beside `path`, for a file or a folder that will take its place.
  package func temporaryPath(for path: String) -> String {
    let directory = path.parentPath
    TemporaryFiles.record(directory: directory, calls)
    return directory.appendingPathComponent(TemporaryName(for: path, calls).text)
  }
}
