import ObjectModel
import Rows
import StoreInterface

/// The unsaved changes of a context: the state of each store that the context has read, and the changed objects.
struct ContextDrafts {
  /// The state of each store that the context has read.
  private(set) var states: [StoreState] = []
  private var changed: [ManagedObject] = []
  /// Whether some objects may have no changes any more. The next read of the list removes all of them at once.
  private var hasUnchanged = false

  // MARK: Stores

  mutating func add(_ state: StoreState) { states.append(state) }

  /// Returns the state of a store, if the context has read the store before.
  func state(of store: PersistentStore) -> StoreState? {
    states.first { $0.persistent === store }
  }

  /// Returns the state of the store with a tag. If a store was removed and added again, this is the state of the new
  /// store.
  func state(of tag: StoreTag) -> StoreState? {
    states.first { $0.tag == tag && !$0.persistent.isGone } ?? states.first { $0.tag == tag }
  }

  /// Whether there are drafts that are not frozen.
  var areOpen: Bool { states.contains { $0.hasOpenChanges } }

  /// Whether a store has unsaved changes.
  var hasChanges: Bool { states.contains { $0.hasChanges } }

  /// Forgets all stores, and returns their states.
  @discardableResult
  mutating func takeStates() -> [StoreState] {
    defer { states = [] }
    return states
  }

  // MARK: Changed objects

  /// The objects with unsaved changes, in the order in which they were first changed.
  var changedObjects: [ManagedObject] {
    mutating get {
      forgetUnchanged()
      return changed
    }
  }

  /// Adds an inserted object, which is in the state of a changed object already.
  mutating func addInserted(_ object: ManagedObject) {
    forgetUnchanged()
    changed.append(object)
  }

  mutating func recordChange(of object: ManagedObject) {
    guard !object.state.contains(.pending) else { return }
    // This object may be among the objects without changes, so its state is set last.
    forgetUnchanged()
    changed.append(object)
    object.state = object.state.subtracting(.timed).union(.pending)
  }

  /// Records a change of an object's links. Links change no row of the objects they connect, but both objects count as
  /// changed.
  mutating func recordTouched(_ object: ManagedObject) {
    recordChange(of: object)
    if !object.state.contains(.inserted) { object.state.insert(.updated) }
  }

  /// Records that some objects of the list may have no changes any more.
  mutating func recordUnchanged() { hasUnchanged = true }

  /// Removes all objects from the list, and returns them.
  mutating func takeChangedObjects() -> [ManagedObject] {
    forgetUnchanged()
    defer { changed = [] }
    return changed
  }

  private mutating func forgetUnchanged() {
    guard hasUnchanged else { return }
    hasUnchanged = false
    changed.removeAll { !$0.state.contains(.pending) }
  }
}
