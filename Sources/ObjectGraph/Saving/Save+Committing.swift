import ObjectModel
import Rows
import StoreInterface
import Threads

extension Save {
  /// The maximum number of times that a store may refuse a save although no other save has come in between.
  private static let mostRefusals = 16

  /// Tries to commit the changes: to the stores, or to the parent context.
  ///
  /// If another save came first, the draft stays as it is, and the next rebase decides what has to be repeated. If a
  /// store refuses the changes although no save came in between, they are prepared again.
  func commit(_ draft: consuming SaveDraft) throws -> SaveDraft {
    if let parent = workspace.parent {
      draft.saved = try ParentChannel(workspace, parent).push(
        waits: true, isValidated: !workspace.settings.defersValidation)
      draft.stage = .committed
      return draft
    }
    try workspace.sealForUndo()
    let parts = try pendingParts(draft.attempts.checked)
    let isAlone = try parts.count == 1 && isAlone(parts[0].state, draft.attempts)
    guard !parts.isEmpty else {
      workspace.marks.removeAll()
      draft.stage = .committed
      return draft
    }
    let queue = workspace.coordinator.commitQueue
    let turn = draft.attempts.turn
    queue.take(turn)
    // Another save of this process came first. A store would find that only after more work.
    for part in parts
    where try !isAlone && part.state.persistent.knownSnapshotToFollow.commit > part.base.commit {
      recordOvertaken(&draft.attempts)
      draft.attempts.refusalCount = 0
      return draft
    }
    do {
      let snapshots = try workspace.coordinator.commit(
        parts.map {
          (
            $0.state.persistent,
            workspace.request($0.layer, above: $0.base, in: $0.state, follows: !isAlone)
          )
        },
        whenOrdered: { queue.end(turn) })
      // Hooks and observers of the rest of the save may wait for the save of another context.
      queue.end(turn)
      for (part, snapshot) in zip(parts, snapshots) where !part.layer.isEmpty {
        settle(part.state, snapshot)
      }
      workspace.marks.removeAll()
      draft.saved = Dictionary(
        uniqueKeysWithValues: parts.filter { !$0.layer.isEmpty }.map { ($0.state.tag, $0.layer) })
      draft.stage = .committed
    } catch let error as StoreError where error.code == .conflict || error.code == .overtaken {
      recordOvertaken(&draft.attempts)
      let bases = Dictionary(
        uniqueKeysWithValues: parts.map { ($0.state.tag, $0.base.commit) })
      try recordRefusal(of: bases, &draft)
    }
    return draft
  }

  /// Returns whether the changes of a store may follow any commit. Changes that were refused must follow the newest one.
  func isAlone(_ state: StoreState, _ attempts: SaveDraft.Attempts) throws -> Bool {
    try attempts.refusedBases.isEmpty && LoneChanges(workspace).standAlone(in: state)
  }

  private func recordOvertaken(_ attempts: inout SaveDraft.Attempts) {
    workspace.coordinator.commitQueue.recordOvertaken(
      attempts.turn, after: (Threads.now - attempts.start) / .seconds(1))
    attempts.start = Threads.now
  }

  /// Records that a store has refused changes that are based on some commits, by store.
  private func recordRefusal(of bases: [StoreTag: Int64], _ draft: inout SaveDraft) throws {
    guard draft.attempts.refusedBases == bases else {
      draft.attempts.refusedBases = bases
      draft.attempts.refusalCount = 0
      return
    }
    draft.stage = .announced
    draft.attempts.refusalCount += 1
    let count = draft.attempts.refusalCount
    guard count < Save.mostRefusals else {
      throw ContextError(
        .conflict,
        "A store refused the changes \(count) times, although no other save came first.")
    }
  }

  /// The part of a save that concerns one store.
  private struct Part {
    let state: StoreState
    /// The changes; empty if the store is only asked whether its marked objects are unchanged.
    let layer: Layer
    /// The commit that the part must follow.
    let base: any StoreSnapshot
  }

  /// Returns the changes of each store that has any, and then the stores that have marked objects alone.
  ///
  /// Independent stores commit in this order. Each of two saves that mark what the other changes then finds the other.
  ///
  /// - Parameter checked: The commits with which marked objects were compared, by store.
  private func pendingParts(_ checked: [StoreTag: any StoreSnapshot]) throws -> [Part] {
    var parts: [Part] = []
    var checks: [Part] = []
    for state in workspace.drafts.states {
      let layer = try state.pendingLayer()
      if layer.isEmpty {
        state.forgetEmptyChanges()
        // No request can be sent to a store that is only read. The rebase has compared its objects.
        if workspace.marks.concern(state.tag), !state.persistent.isReadOnly {
          let base = checked[state.tag] ?? state.base.snapshot
          checks.append(Part(state: state, layer: layer, base: base))
        }
        continue
      }
      guard !state.persistent.isReadOnly else {
        throw StoreError.addedForReading(state.persistent.path)
      }
      parts.append(Part(state: state, layer: layer, base: state.base.snapshot))
    }
    return parts + checks
  }

  /// Moves a store of the workspace to the new commit.
  private func settle(_ state: StoreState, _ snapshot: any StoreSnapshot) {
    let before = state.base.snapshot.commit
    state.persistent.recordChecked(snapshot.commit)
    workspace.pinned?.advance(state.tag, to: snapshot)
    state.setSaved(
      StoreBase(snapshot: snapshot), version: snapshot.countsVersions ? nil : snapshot.commit)
    workspace.observation.following?.recordOwnSave(state.tag, before: before, state.base)
  }
}

extension Workspace {
  /// Returns the request to commit changes directly above a commit.
  ///
  /// - Parameter follows: Whether the store must refuse the changes if another commit has come in between.
  func request(
    _ layer: Layer, above base: any StoreSnapshot, in state: StoreState, follows: Bool = true
  ) -> CommitRequest {
    var request = CommitRequest(layer, basedOn: base)
    let settings = settings
    if follows { request.requiredCommit = base.commit }
    request.author = settings.transactionAuthor
    request.contextName = settings.name
    request.message = settings.transactionMessage
    request.lanes = state.mergedLanes
    return request
  }
}
