import Dispatch
public import Foundation
import ObjectGraph
import ObjectModel
import Rows
import StoreInterface
import Synchronization

// Changes of other processes, reverting, and recoveries of an earlier session.
extension ManagedDocument {
  /// Checks regularly whether the document is still at its path, and merges the saves of other processes.
  func lookForOthers() {
    guard let interval = options.externalChangeInterval else { return }
    timer.asyncAfter(deadline: .now() + interval.seconds) { [weak self] in
      guard let self, !state.withLock({ $0.isClosed }) else { return }
      Task { [weak self] in
        do { _ = try await self?.refresh() } catch {
          // The error is in the document's state already.
        }
        self?.lookForOthers()
      }
    }
  }

  /// Merges the saves of other processes. Unchanged objects show the saved values; objects with unsaved changes
  /// show the saved values of the properties that are not changed here.
  ///
  /// Runs regularly on its own (``DocumentOptions/externalChangeInterval``).
  ///
  /// - Returns: Whether another process has saved.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/gone`` if the document was moved or removed,
  ///   which ``currentState`` shows too; `StoreError` if a store is damaged.
  @discardableResult
  public func refresh() async throws -> Bool {
    try checkOpen()
    let document = document
    do {
      let layers = try await ManagedDocument.aside { try document.refreshReturningLayers() }
      guard let layers else { return false }
      try await rootContext.perform { try self.rootContext.mergeFromOutside(layers) }
      try readContent()
      return true
    } catch let error as DocumentError where error.code == .gone {
      set(.editingDisabled(error))
      throw error
    }
  }

  /// Discards all unsaved changes and shows the newest version. Objects keep their identity; the undo stack is
  /// emptied.
  ///
  /// - Throws: ``DocumentError`` if the document can't be read.
  public func revert() async throws {
    try checkOpen()
    let document = document
    _ = await state.withLock { $0.waiting ?? $0.running }?.result
    document.discardStaged()
    _ = try await ManagedDocument.aside { try document.refreshReturningLayers() }
    // The main context drops its own changes first. The root context then drops the pushed changes, and the
    // main context reverts to its state.
    try await mainContext.perform { self.mainContext.rollback() }
    try await rootContext.perform {
      self.rootContext.revert()
      self.state.withLock { $0.root.saved = $0.root.changes }
    }
    try await mainContext.perform {
      self.mainContext.revert()
      self.state.withLock { state in
        state.main.handedOver = state.main.changes
        (state.firstChange, state.lastChange) = (nil, nil)
      }
    }
    try readContent()
    if !document.isReadOnly { set(.normal) }
  }

  /// Restores the objects of an earlier version. This makes one more version, so it can be reverted too.
  ///
  /// Unsaved changes are saved before.
  ///
  /// - Throws: ``DocumentError``, with code ``DocumentError/Code/noVersion`` for instance; the errors of a
  ///   save.
  public func revert(to version: Int64) async throws {
    try await save()
    let (document, author) = (document, options.author)
    let layers = try await ManagedDocument.aside {
      try document.layers { try document.revert(to: version, author: author) }
    }
    try await rootContext.perform { try self.rootContext.mergeFromOutside(layers) }
    try await mainContext.perform {
      // The undo stack contains changes of objects in the previous version.
      self.mainContext.undoStack?.removeAll()
    }
    try readContent()
  }

  /// Returns the date at which an earlier session kept invalid changes for recovery, or `nil` if there is no
  /// recovery.
  ///
  /// - Throws: ``DocumentError`` if the recovery can't be read.
  public func recoveryDate() throws -> Date? { try document.recovery()?.written }

  /// Applies the recovery of an earlier session to the main context, as unsaved changes that the user can
  /// correct.
  ///
  /// - Throws: ``DocumentError`` if the recovery can't be read; `ContextError` if it does not fit the objects
  ///   any more.
  public func recover() async throws {
    try checkOpen()
    guard let recovery = try document.recovery() else { return }
    let layers = Dictionary(
      recovery.changes.map { ($0.store.tag, $0.layer) }, uniquingKeysWith: { first, _ in first })
    try await mainContext.perform { try self.mainContext.take(layers) }
    document.adoptRecovery()
  }

  /// Discards the recovery of an earlier session.
  ///
  /// - Throws: ``DocumentError`` if the document can't be written.
  public func discardRecovery() throws { try document.discardRecovery() }
}

extension Document {
  /// Returns the changes that `body` makes to each store.
  func layers(_ body: () throws -> Void) throws -> [StoreTag: Layer] {
    let before = try stores.map { try $0.snapshot() }
    try body()
    var layers: [StoreTag: Layer] = [:]
    for (store, old) in zip(stores, before) {
      let new = try store.snapshot()
      if new.commit != old.commit { layers[store.tag] = try new.changes(since: old) }
    }
    return layers
  }

  /// Refreshes, and returns the changes that other processes have saved, or `nil` if there are none.
  func refreshReturningLayers() throws -> [StoreTag: Layer]? {
    let seen = state.withLock { $0.shown }
    try refresh()
    var layers: [StoreTag: Layer] = [:]
    var now: [StoreTag: any StoreSnapshot] = [:]
    for store in stores {
      let new = try store.snapshot()
      now[store.tag] = new
      // The layer may contain saves of this process too. Merging them again does no harm.
      if access != .exclusive, let old = seen[store.tag], old.commit != new.commit {
        layers[store.tag] = try new.changes(since: old)
      }
    }
    let snapshots = now
    state.withLock { $0.shown = snapshots }
    return layers.isEmpty ? nil : layers
  }

  /// Marks the recovery as one of this session. The next save removes it.
  func adoptRecovery() { state.withLock { $0.hasOwnRecovery = true } }

  /// Returns the content that the program keeps besides objects, by name.
  func content() throws -> [String: [UInt8]] {
    let number = shownVersion ?? .max - 1
    var content: [String: [UInt8]] = [:]
    for entry in manifest.attachments where entry.isContent && entry.isPart(of: number) {
      let reader = try reader(of: StagedName(name: entry.name, isContent: true))
      content[entry.name] = try reader.read(byteCount: reader.byteCount, at: 0)
    }
    return content
  }

  /// Stages the content that the program keeps besides objects. Content that is not named is removed.
  func setContent(_ content: [String: [UInt8]]) throws {
    let current = manifest.attachments.filter { $0.isContent && $0.until == nil }
    var staged: [StagedName: StagedAttachment] = [:]
    for (name, bytes) in content {
      let digest = Document.digest(of: bytes)
      if current.contains(where: { $0.name == name && $0.digest == digest }) { continue }
      let taken = try takeIn { try $0(bytes) }
      staged[StagedName(name: name, isContent: true)] = .put(
        digest: taken.digest, byteCount: taken.byteCount)
    }
    for one in current where content[one.name] == nil {
      staged[StagedName(name: one.name, isContent: true)] = .remove
    }
    let changes = staged
    state.withLock { state in
      // Content that was staged for a failed save may be outdated, so it is replaced.
      state.staged = state.staged.filter { !$0.key.isContent }
      state.staged.merge(changes) { _, new in new }
      for case .put(let digest, byteCount: _) in changes.values { state.hasStaged(digest) }
    }
  }
}
