import Documents
import DurableFiles
import StoreInterface

extension ContainerCheck {
  /// Reads the versions that commits of the log are on their own, and adds them to the versions of the manifest
  /// (spec §7.4.11).
  ///
  /// The check of the store reports the faults of its file.
  func readLog(_ manifest: ManifestCheck) throws {
    guard let name = manifest.log, let newest = manifest.list.newest,
      let file = manifest.stores.first(where: { $0.name == name })?.file,
      try kind(String(file.prefix { $0 != "/" })) == .directory, try kind(file) == .file
    else { return }
    manifest.logIsRead = true
    let opened = try open(file)
    let check = BlockFileCheck(
      opened, byteCount: try opened.byteCount(), model: nil, progress: { _ in })
    for version in try VersionsInLog(check).all(after: newest) {
      if version.before != manifest.versions.last {
        findings.add(
          .loggedVersion, place(file),
          "Version \(version.number) follows version \(version.before), but the version before is "
            + "\(manifest.versions.last ?? 0).")
      }
      manifest.add(version)
    }
  }
}
