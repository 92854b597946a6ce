import ObjectModel
import Rows
import StoreInterface

/// Finishes a save: notifies objects, and shows the saved state to children and to the coordinator's remaining
/// contexts.
struct SaveFinish {
  private let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  func run(_ saved: [StoreTag: Layer]) {
    // Changes by the notified objects and observers belong to the next save.
    workspace.undoStack?.didSave(true)
    workspace.finishSaving()
    workspace.publish()
    workspace.announceChanges()
    workspace.announceSave(saved)
    workspace.updateFollowers()
    workspace.sweepIfNeeded()
  }
}
