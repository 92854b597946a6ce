import ObjectModel
import Rows

// Recording the changes of a context.
extension UndoStack {
  /// Records changes of a context that were just frozen.
  ///
  /// - Parameters:
  ///   - view: The rows below the changes; `nil` if recording was off when they were frozen.
  ///   - replaced: The values that changed rows had before, if they are known.
  ///   - isExact: Whether undoing the changes restores the rows that were shown before.
  ///   - transients: The values of transient properties in the context.
  /// - Throws: The error of a change that can't be read. Such a change can't be undone.
  func record(
    _ layer: Layer, above view: View?, _ replaced: ReplacedRows?, in state: StoreState,
    isExact: Bool, _ transients: TransientValues
  ) throws {
    let store = state.persistent
    guard let view else { return recordUnrecorded(layer, of: store) }
    do {
      let before = moment
      let number = nextStep()
      let moments = Moments(
        before: before, after: number,
        commit: isExact && state.isSettled ? state.committedBase : nil)
      let step = try UndoableLayer(
        layer, above: view, replaced, store, number: number, moments,
        statesVersions: view.tables.count == state.tables.count)
      add(.layer(step))
      try recordTransients(ofRemoved: layer, of: store, transients)
    } catch {
      recordUnrecorded(layer, of: store)
      throw error
    }
  }

  /// Records the transient values of the objects that a layer removes. These values are released with the objects.
  private func recordTransients(
    ofRemoved layer: Layer, of store: PersistentStore, _ transients: TransientValues
  ) throws {
    if transients.count == 0 { return }
    for key in try layer.allKeys([\.removed]) {
      let id = ObjectID(store: store.tag, key: key)
      for (property, value) in transients.values(of: id) {
        add(.transient(id, property: property, value))
      }
    }
  }

  /// Records the value of a transient property before a change.
  func recordTransient(_ id: ObjectID, _ property: Int, _ value: TransientValue?) {
    if isEnabled { add(.transient(id, property: property, value)) }
  }
}
