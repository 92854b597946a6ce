import Archives
import DurableFiles
import Foundation
import ObjectModel
public import StoreInterface
import Synchronization
import Threads

extension Document {
  /// Opens a document.
  ///
  /// The caller gives no model: a document contains its own. Only the backends that its stores name are used. A
  /// packed document is read in place, and can't be changed: `Document.update(packed:in:_:)` of `QuireTools` does that.
  ///
  /// - Parameters:
  ///   - places: The backends that open stores, and the disk.
  ///   - access: The access that other processes have to the document while it is open.
  ///   - whenHeld: The behaviour when another process has the document open for writing.
  ///   - head: The head that is opened (``heads``); `nil` for the current head.
  ///   - version: The version of the head to show, for reading only; `nil` for the newest.
  ///   - acceptsDamage: Whether a store whose commit is damaged opens at an earlier commit, for reading
  ///     only (`StoreOpening.acceptsDamage`). `access` must be `readOnly` then.
  /// - Throws: ``DocumentError`` with codes such as ``DocumentError/Code/notFound``,
  ///   ``DocumentError/Code/notADocument``, ``DocumentError/Code/newerFormat``, ``DocumentError/Code/damaged``,
  ///   ``DocumentError/Code/locked``; `StoreError` if a store can't be opened.
  public static func open(
    _ path: String, in places: StorePlaces, access: Access = .exclusive,
    whenHeld: WhenHeld = .fail, head: String? = nil, version: Int64? = nil,
    acceptsDamage: Bool = false
  ) throws -> Document {
    precondition(
      !acceptsDamage || access == .readOnly, "A damaged document can be opened for reading only.")
    let writes = access != .readOnly && whenHeld != .readOnly && version == nil
    let places = try places.inside(path, unpacking: writes ? whenHeld.patience : nil)
    let folder = Container(path: path, disk: places.disk, backends: places.backends)
    // A current head that is lost is an error: `main` in its place is not the line of versions that the user has chosen.
    let container = folder.on(try head ?? folder.currentHead)
    try container.checkIsHead()
    if let version {
      let read = try container.manifest(acceptsDamage: acceptsDamage)
      return try open(
        container, read, places, .readOnly, nil, version: version, acceptsDamage: acceptsDamage)
    }
    let isPacked = places.disk is PackedDisk
    if access == .readOnly || isPacked && whenHeld == .readOnly {
      return try openForReading(container, places, acceptsDamage: acceptsDamage)
    }
    if isPacked {
      throw DocumentError(
        .readOnly, "A packed document is changed by 'Document.update(packed:)' alone.", path: path)
    }
    let (lock, isAlone): (FileLock, Bool)
    let written: (manifest: Manifest, seen: FileStatus)
    do {
      // Reading the manifest first refuses a path without a document before a lock file is made there.
      written = try container.writtenManifest()
      try Manifest.check(written.manifest.features, isReading: false, path: path)
      (lock, isAlone) = try container.lock(whenHeld, for: access)
    } catch let error as DocumentError where error.code == .locked && whenHeld == .readOnly {
      return try openForReading(container, places)
    }
    do {
      try container.checkFolders()
      let read = try container.manifest(knowing: written)
      // Removes files left by an interrupted save, unless the document is open elsewhere: attachments may have been added
      // there that are not saved yet.
      if isAlone { container.tidy(read.manifest, isOpening: true) }
      guard access == .shared else { return try open(container, read, places, access, lock) }
      let sharing = try container.share()
      let document = try open(container, read, places, access, sharing)
      try lock.release()
      return document
    } catch {
      try? lock.release()
      throw error
    }
  }

  /// Opens a document that another process may be saving. If files that the manifest names are gone because the
  /// manifest was replaced, the new manifest is read.
  private static func openForReading(
    _ container: Container, _ places: StorePlaces, acceptsDamage: Bool = false
  ) throws -> Document {
    var attempts = 0
    while true {
      let read = try container.manifest(acceptsDamage: acceptsDamage)
      do {
        return try open(container, read, places, .readOnly, nil, acceptsDamage: acceptsDamage)
      } catch {
        attempts += 1
        let now = try container.manifest(acceptsDamage: acceptsDamage).manifest
        guard attempts < 16, now != read.manifest else { throw error }
      }
    }
  }

  private static func open(
    _ container: Container, _ read: ReadManifest, _ places: StorePlaces, _ access: Access,
    _ lock: FileLock?, version: Int64? = nil, acceptsDamage: Bool = false
  ) throws -> Document {
    let manifest = read.manifest
    let folder = try container.reading { try container.disk.status(of: container.path).identity }
    if let version, !manifest.versions.contains(where: { $0.number == version }) {
      throw DocumentError.noVersion(version, container.path)
    }
    var stores: [DocumentStore] = []
    do {
      for entry in manifest.stores {
        let inner = try container.open(
          entry, manifest, places, readOnly: access == .readOnly, version: version,
          acceptsDamage: acceptsDamage)
        let damage = entry.name == manifest.log ? read.damage : nil
        stores.append(DocumentStore(inner, entry, damage: damage))
      }
    } catch {
      for store in stores { try? store.inner.close() }
      throw error
    }
    var highestNumber = manifest.number
    if access != .readOnly {
      // Commits that were prepared and never confirmed use numbers as well. No new version may get such a
      // number.
      let kept = try readIfSound { try container.recovery()?.number ?? 0 } ?? 0
      let prepared =
        try stores.compactMap { store in
          try readIfSound { try store.describe().highestCommit }
        }.max() ?? 0
      highestNumber = max(
        highestNumber, kept, prepared, try container.highestNumberOfOthers(manifest))
    }
    return Document(
      container, folder, read, stores, access: access, lock: lock, places: places,
      shownVersion: version, highestNumber: highestNumber)
  }
}

extension StorePlaces {
  /// The same backends on a disk with more than one packed document.
  package var outside: StorePlaces {
    (disk as? PackedDisk).map { StorePlaces(backends, on: $0.outside) } ?? self
  }

  /// Returns the same backends on the disk that the document lies on. A packed document is its own disk.
  ///
  /// - Parameter patience: The time to wait until a packed document is unpacked, for a caller that writes to it on an
  ///   `UnpackingDisk`; `nil` for a caller that reads.
  func inside(_ path: String, unpacking patience: Duration? = nil) throws -> StorePlaces {
    if disk is PackedDisk { return self }
    do {
      guard let kind = try disk.statusIfThere(path)?.kind else {
        _ = disk.restoreMovedAway(path)
        return self
      }
      guard kind == .file else { return self }
      guard try Archive.isPackedDocument(at: path, on: disk) else {
        throw DocumentError(
          .notADocument, "This is a file, but not a packed document.", path: path)
      }
      if let patience, let unpacking = disk as? UnpackingDisk {
        try unpacking.unpack(path, waiting: patience)
        return self
      }
      return StorePlaces(backends, on: PackedDisk(try Archive(path, on: disk)))
    } catch let error as DiskError where error.code == .locked {
      throw DocumentError(
        .locked, "Another program is changing the packed document.", path: path, cause: error)
    } catch let error as ArchiveError {
      throw DocumentError(.damaged, error.message, path: path, cause: error)
    } catch let error as DiskError {
      throw DocumentError(error, path: path)
    }
  }
}

extension Container {
  /// Takes the lock for writing to the document.
  ///
  /// A document that is open for shared access holds this lock only while it saves. To get exclusive access, a caller also
  /// waits until all documents with shared access are closed. They can save while it waits.
  ///
  /// - Returns: The lock, and whether no other document is open for writing.
  func lock(
    _ whenHeld: Document.WhenHeld, for access: Document.Access
  ) throws -> (lock: FileLock, isAlone: Bool) {
    let takesOver = whenHeld == .takeOver
    do {
      let deadline = disk.calls.uptime + whenHeld.patience
      while true {
        let remaining = max(deadline - disk.calls.uptime, .zero)
        let lock = try disk.lock(lockPath, waiting: .upTo(remaining), takingOver: takesOver)
        let isAlone = try isUnshared()
        if isAlone || access != .exclusive { return (lock, isAlone) }
        try lock.release()
        guard remaining > .zero else {
          throw DocumentError(
            .locked, "The document is open for writing: another program shares it.", path: path)
        }
        disk.calls.pause(for: min(.milliseconds(10), remaining))
      }
    } catch let error as DiskError {
      if error.code == .locked, let holder = error.holder {
        throw DocumentError(
          .locked, "The document is open for writing: \(holder).", path: path, cause: error)
      }
      throw DocumentError(error, path: path)
    }
  }

  /// Returns whether no document with shared access is open. The caller holds the lock for writing, so that none is opened
  /// meanwhile.
  func isUnshared() throws(DiskError) -> Bool {
    guard try disk.exists(sharingPath) else { return true }
    do throws(DiskError) {
      // A name in this file is of a process that has ended here. Processes that share the document leave none.
      try disk.lock(sharingPath, takingOver: true).release()
      return true
    } catch {
      guard error.code == .locked else { throw error }
      return false
    }
  }

  /// Takes the lock that a document with shared access keeps. It refuses exclusive access, which would remove added
  /// attachments that are not saved yet.
  func share() throws(DiskError) -> FileLock { try disk.lock(sharingPath, .shared) }

  /// Opens a store at its commit in the newest version, or at its commit in an earlier version.
  func open(
    _ entry: Manifest.StoreEntry, _ manifest: Manifest, _ places: StorePlaces, readOnly: Bool,
    version: Int64? = nil, acceptsDamage: Bool = false
  ) throws -> any Store {
    let backend = try backend(of: entry)
    guard backend.capabilities.contains([.confirmation, .durable]) else {
      throw DocumentError.notForDocuments(entry.type, path: path)
    }
    let (file, commit, expected) = try position(of: entry, version, backend, places)
    let place = try place(ofStore: file, backend)
    var opening = StoreOpening(readOnly: readOnly, commit: commit)
    opening.acceptsDamage = acceptsDamage
    if Container.isAddressFile(file) {
      opening.folderNumber = try disk.status(of: path).identity.inode
    }
    let store = try backend.openComplete(place, on: places.disk, opening)
    let uuid = try store.snapshot().metadata.uuid
    guard uuid == expected else {
      try? store.close()
      throw DocumentError(
        .damaged,
        "The store \"\(entry.name)\" has the UUID \(uuid?.uuidString ?? "none"), but the manifest gives "
          + "\(expected).", path: place)
    }
    return store
  }

  /// Returns the position of a store at a version: the newest commit whose number is not above the version's,
  /// in the file that the store had then (spec §7.4.5).
  func position(
    of entry: Manifest.StoreEntry, _ version: Int64?, _ backend: any StoreBackend,
    _ places: StorePlaces
  ) throws -> (file: String, commit: Int64, uuid: UUID) {
    let newest = (file: entry.file, commit: entry.commit, uuid: entry.uuid)
    guard let version, version < entry.commit else { return newest }
    let earlier = entry.earlier.first { version < $0.until }
      .map { (file: $0.file, commit: $0.commit, uuid: $0.uuid ?? entry.uuid) }
    let (file, commit, uuid) = earlier ?? newest
    if commit <= version { return (file, commit, uuid) }
    if backend.capabilities.contains(.history) {
      let store = try backend.open(
        place(ofStore: file, backend), on: places.disk, StoreOpening(readOnly: true, commit: commit)
      )
      defer { try? store.close() }
      if let found = try store.commits().first(where: { $0.number <= version }) {
        return (file, found.number, uuid)
      }
    }
    throw DocumentError(
      .noVersion, "The store \"\(entry.name)\" does not contain version \(version) any more.",
      path: path)
  }

  /// Removes files that no manifest names and that only an interrupted save can have left.
  ///
  /// - Parameter isOpening: Whether the document is being opened, so that no attachment waits for a save.
  func tidy(_ manifest: Manifest, isOpening: Bool) {
    // Left files do no harm, so errors are ignored. An interrupted migration or save leaves temporary files in
    // these folders.
    for folder in [path] + Container.folders.map(inner) {
      _ = try? disk.removeAbandonedReplacements(in: folder)
    }
    // If another manifest can't be read, the files that it names are unknown, and no file may be removed.
    guard let others = try? otherManifests(manifest) else { return }
    let named = Set(([manifest] + others).flatMap(\.files))
    removeUnnamedHeads(manifest, others)
    let stems = manifest.stores.flatMap { store in
      [
        Container.stem(of: store.name) + "-",
        Container.stem(of: store.name, uuid: store.uuid) + "-",
      ]
    }
    for entry in (try? disk.list(inner(Container.storesFolder), links: .refused)) ?? [] {
      let name = "\(Container.storesFolder)/\(entry.name)"
      // The name of a file of a head besides `main` begins with the name of the head.
      let rest = entry.name.drop { $0 != "." }.dropFirst()
      let isOurs = stems.contains { stem in
        [entry.name[...], rest].contains { name in
          let number = name.dropFirst(stem.count).prefix { $0 != "." }
          return name.hasPrefix(stem) && !number.isEmpty && number.allSatisfy(\.isASCIIDigit)
        }
      }
      if !named.contains(name), isOurs { try? disk.removeTree(inner(name)) }
    }
    guard isOpening else { return }
    for entry in (try? disk.list(inner(Container.attachmentsFolder), links: .refused)) ?? [] {
      let name = "\(Container.attachmentsFolder)/\(entry.name)"
      let isOurs = entry.name.utf8.count == 64 && entry.name.allSatisfy(\.isHexDigit)
      if entry.kind == .file, !named.contains(name), isOurs { try? disk.remove(inner(name)) }
    }
  }

  /// Returns a stem for the names of a store's files that is unique even if two stores have the same plain stem.
  static func stem(of name: String, uuid: UUID) -> String {
    stem(of: name) + "-" + uuid.uuidString.prefix(8).lowercased()
  }

  /// Returns the stem of the names of a store's files.
  static func stem(of name: String) -> String {
    let plain = String(
      name.unicodeScalars.map { scalar in
        let isPlain =
          scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        return isPlain ? Character(scalar) : "-"
      })
    return plain.isEmpty || plain.allSatisfy { $0 == "-" } ? "store" : String(plain.prefix(80))
  }
}

extension DocumentError {
  /// Returns the error for a type of store that can't be part of a document.
  static func notForDocuments(_ type: StoreType, path: String) -> DocumentError {
    DocumentError(
      .notSupported,
      "A store of type \"\(type.rawValue)\" can't be part of a document: it is not kept on the disk, "
        + "or its commits can't wait for the commits of other stores.", path: path)
  }
}

extension Document.WhenHeld {
  /// The longest time to wait for the other process.
  fileprivate var patience: Duration {
    if case .wait(let patience) = self { patience } else { .zero }
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

// MARK: - Changes by other processes

extension Document {
  /// Checks whether another process has saved the document, and advances the stores to the newest version.
  ///
  /// - Returns: Whether another process has saved. Contexts show the new version once they merge the changes,
  ///   as those of a ``ManagedDocument`` do.
  /// - Throws: ``DocumentError``, with code ``DocumentError/Code/gone`` if the document was moved or removed.
  @discardableResult
  public func refresh() throws -> Bool {
    guard shownVersion == nil else { return false }
    return try writing.withLock { _ in
      try checkOpen()
      try checkIsThere()
      // The manifest on disk may then be the one of a failed save of this process.
      if state.withLock({ $0.refused != nil }) { return false }
      return try followOthers()
    }
  }

  /// Advances the stores to the version that another process has saved last. The caller has locked `writing`.
  @discardableResult
  func followOthers() throws -> Bool {
    let (container, known, seen) = state.withLock { ($0.container, $0.manifest, $0.seen) }
    let now = try? container.status(of: known)
    guard now == nil || now != seen else { return false }
    var attempts = 0
    while true {
      let read = try container.manifest()
      let manifest = read.manifest
      if manifest == known || isRefused(read) {
        state.withLock { state in
          state.seen = read.seen
          if manifest == known { state.loggedCount = read.loggedCount }
        }
        return false
      }
      do {
        try follow(manifest)
      } catch {
        // Files that the manifest names may be gone if the manifest was replaced meanwhile.
        attempts += 1
        guard attempts < 16, try container.manifest().manifest != manifest else { throw error }
        continue
      }
      state.withLock { state in
        state.manifest = manifest
        state.seen = read.seen
        state.loggedCount = read.loggedCount
        state.highestNumber = max(state.highestNumber, manifest.number)
      }
      return true
    }
  }

  /// Returns whether the newest version is a failed save of this process. Its commit may still be in the log.
  private func isRefused(_ read: ReadManifest) -> Bool {
    state.withLock { read.loggedCount > 0 && $0.refusedVersion == read.manifest.versions.last }
  }

  private func follow(_ manifest: Manifest) throws {
    try Manifest.check(manifest.features, isReading: access == .readOnly, path: path)
    guard manifest.uuid == self.manifest.uuid else {
      throw DocumentError(
        .gone, "Another document has replaced this document.", path: path)
    }
    moves.begin()
    defer { moves.end() }
    for store in stores {
      guard let entry = manifest.stores.first(where: { $0.name == store.name }) else {
        throw DocumentError(
          .damaged, "The document has no store \"\(store.name)\" any more.", path: path)
      }
      // A migration that writes all rows again puts the store into another file.
      let place = try container.place(ofStore: entry.file, container.backend(of: entry))
      let isInPlace = store.hasFileForEachCommit || place == store.path
      guard entry.uuid == store.uuid, entry.type == store.type, isInPlace else {
        throw DocumentError(
          .incompatibleModel,
          "Another process has replaced the store \"\(store.name)\" with another store. Open the document "
            + "again.", path: path)
      }
      try store.inner.confirming.advance(to: StorePosition(path: place, commit: entry.commit))
    }
  }
}
