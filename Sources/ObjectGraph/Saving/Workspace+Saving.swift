import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

// Saving.
extension Workspace {
  func save() throws { _ = try saveReturningLayers() }

  /// Saves, and gives what was saved.
  func saveReturningLayers() throws -> [StoreTag: Layer] {
    checkPlace()
    takeWaiting()
    workDepth += 1
    defer { workDepth -= 1 }
    try throwReadFailure()
    guard hasChanges else { return [:] }
    replacements = [:]
    try sealForUndo()
    undoManager?.willSave()
    let saved: [StoreTag: Layer]
    do {
      saved = try parent.map { try saveIntoParent($0) } ?? saveIntoStores()
    } catch {
      undoManager?.didSave(false)
      throw error
    }
    // Whatever is changed by those who are told belongs to the next save.
    undoManager?.didSave(true)
    finishSaving()
    publish()
    announceChanges()
    announceSave(saved)
    updateFollowers()
    sweepIfNeeded()
    return saved
  }

  func validationFailures() throws -> [ValidationFailure] {
    do { try validateChanges() } catch let error as ContextError {
      guard !error.constraintConflicts.isEmpty || !error.failures.isEmpty else { throw error }
      return error.failures
    }
    return []
  }

  func validateChanges() throws {
    checkPlace()
    workDepth += 1
    defer { workDepth -= 1 }
    try sealForUndo()
    undoManager?.willSave()
    defer { undoManager?.didSave(false) }
    try prepareToSave()
  }

  // MARK: Before

  /// Asks objects to make themselves ready, and checks them.
  private func prepareToSave() throws {
    var rounds = 0
    var isSettled = false
    repeat {
      try propagateDeletionsOrThrow()
      try sealAll()
      rounds += 1
      guard rounds < 1000 else {
        throw ContextError(
          .validation, "Objects go on changing themselves in willSave, a thousand times by now.")
      }
      let mark = sealCount
      for object in changedObjects where type(of: object) != ManagedObject.self {
        object.willSave()
      }
      isSettled = !hasChanged(since: mark)
      try sealAll()
      try mergeDuplicates()
      isSettled = isSettled && !hasUnprocessedChanges
      if !isSettled { try agreeOneToOneAgain() }
      try updateDerivedValues()
    } while !isSettled || hasUnprocessedChanges
    if settings.defersValidation { return }
    var failures: [ValidationFailure] = []
    var asked = 0
    repeat {
      let mark = sealCount
      let next = changedObjects[asked...]
      // Whom another has changed when it was asked is made ready, and asked, as all are.
      if asked > 0 {
        for object in next where type(of: object) != ManagedObject.self { object.willSave() }
      }
      asked += next.count
      failures += failuresOfClasses(of: next)
      if hasChanged(since: mark) {
        try propagateDeletionsOrThrow()
        try sealAll()
        try updateDerivedValues()
        try sealAll()
      }
    } while changedObjects.count > asked
    failures += try validate()
    let conflicts = try findConstraintConflicts()
    guard failures.isEmpty, conflicts.isEmpty else {
      throw ContextError(refusing: failures, conflicts)
    }
  }

  /// Whether something was changed since changes were last processed.
  var hasUnprocessedChanges: Bool {
    !deletionsToPropagate.isEmpty || storeStates.contains { $0.hasOpenChanges }
  }

  /// Whether something was changed since so many changes were sealed, and perhaps sealed since.
  private func hasChanged(since mark: Int) -> Bool { hasUnprocessedChanges || sealCount != mark }

  /// Makes the changes ready, and tells that they are about to be saved.
  private func announcePrepared() throws {
    var isTold = false
    for _ in 0..<1000 {
      try prepareToSave()
      try throwReadFailure()
      let mark = sealCount
      announceChanges()
      if !isTold { announceSaving() }
      isTold = true
      // What is changed by whoever is told is saved with the rest, and so is made ready and checked as that is.
      if !hasChanged(since: mark) { return }
    }
    throw ContextError(
      .validation, "Whoever is told of changes goes on making some, a thousand times by now.")
  }

  private func saveIntoParent(_ parent: Workspace) throws -> [StoreTag: Layer] {
    try announcePrepared()
    return try save(into: parent)
  }

  // MARK: Into stores

  /// Commits the changes once nothing that others have saved speaks against them.
  ///
  /// What is looked at before is not locked. The stores commit only if nobody has come in between; otherwise
  /// it is looked at again. It ends, because each time somebody has saved something, and because others of this
  /// coordinator give way after a while.
  private func saveIntoStores() throws -> [StoreTag: Layer] {
    let (turn, turns) = (SaveTurn(), coordinator.saveTurns)
    defer {
      turns.end(turn)
      for state in storeStates { state.seenCommit = nil }
    }
    var seen: [StoreTag: Int64?] = [:]
    var attempts = 0
    while true {
      let start = ContinuousClock.now
      try agreeWithOthers()
      try announcePrepared()
      let parts = try pendingParts()
      guard !parts.isEmpty else { return [:] }
      turns.giveWay(turn)
      if let snapshots = try commit(parts) {
        settle(parts, snapshots)
        return Dictionary(uniqueKeysWithValues: parts.map { ($0.state.tag, $0.layer) })
      }
      turns.noteOvertaken(turn, after: (ContinuousClock.now - start) / .seconds(1))
      let now = Dictionary(
        uniqueKeysWithValues: parts.map { ($0.state.tag, $0.state.seenCommit) })
      // What willSave and others change may be in conflict with what was saved long ago.
      attempts = now == seen ? attempts + 1 : 0
      guard attempts < 16 else {
        throw ContextError(
          .conflict, "A store refuses the changes again, and nobody has saved anything since.")
      }
      seen = now
    }
  }

  /// The changes of each store that has any.
  private func pendingParts() throws -> [(state: StoreState, layer: Layer)] {
    var parts: [(state: StoreState, layer: Layer)] = []
    for state in storeStates {
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

  /// Commits, unless somebody else has saved something since that these changes may have to do with.
  ///
  /// - Returns: The stores' snapshots then; `nil` when others came first.
  private func commit(
    _ parts: [(state: StoreState, layer: Layer)]
  ) throws -> [any StoreSnapshot]? {
    while true {
      do {
        return try coordinator.commit(
          parts.map { ($0.state.persistent, request($0.layer, in: $0.state)) })
      } catch let error as StoreError where error.code == .conflict {
        return nil
      } catch let error as StoreError where error.code == .overtaken {
        guard try passUnrelated(parts) else { return nil }
      }
    }
  }

  /// Passes over what others have saved meanwhile, if it is about objects that these changes have nothing
  /// to do with.
  private func passUnrelated(_ parts: [(state: StoreState, layer: Layer)]) throws -> Bool {
    var hasPassed = false
    for (state, layer) in parts {
      guard let seen = state.seenCommit, state.base.snapshot.commit <= seen else { return false }
      let head = try state.persistent.store.snapshot()
      if head.commit == seen { continue }
      let theirs = try head.changes(since: state.base.snapshot).entities.map(\.entityNumber)
      guard state.graph.neighbors(of: layer.entities.map(\.entityNumber)).isDisjoint(with: theirs)
      else { return false }
      state.seenCommit = head.commit
      hasPassed = true
    }
    return hasPassed
  }

  func request(_ layer: Layer, in state: StoreState) -> CommitRequest {
    var request = CommitRequest(layer, basedOn: state.base.snapshot)
    request.base = min(state.oldestCommit, request.base)
    request.requiredCommit = state.seenCommit ?? state.oldestCommit
    request.author = settings.transactionAuthor
    request.contextName = settings.name
    return request
  }

  /// Takes note of what was committed.
  private func settle(
    _ parts: [(state: StoreState, layer: Layer)], _ snapshots: [any StoreSnapshot]
  ) {
    for (part, snapshot) in zip(parts, snapshots) {
      let state = part.state
      let before = state.base.snapshot
      // When nobody else has saved since, everything that is known is as of this commit: it had to follow
      // the one that the changes lie above.
      let alone = (state.seenCommit ?? state.oldestCommit) == before.commit
      if alone, state.oldestCommit == before.commit { state.oldestCommit = snapshot.commit }
      pinned?.advance(state.tag, to: snapshot)
      state.setSaved(
        StoreBase(snapshot: snapshot),
        version: snapshot.countsVersions ? nil : snapshot.commit, alone: alone)
      following?.noteOwnSave(state.tag, before: before.commit, state.base)
    }
  }

  /// Forgets what was pending.
  func finishSaving() {
    let objects = changedObjects
    changedObjects = []
    forgetDenials()
    reached = [:]
    recalled = [:]
    momentsTaken = []
    if !freshTransients.isEmpty {
      for object in objects { freshTransients[object.objectID] = nil }
    }
    var isAnyTold = false
    var deleted: [ManagedObject] = []
    // In didSave an object still knows that it was deleted, and by which context.
    defer { for object in deleted { object.state.insert(.detached) } }
    for object in objects {
      if object.state.contains(.deleted) {
        // One that others have deleted may come back, and is the same then.
        if !object.source.isUnresolved {
          object.withEntity { $0.objects.remove(object.key.number) }
          deleted.append(object)
        }
        if !transientValues.isEmpty { forgetTransientValues(of: object.objectID) }
        object.state.subtract([.inserted, .updated, .pending])
        object.state.insert(.missing)
      } else {
        object.state.subtract([.inserted, .updated, .pending])
      }
      isAnyTold = isAnyTold || type(of: object) != ManagedObject.self
    }
    // Nobody is told before all are saved: what didSave changes, here or elsewhere, belongs to the next save.
    guard isAnyTold else { return }
    for object in objects where type(of: object) != ManagedObject.self { object.didSave() }
  }
}

extension ManagedObject {
  /// Where the object's values are that were saved last; `nil` when none were.
  final var committedPlace: (source: RowSource, row: Int)? {
    var source = source
    var row = Int(row)
    while source.isPending {
      guard let below = source.below(row) else { return nil }
      (source, row) = below
    }
    return source.isUnresolved ? nil : (source, row)
  }

  /// Leads the object to the values that it showed before it was changed.
  final func leadBack() {
    if let place = committedPlace {
      point(to: place.source, row: place.row)
    } else {
      point(to: source.entity.unresolved, row: 0)
    }
  }
}
