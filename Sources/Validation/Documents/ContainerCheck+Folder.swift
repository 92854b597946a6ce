import Documents
import DurableFiles
import StoreInterface

extension ContainerCheck {
  /// Checks the recovery: a state that could not be saved because it was not valid (spec §7.6).
  ///
  /// - Returns: The manifest of the recovery; `nil` if it is missing or can't be read.
  func checkRecovery(_ manifest: ManifestCheck) throws -> Manifest? {
    let name =
      manifest.file == Manifest.fileName
      ? Container.recoveryFile : Container.recoveryFile(ofHead: manifest.head ?? "")
    guard let kind = try kind(name) else { return nil }
    let recovery: Manifest
    do {
      guard kind == .file else { throw RecoveryFault("This path is a \(kind).") }
      let file = try open(name)
      let byteCount = try file.byteCount()
      guard byteCount <= Manifest.byteLimit else {
        throw RecoveryFault(
          "The file has \(byteCount) bytes, but the limit is \(Manifest.byteLimit) bytes.")
      }
      recovery = try Manifest(
        file.read(byteCount: byteCount, at: 0), path: name, head: manifest.head)
      if let uuid = manifest.uuid, recovery.uuid != uuid {
        throw RecoveryFault(
          "The recovery belongs to the document \(recovery.uuid), but this document is \(uuid).")
      }
      for store in recovery.stores { try checkCommit(of: store, manifest) }
    } catch let error as DiskError {
      throw error
    } catch {
      findings.add(.brokenRecovery, place(name), "\(error)")
      return nil
    }
    findings.add(
      .recoveryThere, place(name),
      "The recovery contains changes that could not be saved, because they were not valid.")
    return recovery
  }

  private struct RecoveryFault: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Checks that the commit of a store that a recovery names still exists.
  private func checkCommit(of store: Manifest.StoreEntry, _ manifest: ManifestCheck) throws {
    let isOurs = FileChecks.own.contains(store.type)
    let kind = try kind(store.file)
    guard kind == .file || (!isOurs && kind == .directory) else {
      throw RecoveryFault("The recovery refers to \(store.file), which does not exist.")
    }
    guard let facts = head.facts[store.name],
      let known = manifest.stores.first(where: { $0.name == store.name }), known.file == store.file,
      known.commit != store.commit, !facts.commits.isEmpty,
      !facts.unconfirmed.contains(store.commit)
    else { return }
    throw RecoveryFault(
      "The recovery refers to commit \(store.commit) of \(store.file), which that file no longer contains."
    )
  }

  /// Checks that the folder contains only files of the document (spec §7.2.4).
  func checkFolder(_ manifest: ManifestCheck) throws {
    let folders = Container.folders
    for entry in try disk.list(path) {
      let name = entry.name
      if folders.contains(name), entry.kind == .directory { continue }
      let known = [
        Manifest.fileName, Container.recoveryFile, Container.lockFile, Container.sharingFile,
        Container.remotesFile,
      ]
      if known.contains(name) { continue }
      if !isForeign(name) { checkUnnamed(name, entry.kind, isLeftover: false) }
    }
    var named: Set<String> = seen.union([Container.currentHeadFile])
    for name in manifest.heads {
      named.insert(Container.manifestFile(ofHead: name))
      named.insert(Container.recoveryFile(ofHead: name))
    }
    for recovery in recoveries {
      named.formUnion(recovery.models.map(\.file))
      named.formUnion(recovery.files)
    }
    for folder in folders where try kind(folder) == .directory {
      for entry in try disk.list(inner(folder), links: .refused) {
        let name = "\(folder)/\(entry.name)"
        if named.contains(name) || isForeign(name) { continue }
        checkUnnamed(name, entry.kind, isLeftover: isLeftover(entry.name, in: folder))
      }
    }
  }

  private func checkUnnamed(_ name: String, _ kind: FileKind, isLeftover: Bool) {
    let isHidden = name.split(separator: "/").last?.utf8.first == UInt8(ascii: ".")
    if kind == .file && (isLeftover || isHidden) || kind == .directory && isLeftover {
      findings.add(.leftover, place(name), "The document does not refer to this file.")
    } else {
      findings.add(.strangeFile, place(name), "The document does not refer to this \(kind).")
    }
  }

  /// Whether a save may have created a file of this name.
  private func isLeftover(_ name: String, in folder: String) -> Bool {
    switch folder {
    case Container.attachmentsFolder: return name.isDigest
    case Container.modelsFolder: return name.hasSuffix(".xml")
    case Container.headsFolder: return name.hasSuffix(".json")
    default:
      // The name of a file of a head besides `main` begins with the name of the head and a dot.
      return name.split(separator: ".", omittingEmptySubsequences: false).prefix(2).contains {
        stem in
        let digits = stem.split(separator: "-", omittingEmptySubsequences: false).last ?? ""
        return digits.utf8.count < stem.utf8.count && !digits.isEmpty
          && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
      }
    }
  }
}
