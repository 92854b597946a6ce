import Dispatch
import Foundation
public import ObjectGraph
import StoreInterface
import Synchronization

// Explicit saves and autosave.
extension ManagedDocument {
  /// Saves all changes made until now, in all contexts except workers that have not saved.
  ///
  /// The save writes in the background, and does not block callers that change objects meanwhile. Callers that
  /// ask for a save while another save runs share one save.
  ///
  /// - Throws: `ContextError` with all invalid values, which are then kept for recovery, or with the conflicts
  ///   with other saves; ``DocumentError`` or `StoreError` if the document can't be written. Nothing is lost:
  ///   the changes stay, and ``currentState`` contains the error.
  public func save() async throws {
    try checkOpen()
    let task = state.withLock { state in
      if let waiting = state.waiting { return waiting }
      let before = state.running
      let task = Task {
        _ = await before?.result
        self.state.withLock { state in
          state.running = state.waiting
          state.waiting = nil
        }
        try await self.saveOnce()
      }
      state.waiting = task
      return task
    }
    try await task.value
  }

  private func saveOnce() async throws {
    try checkOpen()
    let document = document
    let hasRecovery = document.hasOwnRecovery
    if document.isReadOnly {
      try await mainContext.perform { try self.mainContext.processPendingChanges() }
      guard hasUnsavedChanges else { return }
      throw DocumentError.readOnly(document.path)
    }
    do {
      try stageContent(in: document)
      try await mainContext.perform {
        try self.mainContext.processPendingChanges()
        if self.hasUnsavedChanges { self.set(.saving) }
        let isPushing = self.state.withLock { $0.main.handedOver != $0.main.changes }
        try self.mainContext.handOver()
        self.state.withLock { state in
          // The pushed changes belong to the root context from here on, which counts them later on its own
          // queue.
          if isPushing || state.main.handedOver != state.main.changes { state.root.changes += 1 }
          state.main.handedOver = state.main.changes
          (state.firstChange, state.lastChange) = (nil, nil)
        }
      }
      try await rootContext.perform { try self.saveRoot(document, replacing: hasRecovery) }
      settle()
    } catch {
      record(error)
      throw error
    }
    thinNowAndThen(document)
  }

  /// Saves the root context, and the attachments with it. Runs on the root context's queue.
  ///
  /// - Parameter hasRecovery: Whether a recovery of this session existed before. This save contains its
  ///   changes, or they were discarded.
  private func saveRoot(_ document: Document, replacing hasRecovery: Bool) throws {
    let versions = document.manifest.number
    if rootContext.hasChanges || rootContext.hasMarks {
      do {
        try rootContext.save()
      } catch let error as ContextError where error.refusesValues {
        // Invalid values never get into the document, and survive the end of the program in the recovery.
        try keepForRecovery(in: document, because: error)
        throw error
      }
    }
    if document.hasStagedAttachments { try document.save() }
    if hasRecovery { try document.discardRecovery() }
    state.withLock { state in
      state.root.saved = state.root.changes
      if hasRecovery { state.root.kept = -1 }
      if state.main.changes == state.main.handedOver {
        (state.firstChange, state.lastChange) = (nil, nil)
      }
      if document.manifest.number != versions { state.writeCount += 1 }
    }
  }

  /// Keeps the invalid changes for recovery, unless the same changes are kept already.
  private func keepForRecovery(in document: Document, because error: ContextError) throws {
    if state.withLock({ $0.root.changes == $0.root.kept }) { return }
    do {
      try document.keepForRecovery(rootContext.unsavedRequests())
    } catch let refusal {
      throw ContextError(
        error.code,
        "\(error.message) The changes could not be kept for recovery either: \(refusal)",
        failures: error.failures, constraintConflicts: error.constraintConflicts, cause: refusal)
    }
    state.withLock { $0.root.kept = $0.root.changes }
  }

  /// Sets the state to `normal` after a successful save.
  private func settle() {
    if case .normal = currentState { return }
    set(.normal)
  }

  private func record(_ error: any Error) {
    switch error {
    case let error as ContextError where error.code == .conflict: set(.inConflict(error))
    case let error as DocumentError where error.code == .gone: set(.editingDisabled(error))
    default: set(.saveFailed(error))
    }
  }

  /// Saves although other saves have changed the same objects. The policy resolves the conflicts.
  ///
  /// No policy resolves a conflict with `MergeConflict.isMarked`: the document can only be reverted.
  ///
  /// - Throws: As ``save()``.
  public func resolveConflicts(_ policy: MergePolicy) async throws {
    let before = await rootContext.exchange(policy)
    do { try await save() } catch {
      _ = await rootContext.exchange(before)
      throw error
    }
    _ = await rootContext.exchange(before)
  }

  /// Stages the content that the program keeps besides objects for the next save.
  private func stageContent(in document: Document) throws {
    guard let content = try options.hooks.additionalContent?() else { return }
    try document.setContent(content)
  }

  /// Forgets versions that the policy does not keep, once in 64 saves because it takes a while.
  private func thinNowAndThen(_ document: Document) {
    guard writeCount % 64 == 63 else { return }
    // A failure does no harm: the next attempt forgets the versions.
    DispatchQueue.global(qos: .background).async { [options] in
      _ = try? document.thin(options.versions, eagerly: false)
    }
  }

  // MARK: - Autosave

  /// Counts a change of the main context or the root context, on the queue of that context.
  ///
  /// After an undo or a rollback the context may have no changes left. A merge or a refresh is not a change.
  func record(_ change: ContextChange, inMain isMain: Bool) {
    // Changes that are pushed from now on are counted after this.
    let counted = state.withLock { isMain ? $0.main.changes : $0.root.changes }
    if (isMain ? mainContext : rootContext).isClean {
      state.withLock { state in
        if isMain { state.main.handedOver = counted } else { state.root.saved = counted }
        if !state.hasChanges { (state.firstChange, state.lastChange) = (nil, nil) }
      }
      return
    }
    guard change.hasOwnChanges else { return }
    let now = ContinuousClock.now
    let mustWait = state.withLock { state in
      if isMain { state.main.changes += 1 } else { state.root.changes += 1 }
      state.firstChange = state.firstChange ?? now
      state.lastChange = now
      if state.isWaiting || state.isClosed { return false }
      state.isWaiting = options.autosave != nil
      return state.isWaiting
    }
    if mustWait, let timing = options.autosave { wait(timing.delay) }
  }

  private func wait(_ duration: Duration) {
    timer.asyncAfter(deadline: .now() + duration.seconds) { [weak self] in self?.autosaveIfDue() }
  }

  /// Saves if no change was made for a while, or if the first unsaved change has waited too long. Waits
  /// otherwise.
  private func autosaveIfDue() {
    guard let timing = options.autosave else { return }
    let now = ContinuousClock.now
    let left = state.withLock { state -> Duration? in
      if state.isClosed { return nil }
      let quiet = (state.lastChange ?? now) + timing.delay
      let latest = (state.firstChange ?? now) + timing.longestWait
      let left = now.duration(to: min(quiet, latest))
      if left <= .zero || state.lastChange == nil {
        state.isWaiting = false
        return .zero
      }
      return left
    }
    guard let left else { return }
    if left > .zero { return wait(left) }
    Task { [weak self] in await self?.autosave() }
  }

  private func autosave() async {
    guard hasUnsavedChanges, !document.isReadOnly else { return }
    do { try await save() } catch {
      // The state contains the error. Autosave tries again, also without another change.
      let mustWait = state.withLock { state in
        if state.isWaiting || state.isClosed { return false }
        state.isWaiting = true
        return true
      }
      if mustWait, let timing = options.autosave { wait(timing.longestWait) }
    }
  }

  // MARK: - Closing

  /// Saves unsaved changes, and closes the document.
  ///
  /// - Parameter saving: Whether unsaved changes are saved. Otherwise they are discarded.
  /// - Throws: As ``save()``. The document stays open then.
  public func close(saving: Bool = true) async throws {
    if state.withLock({ $0.isClosed }) { return }
    let document = document
    if saving, !document.isReadOnly { try await save() }
    let running = state.withLock { state in
      state.isClosed = true
      return state.waiting ?? state.running
    }
    _ = await running?.result
    try await ManagedDocument.aside { [options] in
      if !document.isReadOnly { _ = try? document.thin(options.versions, eagerly: false) }
      try document.close()
    }
    EndSignals.shared.remove(self)
    set(.closed)
    states.finish()
  }
}

extension Duration {
  var seconds: Double {
    let (whole, parts) = components
    return Double(whole) + Double(parts) / 1e18
  }
}

extension ManagedObjectContext {
  /// Sets the merge policy and returns the previous one.
  fileprivate func exchange(_ policy: MergePolicy) async -> MergePolicy {
    let box = Mutex(policy)
    // Setting a policy never throws.
    try? await perform {
      box.withLock { policy in (policy, self.mergePolicy) = (self.mergePolicy, policy) }
    }
    return box.withLock { $0 }
  }
}

extension ContextError {
  /// Whether the objects to be saved break rules of the model or share unique values.
  fileprivate var refusesValues: Bool {
    code == .validation || (code == .conflict && !constraintConflicts.isEmpty)
  }
}
