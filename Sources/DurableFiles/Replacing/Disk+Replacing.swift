extension Disk {
  /// Replaces a file by a new one, or creates it, so that everybody sees the old contents or the
  /// new, whole, even after a crash at any moment.
  ///
  ///     try disk.replace("Trip.quire/manifest.plist") { writer in
  ///       try writer.write(manifest)
  ///     }
  ///
  /// The new contents go to a temporary file in the same directory, which is synced, renamed over
  /// the old one, and made durable by a sync of the directory. After an error before the rename, be
  /// it one of `contents`'s own, the old file is untouched and the temporary one removed. If only
  /// the last sync fails the new contents are in place, and the error says that they may not
  /// survive. A crash may leave the temporary file: ``removeAbandonedReplacements(of:)``.
  ///
  /// Who holds the old file open goes on reading the old contents. The permissions stay as they
  /// were; owner, other names and extended attributes do not.
  ///
  /// - Parameters:
  ///   - path: The file. It must not be a directory, a pipe or a device.
  ///   - links: Followed, a symbolic link at the path stays and the file it leads to is replaced.
  ///   - overwriting: If false, a file that is there, or appears meanwhile, is an error with code
  ///     `exists`.
  ///   - newPermissions: The permissions of a file that replaces none; those of all new files if it is `nil`.
  ///   - contents: Writes the new contents. It may read the old file.
  /// - Returns: What `contents` returned.
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
      result = try writeReplacement(
        temporary, links: links, permissions: target.permissions ?? newPermissions,
        contents: contents)
      if overwriting {
        try rename(temporary, to: target.path)
      } else {
        // A rename would replace what appeared meanwhile; a second name is refused then.
        try link(temporary, to: target.path)
        try remove(temporary)
      }
    } catch {
      // Its cause is worth more to the caller than this one's, and what stays is only litter.
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

  /// A name beside a file, for one that somebody makes at length to take its place. A crash may leave it:
  /// ``removeAbandonedReplacements(of:)``.
  package func pathOfReplacement(for path: String) throws(DiskError) -> String {
    temporaryPath(for: try replacementTarget(path, links: .followed).path)
  }

  /// Puts a file that is whole and durable in the place of another, at once, as
  /// ``replace(_:links:overwriting:contents:)`` does.
  ///
  /// A directory takes a place where nothing is yet.
  ///
  /// - Parameters:
  ///   - backup: Another name for what is there now; nothing may have it yet.
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
      // Nothing is replaced: a directory that holds something keeps its name.
      try rename(replacement, to: target.path)
    } else {
      try link(replacement, to: target.path)
      try remove(replacement)
    }
    do { try syncDirectory(of: target.path) } catch {
      throw DiskError.replacedButNotDurable(path: path, cause: error)
    }
  }

  /// Writes another file with the same contents and permissions, which is there whole or not at all.
  package func copy(_ path: String, to other: String) throws(DiskError) {
    let file = try open(path, for: .read)
    do {
      // A copy of a private file is private from its first byte on.
      let permissions = try file.status().permissions
      try replace(other, overwriting: false, newPermissions: permissions) { writer in
        var offset = 0
        let end = try file.byteCount()
        while offset < end {
          let bytes = try file.read(byteCount: min(1 << 20, end - offset), at: offset)
          try writer.write(bytes)
          offset += bytes.count
        }
      }
    } catch let error as DiskError {
      throw error
    } catch { preconditionFailure("Only the disk fails here: \(error)") }
  }

  /// Writes a file, or a directory with all it holds, a second time. What is made is durable but for its own name.
  ///
  /// - Throws: ``DiskError`` with code `notARegularFile` when something in it is neither.
  package func copyTree(_ path: String, to other: String) throws(DiskError) {
    switch try status(of: path, followingLinks: false).kind {
    case .file: try copy(path, to: other)
    case .directory:
      try makeDirectory(other)
      for entry in try list(path, links: .refused) {
        try copyTree(
          path.appendingPathComponent(entry.name), to: other.appendingPathComponent(entry.name))
      }
      try syncDirectory(other)
    case let kind: throw .notARegularFile(path: path, kind: kind)
    }
  }

  /// The file that is to be replaced, at the end of all links, and its permissions if it exists.
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
  ) throws -> Result {
    let file = try open(
      temporary, for: .create, links: links, permissions: permissions ?? .newFile)
    // The process's mask was taken off; it is not to narrow a file that was there.
    if let permissions { try file.setPermissions(permissions) }
    let result = try file.append(contents: contents)
    try file.sync(.everything)
    try file.close()
    return result
  }

  /// Returns a new name beside `path`, for a file or a folder that is to take its place.
  package func temporaryPath(for path: String) -> String {
    let directory = path.parentPath
    TemporaryFiles.note(directory: directory, calls)
    return directory.appendingPathComponent(TemporaryName(for: path, calls).text)
  }
}
