import DurableFiles
public import Foundation
public import Rows
public import StoreInterface
import Synchronization

/// A state of a document that could not become a version, because something in it was not valid.
public struct DocumentRecovery: Sendable {
  /// When it was written.
  public let written: Date
  /// What it has changed of the document, for each store where it has.
  public let changes: [(store: DocumentStore, layer: Layer)]
}

extension Container {
  /// The manifest of a recovery; `nil` when there is none.
  func recovery() throws -> Manifest? {
    guard try disk.exists(recoveryPath) else { return nil }
    let file = try disk.open(recoveryPath, for: .read, links: .refusedBelow(path))
    return try Container.read(file)
  }

  func removeRecovery() throws {
    guard try disk.exists(recoveryPath) else { return }
    try disk.remove(recoveryPath)
    try disk.syncDirectory(path)
  }
}

extension Document {
  /// Keeps changes beside the document that can't be saved because they are not valid, so that they are not
  /// lost with the program (spec §7.6).
  ///
  /// They are durable when this returns; the document is as it was.
  ///
  /// - Throws: As ``commit(_:)``.
  public func keepForRecovery(
    _ parts: [(store: any Store, request: CommitRequest)]
  ) throws {
    struct IsKept: Error {}
    try alone {
      let isOthers =
        try container.disk.exists(container.recoveryPath)
        && !state.withLock { $0.hasOwnRecovery }
      guard !isOthers else {
        throw DocumentError(
          .exists, "There is a recovery already that nobody has taken up.", path: path)
      }
      let number = nextNumber()
      var manifest = state.withLock { $0.manifest }
      manifest.addVersion(number)
      let parts = try own(parts)
      var snapshots: [any StoreSnapshot] = []
      do {
        // What is prepared and never confirmed lies in the stores' files and does not count there.
        try prepare(parts[...], number, manifest, &snapshots) { manifest in
          try container.replace(manifest, at: container.recoveryPath)
          throw IsKept()
        }
      } catch is IsKept {
        state.withLock { $0.hasOwnRecovery = true }
      }
    }
  }

  /// What an earlier session has kept because it was not valid; `nil` when there is nothing.
  ///
  /// - Throws: ``DocumentError`` when it is damaged: ``discardRecovery()`` takes it away.
  public func recovery() throws -> DocumentRecovery? {
    let (container, current, isOwn) = state.withLock {
      ($0.container, $0.manifest, $0.hasOwnRecovery)
    }
    guard !isOwn, shownVersion == nil,
      let manifest = try container.reading({ try container.recovery() })
    else { return nil }
    // What it has changed is held against what it was made above, whatever was saved since.
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
      guard try entry.uuid == own.uuid && inner.snapshot().schema == store.snapshot().schema else {
        throw DocumentError(
          .incompatibleModel,
          "The document was migrated since, and what was kept is of the model before.", path: path)
      }
      let layer = try layer(from: before.snapshot(), to: inner.snapshot(), store)
      if !layer.isEmpty { changes.append((store, layer)) }
    }
    return DocumentRecovery(written: manifest.saved, changes: changes)
  }

  /// Whether this session has kept anything, or has taken up what was kept.
  var hasOwnRecovery: Bool { state.withLock { $0.hasOwnRecovery } }

  /// Gives up what was kept.
  ///
  /// - Throws: What the disk refuses.
  public func discardRecovery() throws {
    try alone { try container.removeRecovery() }
    state.withLock { $0.hasOwnRecovery = false }
  }
}
