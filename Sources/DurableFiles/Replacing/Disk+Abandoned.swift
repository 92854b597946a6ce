extension Disk {
  /// Removes temporary files that ended processes left behind while they replaced `path`.
  ///
  /// Files of running processes stay. The caller must hold the lock of the path's writers, because a file that an ended
  /// process had moved away is put back.
  ///
  /// - Returns: The number of files that were removed.
  @discardableResult
  public func removeAbandonedReplacements(of path: String) throws(DiskError) -> Int {
    let target = try destination(path).path
    let stem = TemporaryName.shortened(target.lastPathComponent)
    return try removeAbandoned(in: target.parentPath, target: target) { $0.stem == stem }
  }

  /// Removes all temporary files in a directory that ended processes left behind.
  ///
  /// - Returns: The number of files that were removed.
  @discardableResult
  package func removeAbandonedReplacements(in directory: String) throws(DiskError) -> Int {
    try removeAbandoned(in: directory, target: nil) { _ in true }
  }

  /// Removes a temporary file or folder of this process. If the disk refuses, the next writer of the
  /// same path removes it.
  func discard(_ temporary: String, by remove: () throws -> Void) {
    do { try remove() } catch {
      guard (try? exists(temporary)) != false,
        let name = TemporaryName(parsing: temporary.lastPathComponent)
      else { return }
      calls.abandon(temporaryNumber: name.number)
    }
  }

  private func removeAbandoned(
    in directory: String, target: String?, where isMeant: (TemporaryName) -> Bool
  ) throws(DiskError) -> Int {
    var count = 0
    for entry in try list(directory) where entry.kind == .file || entry.kind == .directory {
      guard let name = TemporaryName(parsing: entry.name), isMeant(name),
        name.isAbandoned(seenBy: calls)
      else { continue }
      let path = directory.appendingPathComponent(entry.name)
      if entry.kind == .directory {
        // A shortened stem does not contain the whole name of the target. Only the next writer of the target knows that
        // name, so the folder stays.
        if let target {
          try restore(from: path, target)
        } else if try exists(path.appendingPathComponent(Workspace.oldFolder)) {
          continue
        }
      }
      try removeTree(path)
      count += 1
    }
    return count
  }

  /// Moves the old file back to `target` if an ended process had moved it away and `target` does not exist.
  private func restore(from workspace: String, _ target: String) throws(DiskError) {
    let folder = workspace.appendingPathComponent(Workspace.oldFolder)
    let old = folder.appendingPathComponent(target.lastPathComponent)
    guard try exists(old), try !exists(target) else { return }
    for entry in try list(folder, links: .refused) where entry.name != target.lastPathComponent {
      try rename(
        folder.appendingPathComponent(entry.name),
        to: target.parentPath.appendingPathComponent(entry.name))
    }
    try syncDirectory(of: target)
    // The file itself comes last, so that no process reads it before its companions are there.
    try rename(old, to: target)
    try syncDirectory(of: target)
  }
}
