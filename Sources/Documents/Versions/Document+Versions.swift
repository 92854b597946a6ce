import DurableFiles
public import Foundation
import ObjectModel
public import Rows
import StoreInterface
import Synchronization

extension Document {
  /// The versions that can be opened, the oldest first. The last one is the newest state of the document.
  public var versions: [Manifest.VersionEntry] { manifest.versions }

  /// Opens a version for reading.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``; the errors of opening a document.
  public func open(version number: Int64) throws -> Document {
    try Document.open(path, in: places, head: container.headName, version: number)
  }

  /// Names a version, so that it is kept, or removes its name.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``; the errors of a save.
  public func nameVersion(_ number: Int64, _ name: String?) throws {
    try changeManifest { manifest in
      guard let index = manifest.versions.firstIndex(where: { $0.number == number }) else {
        throw DocumentError.noVersion(number, path)
      }
      manifest.versions[index].name = name
    }
  }

  /// Returns the changes from one version to another: a layer for each store that differs.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``, or with
  ///   ``DocumentError/Code/incompatibleModel`` if a store had different models at the two versions.
  public func changes(
    from old: Int64, to new: Int64
  ) throws -> [(store: DocumentStore, layer: Layer)] {
    let (before, after) = (try open(version: old), try open(version: new))
    defer {
      try? before.close()
      try? after.close()
    }
    return try changes(from: before, to: after)
  }

  private func changes(
    from before: Document, to after: Document
  ) throws -> [(store: DocumentStore, layer: Layer)] {
    try stores.compactMap { store in
      guard let old = try before[store.name]?.snapshot(),
        let new = try after[store.name]?.snapshot()
      else { return nil }
      let layer = try store.changes(from: old, to: new, leasesKeys: false)
      return layer.isEmpty ? nil : (store, layer)
    }
  }

  /// Restores the content of an earlier version. This makes one more version: no version is lost, and the
  /// revert can be reverted too.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion``, or with
  ///   ``DocumentError/Code/incompatibleModel`` if the document has been migrated since; the errors of a save.
  public func revert(
    to number: Int64, author: String? = nil, message: String? = nil
  ) throws {
    try restore(number, VersionOrigin(author: author, message: message))
  }

  /// Takes back the newest versions: restores the content of the version before them. This makes one more version, so
  /// no version is lost.
  ///
  /// Undo again takes back an earlier version, and never an undo (spec §7.4.10).
  ///
  /// - Parameters:
  ///   - steps: The number of versions to take back.
  ///   - author: The author of the new version.
  ///   - message: The author's message about the new version.
  /// - Returns: The version whose content was restored.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion`` if there are fewer versions to take back, or
  ///   with ``DocumentError/Code/incompatibleModel`` if the document was migrated in them; the errors of a save.
  @discardableResult
  public func undo(
    steps: Int = 1, author: String? = nil, message: String? = nil
  ) throws -> Int64 {
    try go(to: versionBeforeUndo(steps: steps), author, message)
  }

  /// Restores versions that undo has taken back, up to the next save of another kind. This makes one more version.
  ///
  /// - Parameters:
  ///   - steps: The number of undone versions to restore.
  ///   - author: The author of the new version.
  ///   - message: The author's message about the new version.
  /// - Returns: The version whose content was restored.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion`` if fewer versions were undone; the errors of a
  ///   save.
  @discardableResult
  public func redo(
    steps: Int = 1, author: String? = nil, message: String? = nil
  ) throws -> Int64 {
    try go(to: versionToRedo(steps: steps), author, message)
  }

  /// Restores a version as a step of undo or redo, and returns its number.
  private func go(
    to target: Manifest.VersionEntry, _ author: String?, _ message: String?
  ) throws -> Int64 {
    try restore(
      target.number,
      VersionOrigin(author: author, message: message, undoneTo: target.origin))
    return target.number
  }

  /// Returns the version whose content ``redo(steps:author:message:)`` would restore.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion`` if fewer versions were undone.
  public func versionToRedo(steps: Int = 1) throws -> Manifest.VersionEntry {
    try manifest.versionToRedo(steps: steps, path: path)
  }

  /// Returns the version whose content ``undo(steps:author:message:)`` would restore.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion`` if there are fewer versions to take back.
  public func versionBeforeUndo(steps: Int = 1) throws -> Manifest.VersionEntry {
    try manifest.versionBeforeUndo(steps: steps, path: path)
  }

  /// Makes a version with the content of an earlier one.
  private func restore(_ number: Int64, _ origin: VersionOrigin) throws {
    let then = try open(version: number)
    defer { try? then.close() }
    guard let model = then.manifest.versions.first(where: { $0.number == number })?.model,
      model == manifest.model
    else {
      throw DocumentError(
        .incompatibleModel,
        "The earlier version has another version of the model. Open it and save it to another path.",
        path: path)
    }
    var parts: [(store: any Store, request: CommitRequest)] = []
    for store in stores {
      guard let old = try then[store.name]?.snapshot() else { continue }
      let now = try store.snapshot()
      var request = CommitRequest(try store.changes(from: now, to: old), basedOn: now)
      request.requiredCommit = now.commit
      request.author = origin.author
      request.contextName = "revert to \(number)"
      if !request.isEmpty { parts.append((store, request)) }
    }
    stageAttachments(of: number)
    do { try commit(parts, origin) { _ in } } catch {
      discardStaged()
      throw error
    }
  }

  /// Stages the changes that restore the attachments of a version.
  private func stageAttachments(of number: Int64) {
    let manifest = manifest
    let then = manifest.attachments.filter { $0.isPart(of: number) }
    let now = manifest.attachments.filter { $0.until == nil }
    state.withLock { state in
      state.staged = [:]
      for one in now {
        state.staged[StagedName(name: one.name, isContent: one.isContent)] = .remove
      }
      for one in then {
        state.staged[StagedName(name: one.name, isContent: one.isContent)] = .put(
          digest: one.digest, byteCount: one.byteCount)
      }
    }
  }

  /// Replaces the manifest without a new version. The objects stay the same.
  func changeManifest(_ change: (inout Manifest) throws -> Void) throws {
    try withExclusiveAccess {
      let before = state.withLock { $0.manifest }
      var manifest = before
      try change(&manifest)
      if manifest != before { try confirm(manifest, insteadOf: before) }
    }
  }

  // MARK: - Thinning

  /// Forgets versions that a policy does not keep, and frees the space that only these versions used.
  ///
  /// Versions that the next merge with another head compares stay. While a recovery exists nothing is forgotten, because the
  /// recovery may need any version.
  ///
  /// - Parameters:
  ///   - now: The time that ages are counted from.
  ///   - eagerly: Whether all space is freed at once. Otherwise a store that keeps its versions in one file
  ///     rewrites
  ///     the file only if it forgets more commits than it keeps.
  ///   - didForget: Called with the number of forgotten versions before their space is freed.
  /// - Returns: The number of forgotten versions.
  /// - Throws: The errors of a save. If `didForget` was called, the versions stay forgotten, and ``vacuum()`` frees
  ///   their space.
  @discardableResult
  public func thin(
    _ policy: VersionPolicy = .usual, now: Date = Date(), eagerly: Bool = true,
    didForget: (Int) throws -> Void = { _ in }
  ) throws -> Int {
    try VersionThinning(document: self).run(policy, now, eagerly: eagerly, didForget)
  }

  /// Frees the space of interrupted saves and forgotten versions.
  ///
  /// - Throws: ``DocumentError`` or `StoreError` if a file can't be written.
  public func vacuum() throws { try VersionThinning(document: self).giveBack([], eagerly: true) }

  /// Returns the versions that ``thin(_:now:eagerly:didForget:)`` would forget, the oldest first, and changes nothing.
  ///
  /// - Throws: The errors of reading the document.
  public func versionsToThin(
    _ policy: VersionPolicy = .usual, now: Date = Date()
  ) throws -> [Manifest.VersionEntry] {
    try VersionThinning(document: self).forgotten(by: policy, now)
  }
}
