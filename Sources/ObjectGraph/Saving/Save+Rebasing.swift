import ObjectModel
import Rows
import StoreInterface

extension Save {
  /// Replays the changes of all stores on their newest commits, and lets the merge policy decide about conflicts. The
  /// parent rebases the changes of a child.
  ///
  /// If another save has changed rows that may affect the changes, they are announced, prepared and validated again.
  ///
  /// - Throws: ``ContextError`` with the conflicts of all stores if the policy is ``MergePolicy/error`` or a marked
  ///   object has changed, or with the
  ///   code ``ContextError/Code/incompatibleModel`` if a store was migrated since. Nothing is changed then.
  func rebase(_ draft: consuming SaveDraft) throws -> SaveDraft {
    if workspace.parent != nil { return draft }
    try workspace.sealForUndo()
    let states = workspace.drafts.states.filter {
      ($0.hasChanges || workspace.marks.concern($0.tag)) && !$0.persistent.isGone
    }
    var heads: [(state: StoreState, base: StoreBase)] = []
    var marked: [MergeConflict] = []
    draft.attempts.checked = [:]
    for state in states {
      if try isAlone(state, draft.attempts) { continue }
      let head = try head(of: state, draft.attempts)
      // The model is checked before the rebase. After the rebase the store can't tell that the changes fit only the
      // former model.
      try workspace.coordinator.checkModel(of: head, in: state.persistent)
      marked += try MarkCheck(workspace).conflicts(of: state, with: head)
      guard state.hasChanges else {
        draft.attempts.checked[state.tag] = head
        continue
      }
      if head.commit == state.base.snapshot.commit, state.originals.isEmpty { continue }
      heads.append((state, StoreBase(snapshot: head)))
    }
    try findConflicts(heads, besides: marked)
    for (state, base) in heads {
      let policy = workspace.settings.mergePolicy
      if try Advance(workspace, state).run(to: base, policy: policy) { draft.stage = .begun }
    }
    return draft
  }

  /// Returns the newest commit that is known. A store on a server is asked for the newest commit of all programs only after
  /// it has refused the changes: it checks the changes anyway, and asking takes a round trip.
  private func head(
    of state: StoreState, _ attempts: SaveDraft.Attempts
  ) throws -> any StoreSnapshot {
    if state.persistent.features.isRemote, attempts.refusedBases.isEmpty {
      let known = try state.persistent.knownSnapshotToFollow
      if known.commit >= state.base.snapshot.commit { return known }
    }
    return try state.persistent.snapshotToFollow
  }

  /// Throws the conflicts of all stores together: those of marked objects, and those of changed objects if the policy is
  /// ``MergePolicy/error``.
  private func findConflicts(
    _ heads: [(state: StoreState, base: StoreBase)], besides marked: [MergeConflict]
  ) throws {
    var conflicts = marked
    // The rebase of a single store throws its conflicts on its own.
    let isAsked = heads.count > 1 || !marked.isEmpty
    for (state, base) in heads where isAsked && workspace.settings.mergePolicy.isError {
      do {
        _ = try Rebase(
          state.changes(), onto: base, graph: state.graph, store: state.tag, policy: .error)()
      } catch let error as ContextError where !error.conflicts.isEmpty {
        conflicts += error.conflicts.filter { found in
          !marked.contains { $0.object == found.object }
        }
      }
    }
    guard conflicts.isEmpty else { throw ContextError(conflicts: conflicts) }
  }
}

extension ContextError {
  /// Creates the error for changes of objects that another save has changed.
  init(conflicts: [MergeConflict]) {
    let count = conflicts.count == 1 ? "1 object was" : "\(conflicts.count) objects were"
    self.init(
      .conflict, "\(count) changed by another save since this context read them.",
      conflicts: conflicts)
  }
}
