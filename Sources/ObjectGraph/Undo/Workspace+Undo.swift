import ObjectModel
import Rows

// The part of a context that serves its undo stack.
extension Workspace {
  /// Freezes the changes so far, so that they are recorded.
  func sealForUndo() throws {
    try propagateDeletionsOrThrow()
    try sealAll()
  }

  /// Returns the rows beneath the changes that are not frozen yet; `nil` if nothing is recorded.
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

  /// Records changes that were just frozen.
  ///
  /// - Parameters:
  ///   - view: The rows beneath the changes; `nil` if recording was off when they were frozen.
  ///   - replaced: The values that changed rows had before, if they are known.
  ///   - isExact: Whether undoing the changes restores the rows that were shown before.
  func recordForUndo(
    _ layer: Layer, above view: View?, _ replaced: ReplacedRows?, in state: StoreState,
    isExact: Bool
  ) {
    guard let undoStack else { return }
    let store = state.persistent
    guard let view else { return undoStack.noteUnrecorded(layer, of: store) }
    do {
      let before = undoStack.moment
      let number = undoStack.nextStep()
      let moments = Moments(
        before: before, after: number,
        commit: isExact && state.isSettled ? state.committedBase : nil)
      let step = try UndoableLayer(
        layer, above: view, replaced, store, number: number, moments,
        statesVersions: view.tables.count == state.tables.count)
      undoStack.add(.layer(step))
      try recordTransients(ofRemoved: layer, of: store, undoStack)
    } catch {
      // Changes that can't be read can't be undone.
      undoStack.noteUnrecorded(layer, of: store)
      note(error)
    }
  }

  /// Records the transient values of the objects that a layer removes. These values are released with the objects.
  private func recordTransients(
    ofRemoved layer: Layer, of store: PersistentStore, _ undoStack: UndoStack
  ) throws {
    if transients.count == 0 { return }
    for key in try layer.allKeys([\.removed]) {
      let id = ObjectID(store: store.tag, key: key)
      for (property, value) in transients.values(of: id) {
        undoStack.add(.transient(id, property: property, value))
      }
    }
  }

  func recordTransientForUndo(_ id: ObjectID, _ property: Int) {
    guard let undoStack, undoStack.isEnabled else { return }
    undoStack.add(.transient(id, property: property, transients[id, property]))
  }

  /// Restores the earlier value of a transient property.
  ///
  /// - Parameter isLasting: Whether the change is recorded, and the value is kept when the object is evicted.
  func restoreTransientValue(
    _ value: TransientValue?, of id: ObjectID, _ property: Int, isLasting: Bool = true
  ) {
    if isLasting { recordTransientForUndo(id, property) }
    transients.set(value, of: id, property, isRetained: isLasting, isPushed: parent != nil)
    observation.following?.noteTransient(id.key, in: id.store)
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
