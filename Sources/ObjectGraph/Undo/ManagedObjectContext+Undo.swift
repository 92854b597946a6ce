import ObjectModel
import Rows

// What a context does for its undo stack.
extension ManagedObjectContext {
  /// Freezes what was changed, so that it is recorded.
  func sealForUndo() throws {
    try propagateDeletionsOrThrow()
    try sealAll()
  }

  /// Records changes that were just sealed.
  func recordForUndo(_ layer: Layer, above view: View, _ store: PersistentStore) {
    guard let undoManager else { return }
    guard undoManager.isRecording else { return undoManager.noteUnrecorded() }
    do {
      undoManager.add(.layer(try UndoableLayer(layer, above: view, store)))
    } catch {
      // What can't be read can't be brought back.
      undoManager.noteUnrecorded()
      note(error)
    }
  }

  /// Does something that makes changes anew which were recorded when they were first made.
  func remakingChanges(_ body: () throws -> Void) rethrows {
    guard let undoManager, !undoManager.isRemaking else { return try body() }
    undoManager.isRemaking = true
    defer { undoManager.isRemaking = false }
    try body()
  }

  func recordTransientForUndo(_ id: ObjectID, _ property: Int) {
    guard let undoManager, undoManager.isRecording else { return }
    undoManager.add(.transient(id, property: property, transientValues[id]?[property]))
  }

  /// Gives a transient property the value it had.
  func restoreTransientValue(_ value: Value?, of id: ObjectID, _ property: Int) {
    recordTransientForUndo(id, property)
    transientValues[id, default: [:]][property] = value
    if parent != nil { freshTransients[id, default: []].insert(property) }
    following?.noteTransient(id.key, in: id.store)
  }

  /// Forgets changes that are known to come to nothing, because all of them were undone.
  func forgetUndoneChanges() {
    let objects = changedObjects
    changedObjects = []
    reached = [:]
    for state in storeStates { state.discard() }
    for object in objects {
      if object.state.contains(.inserted) {
        // It is known on: when its insertion is redone, it is this object again.
        object.state.subtract([.inserted, .updated, .pending])
        object.state.insert([.deleted, .missing])
        continue
      }
      if object.state.contains(.missing) { continue }
      object.state.subtract([.updated, .deleted, .pending])
      object.point(to: object.source.entity.unresolved, row: 0)
    }
  }
}
