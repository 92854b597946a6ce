import ObjectModel
import Rows
import StoreInterface
import Synchronization

/// Moves the changes of a document into and out of its context.
struct DocumentChanges {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Returns the unsaved changes as a commit request for each store.
  func unsavedRequests() throws -> [(store: any Store, request: CommitRequest)] {
    workspace.checkPlace()
    try workspace.sealForUndo()
    return try workspace.drafts.states.compactMap { state in
      let layer = try state.pendingLayer()
      return layer.isEmpty ? nil : (state.persistent.store, workspace.request(layer, in: state))
    }
  }

  /// Whether the context has no unsaved changes, and no child has pushed changes.
  var isClean: Bool {
    !workspace.hasChanges && workspace.mail.published.withLock { $0.pushes.isEmpty }
  }

  /// Puts the changes of layers on top of the context's changes.
  func take(_ layers: [StoreTag: Layer]) throws {
    workspace.checkPlace()
    try workspace.processPendingChanges()
    for store in workspace.coordinator.stores {
      guard let layer = layers[store.tag] else { continue }
      try workspace.take(layer, of: store)
    }
    try workspace.processPendingChanges()
  }

  /// Merges the save of another process.
  func mergeFromOutside(_ layers: [StoreTag: Layer]) throws {
    let change = ContextChange(
      kind: .saved, contextName: nil, layers: layers, linkTables: workspace.coordinator.linkTables)
    try workspace.mergeChanges(from: change)
    workspace.announceSave(layers, toChildren: false)
  }

  /// Drops all changes and refreshes all objects.
  func revert() {
    Rollback(workspace).run()
    ObjectRefresh(workspace).refreshAll()
  }
}
