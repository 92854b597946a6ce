import Dispatch
public import Foundation
import ObjectGraph
import ObjectModel
import Rows
import StoreInterface
import Synchronization

// Other processes, going back, and what an earlier session has left.
extension ManagedDocument {
  /// Looks now and then whether the document is still there, and what others have saved.
  func lookForOthers() {
    guard let interval = options.lookingForOthers else { return }
    timer.asyncAfter(deadline: .now() + interval.seconds) { [weak self] in
      guard let self, !state.withLock({ $0.isClosed }) else { return }
      Task { [weak self] in
        do { _ = try await self?.refresh() } catch {
          // The state says why.
        }
        self?.lookForOthers()
      }
    }
  }

  /// Looks whether another process has saved the document, and shows what it has: objects without changes of
  /// their own follow, those with changes follow in what was not changed here.
  ///
  /// Happens by itself (``DocumentOptions/lookingForOthers``).
  ///
  /// - Returns: Whether there was anything.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/gone`` when the document was moved or removed,
  ///   which ``currentState`` says too; what a damaged store throws.
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

  /// Gives up everything that is not saved, and shows what is. Objects stay the same; what there was to undo is
  /// forgotten.
  ///
  /// - Throws: ``DocumentError`` when the document can't be read.
  public func revert() async throws {
    try checkOpen()
    let document = document
    _ = await state.withLock { $0.waiting ?? $0.running }?.result
    document.discardStaged()
    _ = try await ManagedDocument.aside { try document.refreshReturningLayers() }
    // What the main context holds and has handed over goes first from where it is, then from what it sees.
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

  /// Makes the document what it was at a version. That is one more version, so it can be gone back from.
  ///
  /// Changes that are not saved are saved before.
  ///
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noVersion`` and others; what a save throws.
  public func revert(to version: Int64) async throws {
    try await save()
    let (document, author) = (document, options.author)
    let layers = try await ManagedDocument.aside {
      try document.layers { try document.revert(to: version, author: author) }
    }
    try await rootContext.perform { try self.rootContext.mergeFromOutside(layers) }
    try await mainContext.perform {
      // What there was to undo was done to what is not there any more.
      self.mainContext.undoStack?.removeAll()
    }
    try readContent()
  }

  /// When an earlier session could not save because something was not valid, and when that was; `nil` when there
  /// is nothing to be recovered.
  ///
  /// - Throws: ``DocumentError`` when it can't be read.
  public func recoveryDate() throws -> Date? { try document.recovery()?.written }

  /// Takes what an earlier session could not save into the main context, as changes that are not saved: to be
  /// mended there.
  ///
  /// - Throws: ``DocumentError`` when it can't be read; `ContextError` when it does not fit any more.
  public func recover() async throws {
    try checkOpen()
    guard let recovery = try document.recovery() else { return }
    let layers = Dictionary(
      recovery.changes.map { ($0.store.tag, $0.layer) }, uniquingKeysWith: { first, _ in first })
    try await mainContext.perform { try self.mainContext.take(layers) }
    document.adoptRecovery()
  }

  /// Gives up what an earlier session could not save.
  ///
  /// - Throws: What the disk refuses.
  public func discardRecovery() throws { try document.discardRecovery() }
}

extension Document {
  /// What `body` changes of each store.
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

  /// Goes on to what others have saved, and gives what that has changed; `nil` when there is nothing.
  func refreshReturningLayers() throws -> [StoreTag: Layer]? {
    let seen = state.withLock { $0.shown }
    try refresh()
    var layers: [StoreTag: Layer] = [:]
    var now: [StoreTag: any StoreSnapshot] = [:]
    for store in stores {
      let new = try store.snapshot()
      now[store.tag] = new
      // Saves of this process are known; going over them again does no harm.
      if access != .exclusive, let old = seen[store.tag], old.commit != new.commit {
        layers[store.tag] = try new.changes(since: old)
      }
    }
    let snapshots = now
    state.withLock { $0.shown = snapshots }
    return layers.isEmpty ? nil : layers
  }

  /// A recovery was taken over, and goes once it is saved.
  func adoptRecovery() { state.withLock { $0.hasOwnRecovery = true } }

  /// What the program keeps besides objects, by name.
  func content() throws -> [String: [UInt8]] {
    let number = shownVersion ?? .max - 1
    var content: [String: [UInt8]] = [:]
    for entry in manifest.attachments where entry.isContent && entry.isPart(of: number) {
      let reader = try reader(of: StagedName(name: entry.name, isContent: true))
      content[entry.name] = try reader.read(byteCount: reader.byteCount, at: 0)
    }
    return content
  }

  /// Stages what the program keeps besides objects; what is not named is taken out.
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
      // What was staged for a save that failed may be another by now.
      state.staged = state.staged.filter { !$0.key.isContent }
      state.staged.merge(changes) { _, new in new }
    }
  }
}
