import ObjectModel
import Rows

// What a context does for its undo stack.
extension Workspace {
  /// Freezes what was changed, so that it is recorded.
  func sealForUndo() throws {
    try propagateDeletionsOrThrow()
    try sealAll()
  }

  /// What the changes lie above that are not sealed yet: what was there beneath, and what was changed before; and
  /// where others have saved since an object was read what that showed, for that is what it is led back to.
  ///
  /// - Returns: `nil` when nothing is recorded.
  func viewToUndo(in state: StoreState) throws -> View? {
    guard undoManager?.isRecording ?? false else { return nil }
    var tables = state.tables
    if state.hasMoved {
      let beneath = View(tables)
      let shown = LayerBuilder(state.graph.schema)
      for object in state.knownEntities.flatMap(\.openlyChanged) {
        guard let place = object.committedPlace else { continue }
        // What a parent has not saved has no version.
        if parent == nil, let row = try beneath.row(of: object.key),
          try row.version == place.source.version(place.row)
        {
          continue
        }
        shown.insert(object.key)
        for column in object.source.entity.graph.layout.columns.indices {
          shown.set(place.source.value(column, place.row), column: column, of: object.key)
        }
      }
      let layer = shown.freeze()
      if !layer.isEmpty { tables.append(layer) }
    }
    return View(tables + state.pending)
  }

  /// Records changes that were just sealed.
  ///
  /// - Parameter view: What they lie above; `nil` when nothing was recorded as they were sealed.
  func recordForUndo(_ layer: Layer, above view: View?, _ store: PersistentStore) {
    guard let undoManager else { return }
    if !undoManager.overlooked.isEmpty, !undoManager.isRemaking {
      do { try forgetOverlooked(layer, of: store) } catch { note(error) }
    }
    guard let view else { return undoManager.noteUnrecorded() }
    do {
      undoManager.add(
        .layer(
          try UndoableLayer(
            layer, above: view, store, holding: objectsToHold(for: layer, of: store))))
      try recordTransients(ofRemoved: layer, of: store, undoManager)
    } catch {
      // What can't be read can't be brought back.
      undoManager.noteUnrecorded()
      note(error)
    }
  }

  /// The objects that a layer has changed, and those that it has put in unless these are many.
  private func objectsToHold(
    for layer: Layer, of store: PersistentStore
  ) throws -> [ManagedObject] {
    guard let state = knownState(of: store) else { return [] }
    var objects: [ManagedObject] = []
    for changes in layer.entities {
      guard let entity = state.entity(changes.entityNumber, self) else { continue }
      for (run, most) in [
        (changes.changed, Int.max), (changes.put, UndoableLayer.mostHeldInsertions),
      ] where run.rowCount <= most {
        objects += try run.numbers().compactMap { entity.known($0) }
      }
    }
    for object in objects { object.state.insert(.recorded) }
    return objects
  }

  /// Records the values in memory of what a layer takes out, which last no longer than the objects.
  private func recordTransients(
    ofRemoved layer: Layer, of store: PersistentStore, _ undoManager: UndoStack
  ) throws {
    if transientValues.isEmpty { return }
    for key in try layer.allKeys([\.removed]) {
      let id = ObjectID(store: store.tag, key: key)
      for (property, value) in transientValues[id] ?? [:] {
        undoManager.add(.transient(id, property: property, value))
      }
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
  ///
  /// - Parameter isLasting: Whether that is recorded, and lasts though nobody holds the object.
  func restoreTransientValue(
    _ value: Value?, of id: ObjectID, _ property: Int, isLasting: Bool = true
  ) {
    if isLasting {
      recordTransientForUndo(id, property)
      lastingTransients.insert(id)
    }
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
      leadBack(object)
    }
    recalled = [:]
  }
}
