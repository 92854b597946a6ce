import DurableFiles
import Foundation
import StoreInterface
import Synchronization

/// A save that needs no new manifest: the commit of the log is the version (spec §7.4.11).
struct LogSave {
  /// The parts, with the part of the log last. The commit of the log counts as soon as it is durable. So the requests of
  /// the remaining stores, which only check that no process has saved since, come first.
  private(set) var parts: [(store: DocumentStore, request: CommitRequest)]
  /// For each of ``parts`` its place in the order of the caller.
  private let order: [Int]
  /// The manifest after the save, at the former commits of the stores.
  let manifest: Manifest

  /// The greatest number of versions that only the log contains. Opening reads a commit for each of them, so the next
  /// save after them replaces the manifest.
  static let mostVersions = 32

  /// The version that the save makes.
  var version: Manifest.VersionEntry { manifest.versions[manifest.versions.count - 1] }

  /// Creates a save, or `nil` if the save must replace the manifest: it changes a store outside of the log or a model,
  /// the commit can't contain the whole version, or the log has enough versions.
  ///
  /// - Parameters:
  ///   - before: The manifest before the save. Nothing in it changes except the commit of the log.
  ///   - loggedCount: The number of versions that only the log contains.
  init?(
    _ parts: [(store: DocumentStore, request: CommitRequest)], _ number: Int64,
    _ origin: VersionOrigin, after before: Manifest, loggedCount: Int
  ) {
    let empty = parts.indices.filter { parts[$0].request.isEmpty }
    let changed = parts.indices.filter { !parts[$0].request.isEmpty }
    // A commit with an empty author is one without an author.
    let author = origin.author ?? "?"
    guard loggedCount < LogSave.mostVersions, !origin.needsManifest, !author.isEmpty,
      author.utf8.count <= UInt16.max, changed.count == 1,
      parts[changed[0]].store.name == before.log, parts[changed[0]].request.model == nil
    else { return nil }
    order = empty + changed
    var manifest = before
    manifest.addVersion(number, origin)
    self.manifest = manifest
    self.parts = order.map { parts[$0] }
    let last = order.count - 1
    self.parts[last].request.version = VersionRecord(before: before.number, saved: manifest.saved)
    self.parts[last].request.author = origin.author
    self.parts[last].request.message = origin.message
  }

  /// Returns the snapshots of ``parts`` in the order of the caller.
  func inOrder(_ snapshots: [any StoreSnapshot]) -> [any StoreSnapshot] {
    zip(order, snapshots).sorted { $0.0 < $1.0 }.map(\.1)
  }
}

extension Document {
  /// Makes a version by the commit of the log alone.
  func commit(_ save: LogSave) throws -> [any StoreSnapshot] {
    var saved = save.manifest
    var snapshots: [any StoreSnapshot] = []
    do {
      try prepare(save.parts[...], saved.number, saved, &snapshots) { saved = $0 }
    } catch {
      // The commit may be in the file nevertheless. This process does not show it, and removes it with the next save.
      if container.mayEnd(with: save.version) {
        state.withLock { $0.refusedVersion = save.version }
      }
      throw error
    }
    state.withLock { state in
      state.manifest = saved
      state.loggedCount += 1
      state.refusedVersion = nil
    }
    recordStatus()
    return save.inOrder(snapshots.reversed())
  }
}

extension Manifest {
  /// Chooses the log for the saves after a save: the store that the save changes alone, or else the former log, or else
  /// the first store that can be a log.
  mutating func chooseLog(
    changing parts: [(store: DocumentStore, request: CommitRequest)], _ backends: StoreBackends
  ) {
    func canBeLog(_ type: StoreType) -> Bool {
      Manifest.typesOfLogs.contains(type) && backends[type] is any VersionLoggingBackend
    }
    let changed = parts.filter { !$0.request.isEmpty }.map(\.store)
    if changed.count == 1, changed[0].name == log { return }
    if changed.count == 1, canBeLog(changed[0].type) {
      log = changed[0].name
    } else if log == nil {
      log = stores.first { canBeLog($0.type) }?.name
    }
  }
}
