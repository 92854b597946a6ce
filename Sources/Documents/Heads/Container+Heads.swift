import Archives
import DurableFiles
import StoreInterface

/// Heads: each has its manifest and its files in the document's folder (spec §7.7).
extension Container {
  /// The name of the head, also if it is the first one.
  var headName: String { head ?? HeadName.main }

  /// Returns the path of the manifest of a head besides `main`, relative to the document.
  package static func manifestFile(ofHead name: String) -> String { "\(headsFolder)/\(name).json" }

  /// Returns the path of the recovery of a head besides `main`, relative to the document.
  package static func recoveryFile(ofHead name: String) -> String {
    "\(headsFolder)/\(name).recovery.json"
  }

  /// Returns the manifest of `main`, which lists the heads.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noHead`` if it does not list the given head.
  func mainManifest(naming head: String) throws -> Manifest {
    let main = try on(nil).writtenManifest().manifest
    guard main.heads.contains(head) else {
      let known = main.headNames.map { "\"\($0)\"" }.joined(separator: ", ")
      throw DocumentError(
        .noHead, "The document has no head \"\(head)\". It has: \(known).", path: path)
    }
    return main
  }

  /// Returns the number of the version with a name, unless a head has this name.
  ///
  /// - Parameter acceptsDamage: Whether a damaged end of a log is left out. Otherwise it is an error.
  func version(named name: String, acceptsDamage: Bool) throws -> Int64? {
    let manifest = try on(nil).manifest(acceptsDamage: acceptsDamage).manifest
    guard name != HeadName.main, !manifest.heads.contains(name) else { return nil }
    if let version = manifest.versions.last(where: { $0.name == name }) { return version.number }
    for head in manifest.heads {
      let versions = try on(head).manifest(acceptsDamage: acceptsDamage).manifest.versions
      if let version = versions.last(where: { $0.name == name }) { return version.number }
    }
    return nil
  }

  /// Makes the folder of heads durable, if the document does not have it yet.
  func makeHeadsFolder() throws {
    let folder = inner(Container.headsFolder)
    guard try !disk.exists(folder) else { return }
    try disk.makeDirectory(folder)
    try disk.syncDirectory(path)
  }

  /// Returns the path of a file of a store that only this head has, relative to the document.
  ///
  /// - Parameter name: The name of the file without the head.
  func storeFile(_ name: String) -> String {
    "\(Container.storesFolder)/\(head.map { "\($0)." } ?? "")\(name)"
  }

  /// Returns the same folder as another head sees it; `nil` for `main`.
  func on(_ head: String?) -> Container {
    var other = self
    other.head = head == HeadName.main ? nil : head
    return other
  }

  /// Returns the folder at another path, with the same head.
  func at(_ path: String) -> Container {
    Container(path: path, disk: disk, backends: backends, head: head)
  }

  /// Returns the folder of a copy at another path. The copy of a packed document is not in it, but on the disk that it lies on.
  func copy(at path: String) -> Container {
    let outside = (disk as? PackedDisk)?.outside ?? disk
    return Container(path: path, disk: outside, backends: backends, head: head)
  }

  /// Throws ``DocumentError`` with code ``DocumentError/Code/noHead`` if the document has no such head, and checks that the
  /// head's manifest belongs to the document.
  func checkIsHead() throws {
    guard let head else { return }
    let main = try mainManifest(naming: head)
    guard try writtenManifest().manifest.uuid == main.uuid else {
      throw DocumentError(
        .damaged, "The manifest of the head \"\(head)\" belongs to another document.",
        path: manifestPath)
    }
  }

  /// The names of the heads that have a file in the folder of heads. A damaged document may have lost the manifest of
  /// `main`, and with it the list of the heads.
  var writtenHeads: [String] {
    let files = (try? disk.list(inner(Container.headsFolder), links: .refused)) ?? []
    let names = files.map { String($0.name.prefix { $0 != "." }) }
    return Set(names.filter { HeadName.objection(to: $0) == nil }).sorted()
  }

  /// Returns the names of all heads of the document, `main` first.
  ///
  /// - Parameter manifest: The manifest of this head.
  func headNames(_ manifest: Manifest) throws -> [String] {
    head == nil ? manifest.headNames : try on(nil).writtenManifest().manifest.headNames
  }

  /// Returns the other heads of the document.
  ///
  /// - Parameter manifest: The manifest of this head.
  func otherHeads(_ manifest: Manifest) throws -> [Container] {
    try headNames(manifest).filter { $0 != headName }.map(on)
  }

  /// Returns the manifests that name files of the document besides the given one: the manifests of other heads, and all
  /// recoveries.
  ///
  /// - Throws: ``DocumentError`` if one of them can't be read. No file may be removed then.
  func otherManifests(_ manifest: Manifest) throws -> [Manifest] {
    let others = try otherHeads(manifest)
    return try others.map { try $0.writtenManifest().manifest }
      + (others + [self]).compactMap { try $0.recovery() }
  }

  /// Removes manifests and recoveries of heads that were removed, or never finished.
  func removeUnnamedHeads(_ manifest: Manifest, _ others: [Manifest]) {
    let names = ([manifest] + others).flatMap(\.heads)
    let named = Set(
      names.flatMap { [Container.manifestFile(ofHead: $0), Container.recoveryFile(ofHead: $0)] })
    for entry in (try? disk.list(inner(Container.headsFolder), links: .refused)) ?? [] {
      let name = "\(Container.headsFolder)/\(entry.name)"
      let head = String(entry.name.prefix { $0 != "." })
      let isOurs =
        HeadName.objection(to: head) == nil
        && [Container.manifestFile(ofHead: head), Container.recoveryFile(ofHead: head)].contains(
          name)
      if entry.kind == .file, isOurs, !named.contains(name) { try? disk.remove(inner(name)) }
    }
  }

  /// Removes the files of a head that the manifest of `main` does not list.
  ///
  /// - Parameters:
  ///   - own: The manifest of this head.
  ///   - removed: The manifest of the head whose files are removed; `nil` if it can't be read.
  func removeFiles(ofHead name: String, _ own: Manifest, _ removed: Manifest?) {
    // If a manifest can't be read, the files that it names are unknown.
    guard let others = try? otherManifests(own) else { return }
    let head = on(name)
    try? disk.remove(head.manifestPath)
    try? disk.remove(head.recoveryPath)
    let named = Set(([own] + others).flatMap(\.files))
    let folder = (try? disk.list(inner(Container.storesFolder), links: .refused)) ?? []
    let made = folder.map { "\(Container.storesFolder)/\($0.name)" }
      .filter { $0.hasPrefix(head.storeFile("")) }
    let known = (removed?.stores ?? []).flatMap(\.files)
    for file in Set(made + known).subtracting(named) { try? disk.removeTree(inner(file)) }
  }

  /// Returns the highest number that a version or a recovery of another head has, as far as it can be read.
  func highestNumberOfOthers(_ manifest: Manifest) throws -> Int64 {
    var highest: Int64 = 0
    for head in try readIfSound({ try otherHeads(manifest) }) ?? [] {
      highest = max(
        highest, try readIfSound { try head.manifest().manifest.number } ?? 0,
        try readIfSound { try head.recovery()?.number ?? 0 } ?? 0)
    }
    return highest
  }
}
