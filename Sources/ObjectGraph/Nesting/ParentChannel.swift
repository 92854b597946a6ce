import ObjectModel
import Rows
import StoreInterface
import Synchronization

/// Pushes the changes of a child context to its parent.
///
/// The parent's children see the changes from the moment of the push. The parent accepts the push in its next turn. A
/// save waits for that turn; a push on its own does not.
struct ParentChannel {
  private let workspace: Workspace
  private let parent: Workspace

  init(_ workspace: Workspace, _ parent: Workspace) {
    self.workspace = workspace
    self.parent = parent
  }

  /// Pushes all frozen changes.
  ///
  /// - Parameter waits: Whether to wait until the parent has accepted the push. The parent may then refuse it.
  /// - Returns: The pushed changes, by store.
  /// - Throws: The error of the parent, which then has none of the changes.
  func push(waits: Bool, isValidated: Bool) throws -> [StoreTag: Layer] {
    var parts: [Push.Part] = []
    var states: [StoreState] = []
    for state in workspace.drafts.states {
      var changes = try state.changes()
      changes.transients = workspace.transientsToPush(of: state)
      if changes.layer.isEmpty { state.forgetEmptyChanges() } else { states.append(state) }
      if !changes.isEmpty { parts.append(Push.Part(store: state.persistent, changes: changes)) }
    }
    let push = Push(parts, isValidated: isValidated, marks: workspace.marks)
    if parts.isEmpty, push.marks.isEmpty { return [:] }
    let outcome = waits ? try sendAndWait(push) : send(push)
    workspace.marks.removeAll()
    for state in states { try moveOn(state, outcome) }
    return Dictionary(uniqueKeysWithValues: parts.map { ($0.store.tag, $0.changes.layer) })
  }

  /// The states that the parent shows right before a push and after it.
  private struct Outcome {
    let before: [StoreTag: StoreBase]
    let bases: [StoreTag: StoreBase]
    /// The keys of rows that differ in the parent from the child's rows, by store.
    var touched: [StoreTag: Set<ObjectKey>] = [:]
  }

  private func send(_ push: Push) -> Outcome {
    let outcome = parent.mail.published.withLock { state in
      let before = state.bases
      state.pushes.append(push)
      state.show(push)
      return Outcome(before: before, bases: state.bases)
    }
    if parent.mail.isOutOfReach {
      parent.mail.hasWaiting.store(true, ordering: .releasing)
    } else {
      parent.schedule {}
    }
    return outcome
  }

  private func sendAndWait(_ push: Push) throws -> Outcome {
    try parent.performAndWait {
      try parent.throwReadFailure()
      // Earlier pushes come first.
      parent.takePushes()
      try parent.throwReadFailure()
      try parent.processPendingChanges()
      // The child can still drop its changes and begin again. Marks that arrive without waiting fail the parent's save.
      try MarkCheck(parent).refuse(push.marks)
      let before = parent.mail.published.withLock { $0.bases }
      let touched = try parent.take(push)
      try parent.processPendingChanges()
      return Outcome(
        before: before, bases: parent.mail.published.withLock { $0.bases }, touched: touched)
    }
  }

  /// Advances one store of the child to the state that the parent shows now, and looks up the affected objects again.
  private func moveOn(_ state: StoreState, _ outcome: Outcome) throws {
    guard let base = outcome.bases[state.tag] else { return state.setSaved(state.base, version: 0) }
    let touched = outcome.touched[state.tag] ?? []
    let own = state.base
    let mayDiffer = try outcome.before[state.tag].map { try $0.differences(from: own) } ?? []
    state.setSaved(base, version: 0)
    for key in try Set(mayDiffer.flatMap { try $0.allKeys() }).union(touched) {
      guard let object = state.knownEntity(key.entity)?.known(key.number) else { continue }
      let wasThere = workspace.isAlive(object)
      object.point(to: object.source.entity.unresolved, row: 0)
      object.state.subtract(.missing)
      try workspace.resolve(object, in: state)
      let isThere = !object.state.contains(.missing)
      if isThere { object.state.remove(.deleted) } else { object.state.insert(.deleted) }
      workspace.observation.recordEvent(object.objectID, wasThere: wasThere, isThere: isThere)
    }
  }
}

extension Workspace {
  /// Pushes all changes to the parent without waiting for it.
  ///
  /// The push skips validation and `willSave`: the save of the parent does both.
  func handOver() throws {
    checkPlace()
    guard let parent else { misuse("The context has no parent context to push changes to.") }
    takeWaiting()
    try throwReadFailure()
    guard hasChanges || !marks.isEmpty else { return }
    try sealForUndo()
    undoStack?.willSave()
    let pushed: [StoreTag: Layer]
    do {
      pushed = try ParentChannel(self, parent).push(waits: false, isValidated: false)
    } catch {
      undoStack?.didSave(false)
      throw error
    }
    for state in drafts.states { state.forgetEmptyChanges() }
    Save(self).finish(pushed)
  }

  /// Accepts the pushes of children. A push that fails stays, and the next save throws its error.
  func takePushes() {
    let wasWorking = progress.beginWork()
    defer { progress.endWork(wasWorking) }
    while let push = mail.published.withLock({ $0.pushes.first }) {
      do { _ = try take(push) } catch { return record(error) }
      // No other code removes a push.
      mail.published.withLock { $0.pushes.removeSubrange(..<1) }
      do { try processPendingChanges() } catch { record(error) }
      publish()
    }
  }

  /// Accepts the push of a child.
  ///
  /// - Returns: The keys of rows that differ from the child's rows, by store.
  func take(_ push: Push) throws -> [StoreTag: Set<ObjectKey>] {
    // The context's own earlier changes get a notification and their own undo step.
    try processPendingChanges()
    // Marks are about the rows that the child has read, so they come before its changes of these rows.
    try MarkCheck(self).adopt(push.marks)
    var touched: [StoreTag: Set<ObjectKey>] = [:]
    for part in push.parts {
      let state = try state(of: part.store)
      touched[state.tag] = try Take(self, state).run(
        part.changes, isValidated: push.isValidated)
    }
    return touched
  }

  /// Returns the transient values that changed objects of a store have received since the last push.
  fileprivate func transientsToPush(of state: StoreState) -> TransientChanges {
    if transients.count == 0 { return [:] }
    var changes: TransientChanges = [:]
    for object in drafts.changedObjects where object.objectID.store == state.tag {
      let unpushed = transients.unpushed(of: object.objectID)
      if !unpushed.isEmpty { changes[object.key] = unpushed }
    }
    return changes
  }
}
