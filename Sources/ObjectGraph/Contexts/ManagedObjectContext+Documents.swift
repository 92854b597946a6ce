package import ObjectModel
package import Rows
package import StoreInterface
import Synchronization

// What a document asks of its contexts.
extension ManagedObjectContext {
  /// The changes that are not saved, as each store would be asked to commit them. Nothing is checked.
  ///
  /// - Throws: What a damaged store throws.
  package func unsavedRequests() throws -> [(store: any Store, request: CommitRequest)] {
    checkPlace()
    try sealForUndo()
    return try storeStates.compactMap { state in
      let layer = try state.pendingLayer()
      return layer.isEmpty ? nil : (state.persistent.store, request(layer, in: state))
    }
  }

  /// Whether the context, in its turn, has nothing to save: no changes, and none that a child has pushed.
  package var isClean: Bool {
    !hasChanges && mail.published.withLock { $0.handedOver.isEmpty }
  }

  /// Makes the changes of layers in this context, to be saved by it.
  ///
  /// - Throws: What a damaged layer throws.
  package func take(_ layers: [StoreTag: Layer]) throws {
    checkPlace()
    try processPendingChanges()
    for store in coordinator.stores {
      guard let layer = layers[store.tag] else { continue }
      try settle([try apply(layer, of: store)])
    }
    try processPendingChanges()
  }

  /// Takes over what another process has saved, and tells the children of it.
  ///
  /// - Throws: What a damaged store throws.
  package func mergeFromOutside(_ layers: [StoreTag: Layer]) throws {
    let change = ContextChange(
      kind: .saved, contextName: nil, layers: layers, linkTables: coordinator.linkTables)
    try mergeChanges(from: change)
    announceSave(layers, toChildren: false)
  }

  /// Gives up all changes, those included that children have handed over, and shows what lies beneath by now.
  /// Objects stay the same.
  package func revert() {
    rollback()
    refreshAllObjects()
  }
}
