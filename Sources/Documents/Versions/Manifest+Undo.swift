extension Manifest {
  /// Returns the version whose content undo restores (spec §7.4.10).
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion`` if there are fewer versions to take back.
  func versionBeforeUndo(steps: Int, path: String) throws(DocumentError) -> VersionEntry {
    precondition(steps > 0, "Undo takes back at least one version.")
    guard var current = versions.last else { throw DocumentError.noVersion(0, path) }
    for taken in 0..<steps {
      guard let before = versions.last(where: { $0.number < current.origin }) else {
        let reason = "no version before version \(current.origin) is kept."
        throw DocumentError(
          .noVersion,
          taken == 0
            ? "There is no version to take back: \(reason)"
            : "Only \(taken) of \(steps) versions can be taken back: \(reason)", path: path)
      }
      current = before
    }
    return current
  }
}

extension Manifest {
  /// Returns the version whose content redo restores (spec §7.4.10).
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion`` if fewer versions were undone.
  func versionToRedo(steps: Int, path: String) throws(DocumentError) -> VersionEntry {
    precondition(steps > 0, "Redo restores at least one version.")
    let undone = undoneVersions
    guard undone.count >= steps else {
      throw DocumentError(
        .noVersion,
        undone.isEmpty
          ? "There is nothing to redo: the last version was not made by undo."
          : "Only \(undone.count) of \(steps) versions can be redone.", path: path)
    }
    let number = undone[undone.count - steps]
    // The version itself may be forgotten, while a later one with its content is kept.
    guard let version = versions.last(where: { $0.origin == number }) else {
      throw DocumentError.noVersion(number, path)
    }
    return version
  }

  /// The origins of the versions that were taken back and not restored, the next one to redo last.
  private var undoneVersions: [Int64] {
    var undone: [Int64] = []
    var kept: [VersionEntry] = []
    for version in versions {
      if version.undoneTo == nil {
        undone = []
      } else if var current = kept.last {
        while current.origin > version.origin {
          undone.append(current.origin)
          guard let before = kept.last(where: { $0.number < current.origin }) else { break }
          current = before
        }
        // Redo raises the origin, and undo lowers it.
        while let last = undone.last, last <= version.origin { undone.removeLast() }
      }
      kept.append(version)
    }
    return undone
  }
}

extension Manifest.VersionEntry {
  /// The version whose content this version has: the version to which undo returned, or this version itself.
  package var origin: Int64 { undoneTo ?? number }
}
