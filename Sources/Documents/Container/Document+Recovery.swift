import DurableFiles
public import Foundation
public import Rows
public import StoreInterface
import Synchronization

/// A state of a document that could not become a version, because something in it was not valid.
public struct DocumentRecovery: Sendable {
  /// The date at which the recovery was written.
  public let written: Date
  /// The changes that the recovery contains, for each store that it changes.
  public let changes: [(store: DocumentStore, layer: Layer)]
}

extension Container {
  /// Returns the manifest of the recovery, or `nil` if there is none.
  func recovery() throws -> Manifest? {
    guard try disk.exists(recoveryPath) else { return nil }
    let file = try disk.open(recoveryPath, for: .read, links: .refusedBelow(path))
    return try read(file)
  }

  func removeRecovery() throws {
    guard try disk.exists(recoveryPath) else { return }
    try disk.remove(recoveryPath)
    try disk.syncDirectory(path)
  }
}

extension Document {
  /// Keeps changes that can't be saved because they are not valid, in a recovery beside the document. They
  /// survive the end of the program (spec §7.6).
  ///
  /// The changes are durable when this function returns. The document is unchanged.
  ///
  /// - Throws: As ``commit(_:)``; ``DocumentError/Code/notSupported`` for changes of a store on a server.
  public func keepForRecovery(
    _ parts: [(store: any Store, request: CommitRequest)]
  ) throws {
    struct IsKept: Error {}
    try withExclusiveAccess {
      let isOthers =
        try container.disk.exists(container.recoveryPath)
        && !state.withLock { $0.hasOwnRecovery }
      guard !isOthers else {
        throw DocumentError(
          .exists,
          "The document has a recovery already, which was neither adopted nor discarded.",
          path: path)
      }
      let parts = try own(parts)
      try container.refuseRecovery(parts)
      let number = nextNumber()
      var manifest = state.withLock { $0.manifest }
      manifest.addVersion(number)
      var snapshots: [any StoreSnapshot] = []
      do {
        // A prepared commit that is never confirmed stays in the store's file, and no version of the document contains
        // it.
        try prepare(parts[...], number, manifest, &snapshots) { manifest in
          try container.replace(manifest, at: container.recoveryPath)
          throw IsKept()
        }
      } catch is IsKept {
        state.withLock { $0.hasOwnRecovery = true }
      }
    }
  }

  /// Returns the state that an earlier session kept because it was not valid, or `nil` if there is none.
  ///
  /// - Throws: ``DocumentError`` if the recovery is damaged. ``discardRecovery()`` removes it.
  public func recovery() throws -> DocumentRecovery? {
    let (container, current, isOwn) = state.withLock {
      ($0.container, $0.manifest, $0.hasOwnRecovery)
    }
    guard !isOwn, shownVersion == nil,
      let manifest = try container.reading({ try container.recovery() })
    else { return nil }
    // The recovery is compared with the version it was made on, not with versions saved since.
    let base = manifest.versions.dropLast().last?.number ?? 0
    var changes: [(store: DocumentStore, layer: Layer)] = []
    for entry in manifest.stores {
      guard let store = self[entry.name], manifest.uuid == current.uuid,
        let own = current.stores.first(where: { $0.name == entry.name }),
        entry.commit > base
      else { continue }
      let inner = try container.open(entry, manifest, places, readOnly: true)
      defer { try? inner.close() }
      let before = try container.open(own, current, places, readOnly: true, version: base)
      defer { try? before.close() }
      let now = try store.snapshot()
      guard try entry.uuid == own.uuid && inner.snapshot().schema == now.schema else {
        throw DocumentError(
          .incompatibleModel,
          "The document was migrated after the recovery was written, so the recovery is of an older model.",
          path: path)
      }
      let layer = try store.changes(
        from: before.snapshot(), to: inner.snapshot(), appliedTo: now, leasesKeys: !isReadOnly)
      if !layer.isEmpty { changes.append((store, layer)) }
    }
    return DocumentRecovery(written: manifest.saved, changes: changes)
  }

  /// Whether this session has kept a recovery, or has adopted the recovery of an earlier session.
  var hasOwnRecovery: Bool { state.withLock { $0.hasOwnRecovery } }

  /// Discards the recovery.
  ///
  /// - Throws: ``DocumentError`` if the document can't be written.
  public func discardRecovery() throws {
    try withExclusiveAccess { try container.removeRecovery() }
    state.withLock { $0.hasOwnRecovery = false }
  }
}
