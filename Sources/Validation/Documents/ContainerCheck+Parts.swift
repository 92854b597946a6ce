import Checksums
import Documents
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import StoreInterface

extension ContainerCheck {
  /// Checks the files of models against the manifest (spec §7.3.4).
  func checkModels(_ manifest: ManifestCheck) throws {
    for entry in manifest.models {
      guard let file = entry.file else { continue }
      if seen.insert(file).inserted, try isThere(file, orElse: .missingModel) {
        files.models[file] = try readModel(file)
      }
      guard let model = files.models[file], let hashes = entry.hashes else { continue }
      guard model.versionHashes == hashes else {
        findings.add(
          .modelFileHashes, place(file), differences(model.versionHashes, hashes, "the manifest"))
        continue
      }
      if entry.name == manifest.model { head.model = model }
    }
  }

  private func readModel(_ name: String) throws -> Model? {
    let file = try open(name)
    let byteCount = try file.byteCount()
    checked.byteCount += byteCount
    guard byteCount <= Manifest.modelByteLimit else {
      findings.add(
        .modelFile, place(name),
        "The file has \(byteCount) bytes, but the limit is \(Manifest.modelByteLimit) bytes.")
      return nil
    }
    let bytes = try file.read(byteCount: byteCount, at: 0)
    do { return try Model(ModelSource.read(bytes, path: name)) } catch {
      findings.add(.modelFile, place(name), "\(error)")
      return nil
    }
  }

  /// Checks the files of attachments, each once (spec §7.3.6).
  func checkAttachments(_ manifest: ManifestCheck) throws {
    for entry in manifest.attachments {
      guard let digest = entry.digest else { continue }
      let name = Container.attachmentFile(digest)
      guard head.seen.insert(name).inserted else { continue }
      guard seen.insert(name).inserted else {
        if let known = files.byteCounts[name] { checkSize(known, of: entry, in: name) }
        continue
      }
      checked.attachmentCount += 1
      guard try isThere(name, orElse: .missingAttachment) else { continue }
      let file = try open(name)
      let byteCount = try file.byteCount()
      checked.byteCount += byteCount
      files.byteCounts[name] = byteCount
      guard checkSize(byteCount, of: entry, in: name) else { continue }
      let found = try self.digest(of: file, byteCount: byteCount)
      if found != digest {
        findings.add(.attachmentDigest, place(name), "The digest of the file's bytes is \(found).")
      }
    }
  }

  /// Returns whether a file has the size that a manifest gives; reports if not.
  @discardableResult
  private func checkSize(
    _ byteCount: Int, of entry: ManifestCheck.AttachmentEntry, in name: String
  ) -> Bool {
    guard let said = entry.byteCount, said != byteCount else { return true }
    findings.add(
      .attachmentSize, place(name),
      "The file has \(byteCount) bytes, but the manifest gives \(said).")
    return false
  }

  private func digest(of file: DurableFile, byteCount: Int) throws -> String {
    var hash = SHA256()
    for start in stride(from: 0, to: byteCount, by: 1 << 20) {
      hash.update(try file.read(byteCount: min(1 << 20, byteCount - start), at: start))
    }
    return hash.digest().description
  }

  // MARK: - Stores

  /// Checks a store at the commit that counts, and the earlier files of the store.
  func check(
    _ store: ManifestCheck.StoreEntry, _ manifest: ManifestCheck,
    progress: @escaping (Double) -> Void
  ) throws {
    checked.storeCount += 1
    if let type = store.type, try !isKnown(StoreType(rawValue: type)) {
      hasUnknownStores = true
      for case let file? in store.earlier.map(\.file) where seen.insert(file).inserted {
        _ = try isThere(file, orElse: .missingStore, mayBeFolder: true)
      }
      return try checkObjects(of: store, StoreType(rawValue: type), progress: progress)
    }
    // The oldest commit of each file, in the order of the files; `nil` for a file with an error.
    var oldest: [Int64?] = []
    for earlier in store.earlier {
      let found = try check(
        earlier.file, earlier.commit, of: store, uuid: earlier.uuid ?? store.uuid, isEarlier: true)
      oldest.append(found.flatMap { $0.commits.min() ?? earlier.commit })
    }
    let isLog = manifest.logIsRead && store.name == manifest.log
    let found = try check(
      store.file, store.commit, of: store, uuid: store.uuid, isEarlier: false, isLog: isLog,
      progress: progress)
    oldest.append(found.flatMap { $0.commits.min() ?? store.commit })
    if manifest.isSound { checkVersions(manifest.versions, of: store, oldest) }
    if let found { record(found, of: store) }
  }

  /// Checks the objects of a store without rules for its files, as the backend reads them at the commit that counts.
  private func checkObjects(
    of store: ManifestCheck.StoreEntry, _ type: StoreType, progress: @escaping (Double) -> Void
  ) throws {
    guard let file = store.file, seen.insert(file).inserted,
      try isThere(file, orElse: .missingStore, mayBeFolder: true)
    else { return }
    var path = inner(file)
    if Container.isAddressFile(file) {
      guard let address = try address(in: file, type) else { return }
      path = address
    }
    guard let backend = backends[type] else {
      let reason = backends.explanation(ofMissing: type).map { " \($0)" } ?? ""
      unchecked.append(
        "The store \"\(store.name ?? "")\" of type \"\(type.rawValue)\" was not checked: no plug-in for this type is known.\(reason)"
      )
      return
    }
    let check = BackendFileCheck(
      path, on: disk, backend, model: nil, counting: store.commit, progress: progress)
    if let found = try run(check, on: file, of: store, uuid: store.uuid, isEarlier: false) {
      record(found, of: store)
    }
  }

  /// Records the facts of a store without errors, and compares its entities with the document's model.
  private func record(_ found: StoreFacts, of store: ManifestCheck.StoreEntry) {
    if let name = store.name { head.facts[name] = found }
    checkModel(of: found, store)
  }

  /// Checks that a store has a commit for each version (spec §7.4.5).
  private func checkVersions(
    _ versions: [Int64], of store: ManifestCheck.StoreEntry, _ oldest: [Int64?]
  ) {
    let files = store.earlier.map { ($0.file, $0.until ?? .max) } + [(store.file, .max)]
    var index = 0
    for version in versions {
      while files[index].1 <= version { index += 1 }
      guard let least = oldest[index], version < least, let file = files[index].0 else { continue }
      findings.add(
        .versionCommits, place(file),
        "The store's oldest commit in this file is \(least), but version \(version) of the document refers to the file."
      )
      return
    }
  }

  /// Whether there are rules for stores of a type.
  private func isKnown(_ type: StoreType) throws -> Bool {
    try FileChecks.own.contains(type) || !(backends[type]?.rules().isEmpty ?? true)
  }

  /// Checks a file of a store.
  ///
  /// - Returns: The UUID, type, model and commits of the store; `nil` if the file has an error.
  private func check(
    _ name: String?, _ commit: Int64?, of store: ManifestCheck.StoreEntry, uuid: UUID?,
    isEarlier: Bool, isLog: Bool = false, progress: @escaping (Double) -> Void = { _ in }
  ) throws -> StoreFacts? {
    guard let name, head.seen.insert(name).inserted else { return nil }
    guard seen.insert(name).inserted else {
      guard let facts = files.stores[name] else { return nil }
      compare(facts, with: store, uuid: uuid, in: name)
      if isEarlier { checkCounts(commit, facts, in: name) }
      return facts
    }
    guard try isThere(name, orElse: .missingStore) else { return nil }
    let commitOfHead = commit
    let commit = isEarlier ? files.counted[name] ?? commit : commit
    let check: any FileCheck
    if Container.isAddressFile(name) {
      let type = StoreType(rawValue: store.type ?? "")
      guard let address = try address(in: name, type), let backend = backends[type] else {
        return nil
      }
      check = BackendFileCheck(
        address, on: disk, backend, model: nil, counting: commit, progress: progress)
    } else {
      check = try FileChecks.check(
        of: try open(name), at: inner(name), on: disk, backends, model: nil, counting: commit,
        isLog: isLog, progress: progress)
    }
    files.stores[name] = try run(check, on: name, of: store, uuid: uuid, isEarlier: isEarlier)
    if let facts = files.stores[name], isEarlier { checkCounts(commitOfHead, facts, in: name) }
    return files.stores[name]
  }

  /// Checks that an earlier file has the commit that counts in a head. The file was checked up to the last commit that counts
  /// in any head.
  private func checkCounts(_ commit: Int64?, _ facts: StoreFacts, in name: String) {
    guard let commit, !facts.commits.isEmpty, !facts.commits.contains(commit) else { return }
    findings.add(
      .countedCommit, place(name),
      "The manifest refers to commit \(commit), which is not in the file.")
  }

  /// Returns the address of a store that a file contains.
  private func address(in name: String, _ type: StoreType) throws -> String? {
    if let address = try Container.address(in: inner(name), on: disk),
      !FileChecks.own.contains(type), backends[type]?.recognizesAddress(address) ?? true
    {
      return address
    }
    findings.add(
      .storeAddress, place(name),
      "The file does not contain the address of a store of type \"\(type.rawValue)\" on one line.")
    return nil
  }

  /// Runs the check of a file of a store, takes its results, and compares the store with the manifest.
  private func run(
    _ check: any FileCheck, on name: String, of store: ManifestCheck.StoreEntry, uuid: UUID?,
    isEarlier: Bool
  ) throws -> StoreFacts? {
    try check.run()
    // The rules for objects (spec §6.3) apply only to the current objects of the document.
    findings.take(check.findings, of: name) { !isEarlier || !$0.id.hasPrefix("GRAF") }
    passedOver += check.passedOver.map { "\(name): \($0)" }
    unchecked += check.unchecked.map { "\(name): \($0)" }
    checked.add(check.checked, isEarlier: isEarlier)
    compare(check.facts, with: store, uuid: uuid, in: name)
    return check.findings.errorCount == 0 ? check.facts : nil
  }

  /// Compares the UUID and the type of a file with those that a manifest gives.
  private func compare(
    _ facts: StoreFacts, with store: ManifestCheck.StoreEntry, uuid: UUID?, in name: String
  ) {
    if let found = facts.uuid, let said = uuid, found != said {
      findings.add(
        .storeUUID, place(name), "The store's UUID is \(found), but the manifest gives \(said).")
    }
    if let type = facts.type?.rawValue, let said = store.type, type != said {
      findings.add(
        .storeType, place(name), "The store has the type \(type), but the manifest gives \(said).")
    }
  }

  /// Checks that a store has the entities of the document's model, or of its configuration.
  private func checkModel(of facts: StoreFacts, _ store: ManifestCheck.StoreEntry) {
    guard let model = head.model, let own = facts.model, let file = store.file else { return }
    var entities = Set(model.versionHashes.keys)
    if let configuration = store.configuration {
      guard
        let known = model.description.configurations.first(where: { $0.name == configuration })
      else {
        findings.add(
          .storeModel, place(file), "The model has no configuration \"\(configuration)\".")
        return
      }
      // If entities refer to entities outside of the configuration, the store has all entities.
      if Set(own.versionHashes.keys) != entities { entities = Set(known.entities) }
    }
    let expected = model.versionHashes.filter { entities.contains($0.key) }
    guard own.versionHashes != expected else { return }
    findings.add(
      .storeModel, place(file), differences(own.versionHashes, expected, "the document's model"))
  }

  /// Returns a sentence that names the entities with different hashes.
  private func differences(
    _ own: [String: VersionHash], _ other: [String: VersionHash], _ others: String
  ) -> String {
    let names = Set(own.keys).union(other.keys).filter { own[$0] != other[$0] }.sorted()
    let shown = names.prefix(8).map { "\"\($0.prefix(60))\"" }.joined(separator: ", ")
    return "The version hashes of \(shown)"
      + (names.count > 8 ? " and \(names.count - 8) more" : "")
      + " differ from those of \(others)."
  }
}

extension ValidationReport.Checked {
  /// Adds the counts of another file. For an earlier file of a store, only the byte counts are added.
  fileprivate mutating func add(_ other: ValidationReport.Checked, isEarlier: Bool) {
    byteCount += other.byteCount
    liveByteCount += other.liveByteCount
    guard !isEarlier else { return }
    commitCount += other.commitCount
    blockCount += other.blockCount
    rowCount += other.rowCount
    objectCount += other.objectCount
  }
}
