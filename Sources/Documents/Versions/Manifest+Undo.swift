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

extension Manifest.VersionEntry {
  /// The version whose content this version has: the version to which undo returned, or this version itself.
  var origin: Int64 { undoneTo ?? number }
}
