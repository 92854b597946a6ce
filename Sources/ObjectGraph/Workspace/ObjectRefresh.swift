import ObjectModel
import Rows
import StoreInterface
import Synchronization

/// Refreshes objects of a workspace from the parent or the stores.
struct ObjectRefresh {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Refreshes an object. Its own changes stay or are dropped.
  func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    workspace.checkPlace()
    workspace.requireOwn(object)
    guard !object.isInserted, !object.state.contains(.detached),
      let state = workspace.state(of: object)
    else { return }
    defer { workspace.announceChanges() }
    do {
      // Without `mergeChanges`, changes are not processed for each object, so that a program can refresh many objects
      // fast.
      if mergeChanges || workspace.hasUnprocessedChanges
        || workspace.mail.hasWaiting.load(ordering: .relaxed)
      {
        try workspace.processPendingChanges()
      }
      if mergeChanges {
        try show([object], in: state)
      } else {
        try workspace.advance(state)
        try dropChanges(of: object, in: state)
      }
    } catch { workspace.record(error) }
  }

  /// Shows the newest rows of some objects. Their changes stay on top, without a conflict.
  private func show(_ objects: [ManagedObject], in state: StoreState) throws {
    let mark = workspace.observation.unannounced.events.refreshed.count
    let seen = SeenRows(keys: Set(objects.map(\.key)))
    let isFixed = workspace.pinned != nil || state.persistent.isGone
    let base = isFixed ? state.base : try workspace.newestBase(of: state.persistent)
    try Advance(workspace, state).run(to: base, seen: seen)
    workspace.undoStack?.recordSeen(seen, in: state)
    try MarkCheck(workspace).move(seen.keys, in: state)
    // The hook is called also for an object that no other save has changed, because the program has asked for a
    // refresh.
    let refreshed = workspace.observation.unannounced.events.refreshed
    let told = Set(refreshed[min(mark, refreshed.count)...])
    for object in objects where workspace.exists(object) && !object.isInserted {
      if told.contains(object.objectID) { continue }
      workspace.observation.recordRefreshed(object.objectID)
      if object.state.contains(.realized) { object.awake(fromSnapshotEvents: .refresh) }
    }
    try workspace.sealForUndo()
  }

  /// Drops the changes of an object and makes it a fault.
  private func dropChanges(of object: ManagedObject, in state: StoreState) throws {
    workspace.observation.recordRefreshed(object.objectID)
    let isFault = object.isFault
    if !isFault {
      object.willTurnIntoFault()
      // The changes that this hook makes are dropped with the other changes.
      try workspace.sealForUndo()
    }
    if object.state.contains(.pending), try standsAlone(object, in: state) {
      state.discard(object.key)
      workspace.observation.following?.record(object.key, in: state.tag)
      object.state.remove(.pending)
      workspace.drafts.recordUnchanged()
    } else if object.state.contains(.pending) {
      let events = workspace.observation.unannounced.events
      try Advance(workspace, state).run(to: state.base, discarded: [object.key])
      workspace.observation.setEvents(events)
    }
    if !object.state.contains(.pending) { makeFault(object) }
    workspace.undoStack?.recordDropped(object.key, in: state)
    workspace.transients.remove(object.objectID)
    workspace.marks.remove(object.objectID)
    if !isFault { object.didTurnIntoFault() }
  }

  /// Returns whether the changes of an object can be dropped without an effect on any other row.
  ///
  /// The object must not be deleted, here or by another save. Its references must need no second write, and no deletion
  /// may propagate to it again.
  private func standsAlone(_ object: ManagedObject, in state: StoreState) throws -> Bool {
    let graph = object.source.entity.graph
    return try !object.state.contains(.deleted) && !graph.hasDependentReferences
      && !state.hasRemovals && View(state.tables).row(of: object.key) != nil
  }

  private func makeFault(_ object: ManagedObject) {
    object.state.subtract([.realized, .updated, .deleted, .pending, .missing])
    object.point(to: object.source.entity.unresolved, row: 0)
  }

  /// Refreshes all registered objects. Changes stay.
  func refreshAll() {
    workspace.checkPlace()
    do {
      try workspace.processPendingChanges()
      try showAllObjects()
    } catch { workspace.record(error) }
  }

  /// Shows the newest rows of all objects. Objects without changes become faults. All drafts must be frozen.
  private func showAllObjects() throws {
    let wasWorking = workspace.progress.beginWork()
    defer { workspace.progress.endWork(wasWorking) }
    for state in workspace.drafts.states {
      try workspace.advance(state)
      var objects: [ManagedObject] = []
      // A hook may register more objects, so all objects are collected before the first hook is called.
      var faults: [ManagedObject] = []
      for entity in state.knownEntities {
        entity.objects.visit { object in
          if object.state.contains(.pending) {
            objects.append(object)
            return
          }
          if object.state.contains(.missing) { return }
          workspace.observation.recordRefreshed(object.objectID)
          if entity.type != ManagedObject.self, object.state.contains(.realized) {
            faults.append(object)
          } else {
            makeFault(object)
          }
        }
      }
      for object in faults where !object.state.contains(.pending) {
        object.willTurnIntoFault()
        // A hook may have changed this object.
        if object.state.contains(.pending) { continue }
        makeFault(object)
        object.didTurnIntoFault()
      }
      // The changes of the hooks must be frozen too.
      try workspace.sealForUndo()
      try show(objects, in: state)
      workspace.undoStack?.recordSeenAll(in: state)
      try MarkCheck(workspace).move(in: state)
    }
    workspace.relationships.forgetPlaces()
    workspace.publish()
    workspace.announceChanges()
  }

  /// Pins the context to one moment of the stores. With `nil` the context follows the newest commit again.
  func pin(to generation: QueryGeneration?) throws {
    workspace.checkPlace()
    try workspace.processPendingChanges()
    workspace.pinned = generation
    for state in workspace.drafts.states where !state.persistent.isGone {
      let refreshed = workspace.observation.unannounced.events.refreshed
      try Advance(workspace, state).run(to: workspace.newestBase(of: state.persistent))
      // All objects are about to be refreshed.
      var events = workspace.observation.unannounced.events
      events.refreshed = refreshed
      workspace.observation.setEvents(events)
    }
    try showAllObjects()
    workspace.updateFollowers()
  }
}
