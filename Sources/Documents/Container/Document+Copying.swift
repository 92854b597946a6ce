import Archives
import DurableFiles
import Foundation
import ObjectModel
public import StoreInterface
import Synchronization

extension Container {
  /// Copies the files that manifests name into the folder, each once.
  ///
  /// A program that has the document open saves into bytes that a copy does not need. So the copies of the stores' files are
  /// completed.
  fileprivate func copyFiles(of manifests: [Manifest], from source: Container) throws {
    var attachments: [String: Int] = [:]
    var copied: Set<String> = []
    for manifest in manifests {
      for name in manifest.models.map(\.file) where copied.insert(name).inserted {
        try source.checkIsFile(name)
        try source.disk.copy(source.inner(name), to: inner(name), on: disk)
      }
      for one in manifest.attachments { attachments[one.digest] = one.byteCount }
      for name in manifest.stores.flatMap(\.files)
      where copied.insert(name).inserted {
        try source.checkIsStore(name)
        try source.disk.copyTree(source.inner(name), to: inner(name), on: disk)
      }
      for entry in manifest.stores {
        try backends[entry.type]?.completeCopy(at: inner(entry.file), on: disk)
      }
    }
    for (digest, byteCount) in attachments {
      try source.checkAttachment(digest, byteCount: byteCount)
      try source.disk.copy(source.attachment(digest), to: attachment(digest), on: disk)
    }
  }
}

extension Document {
  /// Copies the document. Objects keep their identifiers, and the copy has the same versions and attachments.
  /// Only the document's own identifier differs.
  ///
  /// - Parameter overwriting: Whether an existing document at `path` is replaced. Otherwise it is an error.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/exists`` if `path` exists; ``DocumentError`` if
  ///   the disk refuses. No copy is left then.
  public func copy(to path: String, overwriting: Bool = false) throws {
    try undisturbed { container, manifest in
      try copy(container, manifest, to: path, overwriting)
    }
  }

  private func copy(
    _ container: Container, _ manifest: Manifest, to path: String, _ overwriting: Bool
  ) throws {
    let target = container.copy(at: path)
    try refuseOwnPlace(target)
    // Another process may save while this one reads. The copy has the versions that the manifests name here.
    var manifests = try container.otherHeads(manifest).map { try $0.manifest().manifest }
    manifests.insert(manifest, at: container.head == nil ? 0 : 1)
    try container.refuseServers(manifest, "A copy")
    try target.build(overwriting: overwriting) { building in
      try building.copyFiles(of: manifests, from: container)
      let uuid = UUID()
      for index in manifests.indices {
        (manifests[index].uuid, manifests[index].log) = (uuid, nil)
        manifests[index].metadata[BackupMark.key] = nil
      }
      let heads = manifests.dropFirst()
      if !heads.isEmpty { try building.disk.makeDirectory(building.inner(Container.headsFolder)) }
      for head in heads {
        let place = building.on(head.head)
        try place.replace(head, at: place.manifestPath)
      }
      let current = try container.currentHead
      if heads.contains(where: { $0.head == current }) { try building.writeCurrentHead(current) }
      return manifests[0]
    }
  }

  /// Makes another document with the same objects in new stores, of other types or of the same. Objects get new
  /// identifiers, and only the newest version is copied, or the version that is shown.
  ///
  /// - Parameters:
  ///   - type: Returns the type of the new store for the name of a store.
  ///   - progress: Called from time to time with the progress. An error that it throws ends the conversion.
  /// - Throws: As ``copy(to:overwriting:)``; any error that `progress` throws.
  public func convert(
    to path: String, overwriting: Bool = false, type: (_ store: String) -> StoreType,
    progress: (StoreCopy.Progress) throws -> Void = { _ in }
  ) throws {
    try undisturbed { container, manifest in
      let target = container.copy(at: path)
      try refuseOwnPlace(target)
      try target.build(overwriting: overwriting) { building in
        var copied = Manifest(
          title: manifest.title, metadata: manifest.metadata, model: manifest.model,
          now: ManifestDate.rounded(Date()))
        copied.metadata[BackupMark.key] = nil
        try building.add(try model, named: manifest.model, to: &copied)
        for entry in manifest.stores {
          guard let store = self[entry.name] else { continue }
          let snapshot = try store.snapshot()
          let description = DocumentStoreDescription(
            entry.name, type: type(entry.name), configuration: entry.configuration,
            options: entry.options)
          try building.add(description, try snapshot.model, places.outside, to: &copied) { made in
            try StoreCopy(from: snapshot, to: made).run(progress)
          }
        }
        for var entry in manifest.attachments where entry.isPart(of: shownVersion ?? .max - 1) {
          entry.until = nil
          try container.checkAttachment(entry.digest, byteCount: entry.byteCount)
          try building.add(entry, from: container, to: &copied)
        }
        return copied
      }
    }
  }

  /// Moves the document. The open document continues at its new path.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/exists`` if `path` exists; ``DocumentError`` if
  ///   the disk refuses.
  public func move(to path: String) throws {
    try withExclusiveAccess {
      let (old, manifest) = state.withLock { ($0.container, $0.manifest) }
      let new = old.at(path)
      guard try !old.disk.exists(path) else {
        throw DocumentError.exists(at: path)
      }
      try old.disk.rename(old.path, to: path)
      do {
        try DocumentStore.holdingKeys(stores[...]) { try goOn(in: new, manifest) }
      } catch {
        try? old.disk.rename(path, to: old.path)
        throw error
      }
      try old.disk.syncDirectory(of: path)
      try old.disk.syncDirectory(of: old.path)
    }
  }

  /// Copies the document and continues with the copy. No save can run in between.
  func copyAndContinue(at path: String, overwriting: Bool) throws {
    try withExclusiveAccess {
      try DocumentStore.holdingKeys(stores[...]) {
        let (old, manifest) = state.withLock { ($0.container, $0.manifest) }
        try copy(old, manifest, to: path, overwriting)
        let new = old.at(path)
        let lock =
          access == .exclusive ? try new.lock(.fail, for: access).lock : try new.share()
        do { try goOn(in: new, new.manifest().manifest) } catch {
          try? lock.release()
          throw error
        }
        let before = state.withLock { state in
          state.loggedCount = 0
          defer { state.lock = lock }
          return state.lock
        }
        try before?.release()
      }
    }
  }

  private func goOn(in container: Container, _ manifest: Manifest) throws {
    let (folder, seen) = (
      try container.disk.status(of: container.path).identity,
      try container.status(of: manifest)
    )
    var opened: [any Store] = []
    do {
      for entry in manifest.stores {
        opened.append(try container.open(entry, manifest, places, readOnly: isReadOnly))
      }
    } catch {
      for store in opened { try? store.close() }
      throw error
    }
    for (store, inner) in zip(stores, opened) {
      let before = store.inner
      store.replaceInner(by: inner)
      try? before.close()
    }
    state.withLock { state in
      state.container = container
      state.folder = folder
      state.manifest = manifest
      state.seen = seen
    }
  }

  /// Calls `body` with the document's folder and manifest, while no save of the document can run here.
  private func undisturbed(_ body: (Container, Manifest) throws -> Void) throws {
    if isReadOnly {
      try checkOpen()
      let (container, manifest) = state.withLock { ($0.container, $0.manifest) }
      return try container.reading { try body(container, manifest) }
    }
    try withExclusiveAccess {
      let (container, manifest) = state.withLock { ($0.container, $0.manifest) }
      try body(container, manifest)
    }
  }

  private func refuseOwnPlace(_ target: Container) throws {
    guard try target.disk.exists(target.path) else { return }
    let (container, folder) = state.withLock { ($0.container, $0.folder) }
    guard try container.disk.statusIfThere(target.path)?.identity != folder else {
      throw DocumentError(
        .exists, "The document can't be written to its own path.", path: target.path)
    }
  }
}
