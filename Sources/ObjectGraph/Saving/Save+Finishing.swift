import ObjectModel
import Rows
import StoreInterface
import Threads

extension Save {
  /// Finishes a save: notifies objects, and shows the saved state to children and to the coordinator's remaining
  /// contexts.
  ///
  /// - Returns: The saved changes, by store.
  func finish(_ draft: consuming SaveDraft) -> [StoreTag: Layer] {
    let saved = draft.saved
    // The draft keeps the former snapshots, and hooks may take long.
    _ = consume draft
    finish(saved)
    return saved
  }

  /// Finishes a save or a push of some changes.
  func finish(_ saved: [StoreTag: Layer]) {
    // Changes by the notified objects and observers belong to the next save.
    workspace.undoStack?.didSave(true)
    notifyObjects()
    Threads.pass()
    workspace.publish()
    workspace.announceChanges()
    workspace.announceSave(saved)
    workspace.updateFollowers()
    workspace.sweepIfNeeded()
  }

  /// Clears the list of changed objects, and notifies the objects.
  private func notifyObjects() {
    let objects = workspace.drafts.takeChangedObjects()
    workspace.transients.recordPushed(objects)
    var isAnyTold = false
    var deleted: [ManagedObject] = []
    // During `didSave` a deleted object still has its deleted state and its context.
    defer { for object in deleted { object.state.insert(.detached) } }
    for object in objects {
      if object.state.contains(.deleted) {
        // An object that another context has deleted stays registered, because it is used again if that context
        // restores it.
        if !object.source.isUnresolved {
          object.withEntity { $0.objects.remove(object.key.number) }
          deleted.append(object)
        }
        workspace.transients.remove(object.objectID)
        object.state.subtract([.inserted, .updated, .pending])
        object.state.insert(.missing)
      } else {
        object.state.subtract([.inserted, .updated, .pending])
      }
      isAnyTold = isAnyTold || type(of: object) != ManagedObject.self
    }
    // All objects are marked as saved before any is notified: a change in didSave belongs to the next save.
    guard isAnyTold else { return }
    for object in objects where type(of: object) != ManagedObject.self { object.didSave() }
  }
}
