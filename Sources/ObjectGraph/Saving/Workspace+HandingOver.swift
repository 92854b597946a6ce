import ObjectModel
import Rows
import StoreInterface
import Synchronization

/// What a context shows its children, and what they have handed over that it has not made its own yet.
struct PublishedState: Sendable {
  /// What children see, by store: the handed changes included, from the moment they are handed over.
  var bases: [StoreTag: StoreBase] = [:]
  /// The oldest first.
  var handedOver: [HandedChanges] = []
  /// How the context has moved on with known objects left behind, by store.
  var moves: [StoreTag: BaseMoves] = [:]
  /// How many saves of others the context has been told of and not merged to their end.
  var mergesUnderWay = 0
  /// What the context is pinned to, and its children with it.
  var pinned: QueryGeneration?

  /// Shows what the context has by now. What was handed over and is not its own yet stays on top.
  mutating func publish(_ own: [StoreTag: StoreBase]) {
    bases = own
    for handed in handedOver { show(handed) }
  }

  mutating func show(_ handed: HandedChanges) {
    for part in handed.parts {
      bases[part.store.tag, default: part.base].layers += part.layers
    }
  }
}

/// Changes that a child has handed over: for each store the layers, and what they were made above.
struct HandedChanges: Sendable {
  struct Part: Sendable {
    let store: PersistentStore
    let layers: [Layer]
    let base: StoreBase
    /// Whether others have ever changed what the child's changes were made above.
    let hasMoved: Bool
    /// What the child had read of what it has changed; `nil` where that was the newest.
    let read: ReadObjects?
  }

  var parts: [Part] = []
  var transients: [(ObjectID, [Int: Value?])] = []
  var reached: [(ObjectID, [Int: ObjectKey])] = []
  /// Who denies which deletion.
  var denials: [(object: ObjectID, relationship: Relationship, others: [ObjectID])] = []
}

// A child's changes, handed to a parent that may be busy.
extension Workspace {
  func handOver() throws {
    checkPlace()
    guard let parent else { misuse("The context has no parent to hand changes to.") }
    takeWaiting()
    try throwReadFailure()
    guard hasChanges else { return }
    try sealForUndo()
    undoManager?.willSave()
    var isHanded = false
    defer { if !isHanded { undoManager?.didSave(false) } }
    var handed = HandedChanges()
    let shown = parent.mail.published.withLock { $0.bases }
    for state in storeStates {
      guard !state.pending.isEmpty else { continue }
      // Whoever has merged all and sees what the parent does has read nothing that is not so any more.
      let hasReadNewest =
        automaticallyMergesChangesFromParent
        && mail.published.withLock { $0.moves[state.tag]?.isSettled ?? true }
        && shown[state.tag]?.isSame(as: state.base) ?? false
      handed.parts.append(
        HandedChanges.Part(
          store: state.persistent, layers: state.pending, base: state.base,
          hasMoved: state.hasMoved,
          read: hasReadNewest ? nil : try readObjects(in: state) { _ in true }))
    }
    handed.transients = transientsToHand
    handed.reached = reachedToHand
    handed.denials = denials.filter { $0.object.state.contains(.deleted) }.map {
      ($0.object.objectID, $0.relationship, $0.others.map(\.objectID))
    }
    let (bases, isAlone) = parent.mail.published.withLock { state in
      // Whoever merges by itself has looked at all that others have done beneath.
      let isAlone = handed.parts.map { part in
        (!part.hasMoved || automaticallyMergesChangesFromParent)
          && (state.bases[part.store.tag]?.isSame(as: part.base) ?? true)
      }
      state.handedOver.append(handed)
      state.show(handed)
      return (state.bases, isAlone)
    }
    if parent.mail.isOutOfReach {
      parent.mail.hasWaiting.store(true, ordering: .releasing)
    } else {
      parent.schedule {}
    }
    for (part, isAlone) in zip(handed.parts, isAlone) {
      guard let state = knownState(of: part.store), let base = bases[state.tag] else { continue }
      if !isAlone { noteMove(state, to: base) }
      state.setSaved(base, version: 0, alone: isAlone)
      if !isAlone { try lookAgain(in: state) }
    }
    for state in storeStates { state.forgetEmptyChanges() }
    isHanded = true
    undoManager?.didSave(true)
    finishSaving()
    publish()
    announceChanges()
    var saved: [StoreTag: Layer] = [:]
    for part in handed.parts {
      saved[part.store.tag] = try StoreState.merged(part.layers, part.store.graph.schema)
    }
    announceSave(saved)
    updateFollowers()
    sweepIfNeeded()
  }

  /// Makes what children have handed over changes of this context.
  func takeHandedOver() {
    workDepth += 1
    defer { workDepth -= 1 }
    while let handed = mail.published.withLock({ $0.handedOver.first }) {
      // What can't be taken now stays, and the next save says why.
      do { try take(handed) } catch { return note(error) }
      // Only here is anything taken away.
      mail.published.withLock { $0.handedOver.removeSubrange(..<1) }
      do { try processPendingChanges() } catch { note(error) }
      publish()
    }
  }

  private func take(_ handed: HandedChanges) throws {
    // What was done here before is this context's own work, to be told of and undone by itself.
    try processPendingChanges()
    for part in handed.parts {
      let state = try state(of: part.store)
      let isStale = part.hasMoved || !state.shown.isSame(as: part.base)
      var applied: [AppliedLayer] = []
      if isStale || state.hasMoved, let read = part.read { try recall(read, in: state) }
      for layer in part.layers { applied.append(try apply(layer, of: part.store)) }
      if isStale { try settle(applied, reached: handed.reached) }
    }
    for (id, relationship, others) in handed.denials {
      guard let state = knownState(of: id.store), let object = registeredObject(for: id) else {
        continue
      }
      deny(
        relationship, of: object,
        for: others.compactMap { self.object(at: $0.key, in: state) }.filter(exists))
    }
    takeTransients(handed.transients)
  }

  /// What the deletions of this context have reached, for a parent to know.
  var reachedToHand: [(ObjectID, [Int: ObjectKey])] {
    changedObjects.compactMap { object in
      guard object.state.contains(.deleted) else { return nil }
      let references = reached[object] ?? committedReferences(of: object)
      return references.isEmpty ? nil : (object.objectID, references)
    }
  }

  /// Brings a child's changes into agreement with what is here.
  ///
  /// - Parameter told: What the child's deletions have reached. That is good for this step: to whoever is above, these
  ///   are deletions of this context, which have reached what it has seen itself.
  func settle(_ applied: [AppliedLayer], reached told: [(ObjectID, [Int: ObjectKey])]) throws {
    let objects = told.compactMap { id, references in
      applied.contains { $0.state.tag == id.store }
        ? registeredObject(for: id).map { (object: $0, references: references) } : nil
    }
    for one in objects { reached[one.object] = one.references }
    try settle(applied)
    for one in objects { reached[one.object] = nil }
  }

  /// The transient values that changed objects were given since a parent was last given theirs.
  var transientsToHand: [(ObjectID, [Int: Value?])] {
    if freshTransients.isEmpty { return [] }
    return changedObjects.compactMap { object in
      let id = object.objectID
      guard let fresh = freshTransients[id] else { return nil }
      let own = transientValues[id] ?? [:]
      return (id, Dictionary(uniqueKeysWithValues: fresh.map { ($0, own[$0]) }))
    }
  }

  /// Makes the transient values of a child's objects values of this context, which keeps those that the child
  /// has not set.
  func takeTransients(_ transients: [(ObjectID, [Int: Value?])]) {
    for (id, values) in transients {
      for (property, value) in values where transientValues[id]?[property] != value {
        restoreTransientValue(value, of: id, property)
      }
    }
  }
}
