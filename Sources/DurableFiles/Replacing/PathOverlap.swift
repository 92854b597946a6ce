/// The way in which a path that is written overlaps a path that is read.
package enum PathOverlap: Hashable, Sendable {
  /// Both paths name the same file or folder, possibly by different names.
  case same
  /// The output lies inside the folder that is read.
  case inside
  /// The file that is read lies inside the output.
  case around
  /// One path is a file that belongs to the other, such as the log of a database.
  case companion
}

extension Disk {
  /// Returns the way in which writing `output` would destroy or change `input`, or `nil` if it would not.
  ///
  /// The function recognizes the same file behind symbolic links, hard links, and names that the file system treats
  /// as equal.
  package func overlap(ofOutput output: String, withInput input: String) throws(DiskError)
    -> PathOverlap?
  {
    guard let read = try statusIfThere(input) else { return nil }
    let (target, written) = try destination(output)
    if written?.identity == read.identity { return .same }
    if read.kind == .directory {
      if try isPath(target.parentPath, within: read.identity) { return .inside }
      if let written, written.kind == .file, written.nameCount > 1,
        try tree(input, contains: written.identity)
      {
        return .inside
      }
    }
    let source = try destination(input).path
    if let written, written.kind == .directory,
      try isPath(source.parentPath, within: written.identity)
    {
      return .around
    }
    return try areCompanions(target, source) ? .companion : nil
  }

  /// Returns whether a directory has the given identity or lies below the directory with that identity.
  private func isPath(_ path: String, within folder: FileIdentity) throws(DiskError) -> Bool {
    guard var identity = try statusIfThere(path)?.identity else { return false }
    var path = path
    while identity != folder {
      path = path.appendingPathComponent("..")
      guard path.utf8.count < 4000, let parent = try statusIfThere(path)?.identity,
        parent != identity
      else { return false }
      identity = parent
    }
    return true
  }

  /// Returns whether a folder contains a file of the given identity at any depth.
  private func tree(_ folder: String, contains file: FileIdentity) throws(DiskError) -> Bool {
    for entry in try list(folder) {
      let path = folder.appendingPathComponent(entry.name)
      switch entry.kind {
      case .file:
        if try statusIfThere(path)?.identity == file { return true }
      case .directory:
        if try tree(path, contains: file) { return true }
      case .symbolicLink, .special: continue
      }
    }
    return false
  }

  /// Returns whether one of the paths is a file that belongs to the other. Names are compared without case, because
  /// the file system may do the same.
  private func areCompanions(_ first: String, _ second: String) throws(DiskError) -> Bool {
    let names = [first, second].map { $0.lastPathComponent.lowercased() }
    let endings = TemporaryName.companionEndings + [".lock"]
    guard
      endings.contains(where: { names[0] + $0 == names[1] || names[1] + $0 == names[0] })
    else { return false }
    let folders = try [statusIfThere(first.parentPath), statusIfThere(second.parentPath)]
    return folders[0] != nil && folders[0]?.identity == folders[1]?.identity
  }
}
