import ObjectModel
import Rows

// The part of a context that serves its undo stack.
extension Workspace {
  /// Freezes the changes so far, so that they are recorded.
  func sealForUndo() throws {
    try propagateDeletionsOrThrow()
    try sealAll()
  }

  /// Returns the rows below the changes that are not frozen yet; `nil` if nothing is recorded.
  func viewToUndo(in state: StoreState) -> View? {
    undoStack?.isEnabled ?? false ? state.view : nil
  }

  /// Returns the values that the changes since the last freeze replace; `nil` if these are many, or one can't be read.
  func replacedRows(in state: StoreState) -> ReplacedRows? {
    let failure = progress.readFailure
    progress.readFailure = nil
    let rows = state.replacedRows()
    let isRead = progress.readFailure == nil
    progress.readFailure = failure
    return isRead ? rows : nil
  }

  /// Restores the earlier value of a transient property.
  ///
  /// - Parameter isLasting: Whether the change is recorded, and the value is kept when the object is evicted.
  func restoreTransientValue(
    _ value: TransientValue?, of id: ObjectID, _ property: Int, isLasting: Bool = true
  ) {
    if isLasting { undoStack?.recordTransient(id, property, transients[id, property]) }
    transients.set(value, of: id, property, isRetained: isLasting, isPushed: parent != nil)
    observation.following?.recordTransient(id.key, in: id.store)
  }

  /// Discards all changes, because undo has reverted all of them.
  func forgetUndoneChanges() {
    let objects = drafts.takeChangedObjects()
    discardRows()
    for object in objects {
      if object.state.contains(.inserted) {
        // The object stays registered: if its insertion is redone, the same object is used again.
        object.state.subtract([.inserted, .updated, .pending])
        object.state.insert([.deleted, .missing])
        continue
      }
      if object.state.contains(.missing) { continue }
      object.state.subtract([.updated, .deleted, .pending])
      leadBack(object)
    }
  }
}
