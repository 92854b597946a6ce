import ObjectModel
import Rows
import StoreInterface

/// Commits the changes of a save: to the stores, or to the parent context.
final class SaveCommit {
  private let workspace: Workspace
  private let turn = SaveTurn()
  private var start = ContinuousClock.now
  private var refusedBases: [StoreTag: Int64] = [:]

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// The outcome of an attempt to commit.
  enum Outcome {
    /// The stores have the changes.
    case saved([StoreTag: Layer])
    /// Another save came first.
    case overtaken
    /// A store refused the changes, though no save came in between.
    case refused
  }

  /// Tries to commit.
  func run() throws -> Outcome {
    if let parent = workspace.parent {
      return .saved(
        try ParentChannel(workspace, parent).push(
          waits: true, isValidated: !workspace.settings.defersValidation))
    }
    try workspace.sealForUndo()
    let parts = try pendingParts()
    guard !parts.isEmpty else { return .saved([:]) }
    let queue = workspace.coordinator.commitQueue
    queue.take(turn)
    // Another save of this process came first. A store would find that only after more work.
    for (state, _) in parts
    where try state.persistent.knownSnapshotToFollow.commit > state.base.snapshot.commit {
      noteOvertaken()
      return .overtaken
    }
    do {
      let snapshots = try workspace.coordinator.commit(
        parts.map { ($0.state.persistent, workspace.request($0.layer, in: $0.state)) },
        whenOrdered: end)
      // Hooks and observers of the rest of the save may wait for the save of another context.
      queue.end(turn)
      for (part, snapshot) in zip(parts, snapshots) { settle(part.state, snapshot) }
      return .saved(Dictionary(uniqueKeysWithValues: parts.map { ($0.state.tag, $0.layer) }))
    } catch let error as StoreError where error.code == .conflict || error.code == .overtaken {
      noteOvertaken()
      let bases = Dictionary(
        uniqueKeysWithValues: parts.map { ($0.state.tag, $0.state.base.snapshot.commit) })
      defer { refusedBases = bases }
      return refusedBases == bases ? .refused : .overtaken
    }
  }

  private func noteOvertaken() {
    workspace.coordinator.commitQueue.noteOvertaken(
      turn, after: (ContinuousClock.now - start) / .seconds(1))
    start = ContinuousClock.now
  }

  /// Ends the save's turn among the saves of the coordinator.
  func end() { workspace.coordinator.commitQueue.end(turn) }

  /// Returns the changes of each store that has any.
  private func pendingParts() throws -> [(state: StoreState, layer: Layer)] {
    var parts: [(state: StoreState, layer: Layer)] = []
    for state in workspace.storeStates {
      let layer = try state.pendingLayer()
      if layer.isEmpty {
        state.forgetEmptyChanges()
        continue
      }
      guard !state.persistent.isReadOnly else {
        throw StoreError.addedForReading(state.persistent.path)
      }
      parts.append((state, layer))
    }
    return parts
  }

  /// Moves a store of the workspace to the new commit.
  private func settle(_ state: StoreState, _ snapshot: any StoreSnapshot) {
    let before = state.base.snapshot.commit
    state.persistent.noteChecked(snapshot.commit)
    workspace.pinned?.advance(state.tag, to: snapshot)
    state.setSaved(
      StoreBase(snapshot: snapshot), version: snapshot.countsVersions ? nil : snapshot.commit)
    workspace.following?.noteOwnSave(state.tag, before: before, state.base)
  }
}

extension Workspace {
  /// Returns the request to commit changes directly above the context's present commit.
  func request(_ layer: Layer, in state: StoreState) -> CommitRequest {
    var request = CommitRequest(layer, basedOn: state.base.snapshot)
    request.requiredCommit = state.base.snapshot.commit
    request.author = settings.transactionAuthor
    request.contextName = settings.name
    request.message = settings.transactionMessage
    request.lanes = state.mergedLanes
    return request
  }
}
