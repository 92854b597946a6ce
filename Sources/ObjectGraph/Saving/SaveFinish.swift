import ObjectModel
import Rows
import StoreInterface

/// Finishes a save: objects are told, children and other contexts see the saved state.
struct SaveFinish {
  private let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  func run(_ saved: [StoreTag: Layer]) {
    // The changes of objects and observers that are told belong to the next save.
    workspace.undoStack?.didSave(true)
    workspace.finishSaving()
    workspace.publish()
    workspace.announceChanges()
    workspace.announceSave(saved)
    workspace.updateFollowers()
    workspace.sweepIfNeeded()
  }
}
