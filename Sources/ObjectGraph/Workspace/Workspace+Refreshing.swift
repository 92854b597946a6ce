import ObjectModel
import Rows
import StoreInterface
import Synchronization

// Going back, and looking again.
extension Workspace {
  func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    checkPlace()
    requireOwn(object)
    guard !object.isInserted, let state = state(of: object) else { return }
    defer { announceChanges() }
    do {
      try processPendingChanges()
      if mergeChanges {
        try show([object], in: state)
      } else {
        try advance(state)
        try giveUpChanges(of: object, in: state)
      }
    } catch { note(error) }
  }

  /// Shows the newest rows of some objects. Their changes stay on top, in no conflict.
  private func show(_ objects: [ManagedObject], in state: StoreState) throws {
    let mark = unannounced.events.refreshed.count
    let seen = SeenRows(keys: Set(objects.map(\.key)))
    let isFixed = pinned != nil || state.persistent.isGone
    let base = isFixed ? state.base : try newestBase(of: state.persistent)
    try Advance(self, state).run(to: base, seen: seen)
    try undoManager?.noteSeen(seen, in: state)
    // An object that another save has not changed is told all the same, because the program has asked.
    let told = Set(unannounced.events.refreshed[min(mark, unannounced.events.refreshed.count)...])
    for object in objects where exists(object) && !object.isInserted {
      if told.contains(object.objectID) { continue }
      unannounced.events.refreshed.append(object.objectID)
      if object.state.contains(.realized) { object.awake(fromSnapshotEvents: .refresh) }
    }
    try sealForUndo()
  }

  /// Gives up the changes of an object, which becomes a fault.
  private func giveUpChanges(of object: ManagedObject, in state: StoreState) throws {
    unannounced.events.refreshed.append(object.objectID)
    let isFault = object.isFault
    if !isFault {
      object.willTurnIntoFault()
      // The changes that it makes then are given up with the others.
      try sealForUndo()
    }
    if object.state.contains(.pending) {
      let events = unannounced.events
      try Advance(self, state).run(to: state.base, givenUp: [object.key])
      unannounced.events = events
      changedObjects.removeAll { $0 === object && !$0.state.contains(.pending) }
    }
    if !object.state.contains(.pending) { makeFault(object) }
    try undoManager?.noteSeen(SeenRows(keys: [object.key]), in: state)
    forgetTransientValues(of: object.objectID)
    if !isFault { object.didTurnIntoFault() }
  }

  private func makeFault(_ object: ManagedObject) {
    object.state.subtract([.realized, .updated, .deleted, .pending, .missing])
    object.point(to: object.source.entity.unresolved, row: 0)
  }

  func refreshAllObjects() {
    checkPlace()
    do {
      try processPendingChanges()
      try showAllObjects()
    } catch { note(error) }
  }

  /// Shows the newest rows of all objects, which become faults. Everything must be sealed.
  private func showAllObjects() throws {
    workDepth += 1
    defer { workDepth -= 1 }
    for state in storeStates {
      try advance(state)
      var objects: [ManagedObject] = []
      // Objects that are told may make others known, so nobody is told before all are found.
      var faults: [ManagedObject] = []
      for entity in state.knownEntities {
        entity.objects.visit { object in
          if object.state.contains(.pending) {
            objects.append(object)
            return
          }
          if object.state.contains(.missing) { return }
          unannounced.events.refreshed.append(object.objectID)
          if entity.type != ManagedObject.self, object.state.contains(.realized) {
            faults.append(object)
          } else {
            makeFault(object)
          }
        }
      }
      for object in faults where !object.state.contains(.pending) {
        object.willTurnIntoFault()
        // It may have been changed by what it does, or what another did.
        if object.state.contains(.pending) { continue }
        makeFault(object)
        object.didTurnIntoFault()
      }
      // The changes that they made then have to be sealed, as all others are.
      try sealForUndo()
      try show(objects, in: state)
      undoManager?.noteSeenAll(in: state)
    }
    orderEnds = [:]
    publish()
    announceChanges()
  }

  func rollback() {
    rollBack()
    announceChanges()
  }

  private func rollBack() {
    checkPlace()
    workDepth += 1
    defer { workDepth -= 1 }
    undoManager?.didRollBack()
    let objects = changedObjects
    changedObjects = []
    deletionsToPropagate = []
    orderEnds = [:]
    unannounced = UnannouncedChanges()
    for state in storeStates {
      for layer in state.pending { following?.note(layer, in: state.tag) }
      state.discard()
    }
    // Nobody is told before all are led back: what they change then are changes.
    var told: [ManagedObject] = []
    for object in objects {
      forgetTransientValues(of: object.objectID)
      if object.state.contains(.inserted) {
        unannounced.events.add(
          object.objectID, wasThere: !object.state.contains(.deleted), isThere: false)
        object.source.entity.objects.remove(object.key.number)
        object.state.subtract([.inserted, .updated, .pending, .deletionToPropagate])
        object.state.insert([.deleted, .missing, .detached])
        continue
      }
      let wasThere = !object.state.contains(.deleted)
      object.state.subtract([.updated, .deleted, .pending, .deletionToPropagate])
      leadBack(object)
      unannounced.events.add(
        object.objectID, wasThere: wasThere, isThere: !object.state.contains(.missing))
      if !object.state.contains(.missing) { told.append(object) }
    }
    for object in told { object.awake(fromSnapshotEvents: .rollback) }
    publish()
    updateFollowers()
  }

  func reset() {
    checkPlace()
    rollBack()
    var events = ObjectEvents()
    events.invalidatesAll = true
    for state in storeStates {
      for entity in state.knownEntities {
        entity.objects.visit { object in
          events.invalidated.append(object.objectID)
          object.point(to: entity.unresolved, row: 0)
          object.state = [.missing, .deleted, .realized, .detached]
        }
        // What somebody still holds may outlive the context.
        entity.detach()
      }
    }
    storeStates = []
    transientValues = [:]
    lastingTransients = []
    freshTransients = [:]
    lastInsertion = nil
    unannounced = UnannouncedChanges()
    unannounced.events = events
    publish()
    announceChanges()
  }

  func detectConflicts(for object: ManagedObject) throws -> MergeConflict? {
    checkPlace()
    requireOwn(object)
    guard !object.isInserted, let state = state(of: object), parent == nil else { return nil }
    try processPendingChanges()
    realize(object)
    let head = try state.persistent.store.snapshot()
    let changes = try state.changes()
    let (then, now) = (
      try View(changes.originalTables).row(of: object.key), try head.view.row(of: object.key)
    )
    let isKnown = try View(state.tables).row(of: object.key)?.version == now?.version
    if isKnown, try !changes.originals.mentions(object.key) { return nil }
    let mine = try View(state.tables + state.pending).row(of: object.key)
    if mine == nil, now == nil { return nil }
    return try MergeConflict(
      object.key, of: object.source.entity.graph, in: state.tag, base: then, mine: mine,
      theirs: now)
  }

  /// Leads an object to the values that it showed before it was changed.
  func leadBack(_ object: ManagedObject) {
    object.leadBack()
    // Another save may have deleted it meanwhile.
    if object.source.isUnresolved, !exists(object) { object.state.insert(.deleted) }
  }
}

/// What the stores held at one moment: a context that is pinned to it sees nothing newer.
public struct QueryGeneration: Sendable {
  private var snapshots: [StoreTag: any StoreSnapshot]

  /// What the stores of a coordinator hold now.
  ///
  /// - Throws: `StoreError`.
  public init(_ coordinator: PersistentStoreCoordinator) throws {
    var snapshots: [StoreTag: any StoreSnapshot] = [:]
    for store in coordinator.stores { snapshots[store.tag] = try store.store.snapshot() }
    self.snapshots = snapshots
  }

  /// What a store held after an earlier commit, and all others hold now.
  ///
  /// - Throws: `StoreError` when the store does not keep that commit any more.
  public init(_ coordinator: PersistentStoreCoordinator, commit: Int64, of store: PersistentStore)
    throws
  {
    try self.init(coordinator)
    snapshots[store.tag] = try store.store.snapshot(ofCommit: commit)
  }

  func snapshot(of tag: StoreTag) -> (any StoreSnapshot)? { snapshots[tag] }

  /// Moves on to what was saved above it.
  mutating func advance(_ tag: StoreTag, to snapshot: any StoreSnapshot) {
    if snapshots[tag] != nil { snapshots[tag] = snapshot }
  }
}

extension Workspace {
  func setQueryGeneration(_ generation: QueryGeneration?) throws {
    checkPlace()
    try processPendingChanges()
    pinned = generation
    for state in storeStates where !state.persistent.isGone {
      let refreshed = unannounced.events.refreshed
      try Advance(self, state).run(to: newestBase(of: state.persistent))
      unannounced.events.refreshed = refreshed
    }
    try showAllObjects()
    updateFollowers()
  }
}
