package import ObjectModel
package import Rows
package import StoreInterface
import Synchronization

// The interface for documents.
extension ManagedObjectContext {
  /// Returns the unsaved changes as a commit request for each store. Nothing is validated.
  ///
  /// - Throws: `StoreError` if a store is damaged.
  package func unsavedRequests() throws -> [(store: any Store, request: CommitRequest)] {
    workspace.checkPlace()
    try workspace.sealForUndo()
    return try workspace.drafts.states.compactMap { state in
      let layer = try state.pendingLayer()
      return layer.isEmpty
        ? nil
        : (state.persistent.store, workspace.request(layer, above: state.base.snapshot, in: state))
    }
  }

  /// Whether the context has no unsaved changes, and no child has pushed changes. Must be read in a turn of the
  /// context.
  package var isClean: Bool {
    !workspace.hasChanges && workspace.mail.published.withLock { $0.pushes.isEmpty }
  }

  /// Whether the next save has marked objects to check. Must be read in a turn of the context.
  package var hasMarks: Bool { !workspace.marks.isEmpty }

  /// Puts the changes of layers on top of the context's changes. They are saved by the next save.
  ///
  /// - Throws: `StoreError` if a layer is damaged.
  package func take(_ layers: [StoreTag: Layer]) throws {
    workspace.checkPlace()
    try workspace.processPendingChanges()
    for store in coordinator.stores {
      if let layer = layers[store.tag] { try workspace.take(layer, of: store) }
    }
    try workspace.processPendingChanges()
  }

  /// Merges the save of another process, and notifies the child contexts.
  ///
  /// - Throws: `StoreError` if a store is damaged.
  package func mergeFromOutside(_ layers: [StoreTag: Layer]) throws {
    let change = ContextChange(
      kind: .saved, contextName: nil, layers: layers, linkTables: coordinator.linkTables)
    try workspace.mergeChanges(from: change)
    workspace.announceSave(layers, toChildren: false)
  }

  /// Drops all changes, including the changes that child contexts have pushed, and refreshes all objects.
  package func revert() {
    rollback()
    refreshAllObjects()
  }

  /// Pushes all changes to the parent without waiting for it.
  ///
  /// The parent makes the changes its own in its next turn, and its other children see them at once. Nothing is
  /// validated before the parent saves. The cost is a freeze of the changes since the last turn. If the context does
  /// not merge automatically, the former values of the changed objects are read too.
  ///
  /// - Precondition: There is a parent.
  /// - Throws: The first error of a read since the last save.
  package func handOver() throws {
    try workspace.handOver()
  }
}
