import DurableFiles
import StoreInterface

/// The making of a head: its files and its manifest, before the manifest of `main` names the head (spec §7.7.6).
struct HeadMaking {
  /// The head that the versions are copied from.
  let source: Container
  /// The manifest of the source.
  let manifest: Manifest
  /// The head that is made.
  let target: Container
  let places: StorePlaces

  /// Copies the files that the head needs at a version, and writes the manifest of the head.
  func run(at number: Int64) throws {
    // A head of this name may have been removed, and its files with it only in part.
    removeFiles()
    let disk = target.disk
    try target.makeHeadsFolder()
    var made = manifest
    (made.head, made.heads, made.log) = (target.head, [], nil)
    let newest = made.number
    for index in made.stores.indices {
      try copy(&made.stores[index], at: number)
    }
    made.versions.removeAll { $0.number > number }
    made.model = made.versions[made.versions.count - 1].model
    made.attachments.removeAll { $0.since > number }
    for index in made.attachments.indices where made.attachments[index].until ?? 0 > number {
      made.attachments[index].until = nil
    }
    made.keep(made.versions)
    try disk.syncDirectory(target.inner(Container.storesFolder))
    try target.replace(made, at: target.manifestPath)
    if number < newest { try forgetLaterCommits(made) }
  }

  /// Copies the file that has a store at a version.
  private func copy(_ entry: inout Manifest.StoreEntry, at number: Int64) throws {
    let backend = try source.backend(of: entry)
    let then = try source.position(of: entry, number, backend, places)
    try source.checkIsStore(then.file)
    let ending = then.file.split(separator: ".").last ?? "store"
    let file = target.storeFile(
      "\(Container.stem(of: entry.name, uuid: then.uuid))-\(number).\(ending)")
    try target.disk.copyTree(source.inner(then.file), to: target.inner(file))
    try backend.completeCopy(at: target.inner(file), on: target.disk)
    entry.earlier.removeAll { $0.until > number }
    for index in entry.earlier.indices {
      // An entry without a UUID has that of the file that counts.
      let uuid = entry.earlier[index].uuid ?? entry.uuid
      entry.earlier[index].uuid = uuid == then.uuid ? nil : uuid
    }
    (entry.file, entry.commit, entry.uuid) = (file, then.commit, then.uuid)
  }

  /// Removes the commits behind the version from the copied files.
  private func forgetLaterCommits(_ made: Manifest) throws {
    for entry in made.stores {
      let store = try target.open(entry, made, places, readOnly: false)
      defer { try? store.close() }
      try store.features.history?.keepCommits { $0 <= entry.commit }
    }
  }

  /// Removes files that a head of this name has left, or that were made for this one.
  func removeFiles() { source.removeFiles(ofHead: target.headName, manifest, nil) }
}
