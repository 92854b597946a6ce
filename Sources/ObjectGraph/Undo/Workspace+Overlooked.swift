import ObjectModel
import Rows

// Some objects are looked at again because what is computed, or deleted, or led elsewhere, has to follow from what there
// is by now. Nobody has asked to see that, so undo, which sets what was there long ago, must not pass over it.
extension Workspace {
  /// Where the values are that an object was read as, if undo has to know of it that the object is looked at again.
  func placeToOverlook(_ object: ManagedObject) -> (source: RowSource, row: Int)? {
    undoManager != nil && object.state.contains(.recorded) ? object.committedPlace : nil
  }

  /// Notes what an object was read as that was looked at again, where others have saved something else since.
  ///
  /// - Parameter changed: What is changed in it, of which the change itself knows what it was.
  func noteOverlooked(
    _ object: ManagedObject, was place: (source: RowSource, row: Int), changed: [Int] = []
  ) {
    guard let now = object.committedPlace else { return }
    do {
      let version = try place.source.knownVersion(place.row)
      if version > 0, try now.source.knownVersion(now.row) == version { return }
      let values = object.source.entity.givenColumns.compactMap { column in
        let value = place.source.value(column, place.row)
        return changed.contains(column) || value == now.source.value(column, now.row)
          ? nil : (column, value)
      }
      noteOverlooked(object, values, version: version)
    } catch { note(error) }
  }

  /// Notes what an object was read as that is about to be looked at again, where others have saved something else.
  func noteToOverlook(_ object: ManagedObject, _ conflict: MergeConflict) throws {
    guard let place = placeToOverlook(object), let base = conflict.base,
      let theirs = conflict.theirs
    else { return }
    let columns = object.source.entity.graph.layout.columns
    let values = object.source.entity.givenColumns.compactMap { column in
      let name = columns[column].name
      return base[name].flatMap { $0 == theirs[name] ? nil : (column, $0) }
    }
    noteOverlooked(object, values, version: try place.source.knownVersion(place.row))
  }

  private func noteOverlooked(
    _ object: ManagedObject, _ values: [(column: Int, value: Value)], version: Int64
  ) {
    guard let undoManager, !values.isEmpty else { return }
    // What was noted before is what undo knows of.
    let known = undoManager.overlooked[object]
    let more = values.filter { value in
      known?.values.contains { $0.column == value.column } != true
    }
    undoManager.overlooked[object] = ReadObjects.One(
      key: object.key, version: known?.version ?? version, values: (known?.values ?? []) + more,
      isDeletion: false)
  }

  /// Has objects that a layer is about to change be what they were read as before they were looked at again.
  func recallOverlooked(_ layer: Layer, of store: PersistentStore) throws {
    guard let overlooked = undoManager?.overlooked, !overlooked.isEmpty,
      let state = knownState(of: store)
    else { return }
    var read = ReadObjects(oldestCommit: state.oldestCommit)
    for (object, known, location) in try changes(of: overlooked, in: layer, state) {
      let layout = object.source.entity.graph.layout
      let values = try location.map { location in
        try known.values.filter { column, _ in
          try location.block.value(layout.columns[column], row: location.row) != nil
        }
      }
      read.objects.append(
        ReadObjects.One(
          key: known.key, version: known.version, values: values ?? known.values,
          isDeletion: location == nil))
    }
    try recall(read, in: state)
  }

  /// Forgets what objects were read as where a layer has changed them: whoever did that has seen them.
  func forgetOverlooked(_ layer: Layer, of store: PersistentStore) throws {
    guard let undoManager, let state = knownState(of: store) else { return }
    for (object, known, location) in try changes(of: undoManager.overlooked, in: layer, state) {
      guard let location else { continue }
      let layout = object.source.entity.graph.layout
      let left = try known.values.filter { column, _ in
        try location.block.value(layout.columns[column], row: location.row) == nil
      }
      undoManager.overlooked[object] =
        left.isEmpty
        ? nil
        : ReadObjects.One(
          key: known.key, version: known.version, values: left, isDeletion: false)
    }
  }

  /// Those of some objects that a layer changes, with what it gives, or takes out.
  private func changes(
    of overlooked: [ManagedObject: ReadObjects.One], in layer: Layer, _ state: StoreState
  ) throws -> [(object: ManagedObject, read: ReadObjects.One, given: RowLocation?)] {
    try overlooked.compactMap { object, read in
      guard object.source.entity.store === state.persistent,
        let entry = try layer[object.key.entity]?.entry(of: object.key.number)
      else { return nil }
      switch entry {
      case .changed(let location): return (object, read, location)
      case .removed: return (object, read, nil)
      case .absent, .put: return nil
      }
    }
  }
}
