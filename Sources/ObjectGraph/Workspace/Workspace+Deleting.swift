import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

// Deleting objects, and applying their delete rules to other objects.
extension Workspace {
  /// Marks an object to be deleted by the next save. Its delete rules are applied when changes are processed.
  func delete(_ object: ManagedObject) {
    checkPlace()
    requireOwn(object)
    guard object.state.isDisjoint(with: [.deleted, .missing, .beingDeleted]) else { return }
    realize(object)
    // The object may be missing, or its own hook may have deleted it.
    guard object.state.isDisjoint(with: [.deleted, .missing]) else { return }
    announceDeletion(of: object)
    object.state.insert([.deleted, .deletionToPropagate])
    drafts.recordChange(of: object)
    relationships.addDeletion(of: object)
    ContextExecutor(self).endTurnSoon()
  }

  /// Returns whether the context knows of no deletion of an object.
  func isAlive(_ object: ManagedObject) -> Bool {
    object.state.isDisjoint(with: [.deleted, .missing])
  }

  /// Propagates deletions. Records an error for the next save.
  func propagateDeletions() {
    do { try propagateDeletionsOrThrow() } catch { record(error) }
  }

  /// Propagates the deletions that are not propagated yet, and removes the rows of the deleted objects.
  func propagateDeletionsOrThrow() throws {
    if !relationships.deletionsToPropagate.isEmpty { try propagateAll() }
  }

  private func propagateAll() throws {
    let wasWorking = progress.beginWork()
    defer { progress.endWork(wasWorking) }
    var waves: [[ManagedObject]] = []
    // Cascades may form cycles. A deleted object is not deleted again, so the loop ends.
    while !relationships.deletionsToPropagate.isEmpty {
      let doomed = relationships.takeDeletions()
      waves.append(doomed)
      // The view still has the rows of the deleted objects, so their relationships can be read.
      try sealAll()
      for object in doomed {
        object.state.remove(.deletionToPropagate)
        try propagate(object)
      }
    }
    for object in waves.joined() { try object.withEntity { try $0.remove(object) } }
  }

  /// Applies the delete rules of one object.
  private func propagate(_ object: ManagedObject) throws {
    guard let state = state(of: object) else { return }
    let graph = object.source.entity.graph
    try recordLastReferences(of: object, graph, in: state)
    if graph.relationshipsToPropagate.isEmpty, state.graph.oneWayReferences(to: graph.number) == nil
    {
      return
    }
    let effects = try DeletePropagation(state.graph, state.source).effects(of: object.key) {
      object.reference(column: $0)
    } isReached: { _, _ in
      true
    }
    for key in effects.deleted {
      if let other = self.object(at: key, in: state) { delete(other) }
    }
    for (key, toOne) in effects.cleared {
      guard let other = self.object(at: key, in: state) else { continue }
      realize(other)
      if isAlive(other), other.reference(column: toOne.column) == object.key {
        ReferenceWriter(self).set(toOne, of: other, to: nil)
      }
    }
    for link in effects.links {
      guard let row = try state.source.view.row(of: link) else { continue }
      state.links.remove(link, basis: try row.version)
      state.hasOpenChanges = true
    }
    for key in effects.owners {
      if let owner = self.object(at: key, in: state), exists(owner) {
        drafts.recordTouched(owner)
      }
    }
  }

  /// Records the references of a deleted object, if the context has changed them before the deletion.
  private func recordLastReferences(
    of object: ManagedObject, _ graph: GraphEntity, in state: StoreState
  ) throws {
    guard object.source.isPending else { return }
    let committed = object.committedPlace
    let isChanged = graph.toOnes.contains { toOne in
      toOne.mattersToDeletion
        && committed.map { $0.source.value(toOne.column, $0.row) }
          != object.source.value(toOne.column, Int(object.row))
    }
    guard isChanged else { return }
    let builder = LayerBuilder(state.graph.schema)
    builder.insert(object.key)
    for toOne in graph.toOnes {
      builder.set(
        object.source.value(toOne.column, Int(object.row)), column: toOne.column, of: object.key)
    }
    state.lastReferences = try state.lastReferences.merged(
      with: builder.freeze(), schema: state.graph.schema)
  }

  /// Calls `prepareForDeletion()` of an object that a delete rule is about to delete.
  ///
  /// Does nothing if the object is deleted or being deleted, or if its class is ``ManagedObject``, which has no hook.
  func announceDeletion(of key: ObjectKey, in state: StoreState) {
    guard let object = object(at: key, in: state), type(of: object) != ManagedObject.self,
      exists(object), !object.state.contains(.beingDeleted)
    else { return }
    announceDeletion(of: object)
  }

  /// Calls `prepareForDeletion()` of an object. The hook may delete the object again, which does nothing.
  private func announceDeletion(of object: ManagedObject) {
    object.state.insert(.beingDeleted)
    object.prepareForDeletion()
    object.state.remove(.beingDeleted)
  }
}
