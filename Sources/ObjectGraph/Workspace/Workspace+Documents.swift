import ObjectModel
import Rows
import StoreInterface
import Synchronization

// What a document asks of its contexts.
extension Workspace {
  func unsavedRequests() throws -> [(store: any Store, request: CommitRequest)] {
    checkPlace()
    try sealForUndo()
    return try storeStates.compactMap { state in
      let layer = try state.pendingLayer()
      return layer.isEmpty ? nil : (state.persistent.store, request(layer, in: state))
    }
  }

  var isClean: Bool {
    !hasChanges && mail.published.withLock { $0.pushes.isEmpty }
  }

  func take(_ layers: [StoreTag: Layer]) throws {
    checkPlace()
    try processPendingChanges()
    for store in coordinator.stores {
      guard let layer = layers[store.tag] else { continue }
      try take(layer, of: store)
    }
    try processPendingChanges()
  }

  func mergeFromOutside(_ layers: [StoreTag: Layer]) throws {
    let change = ContextChange(
      kind: .saved, contextName: nil, layers: layers, linkTables: coordinator.linkTables)
    try mergeChanges(from: change)
    announceSave(layers, toChildren: false)
  }

  func revert() {
    rollback()
    refreshAllObjects()
  }
}
