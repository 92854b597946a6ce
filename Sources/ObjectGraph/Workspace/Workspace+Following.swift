import Dispatch
import ObjectModel
import Rows
import StoreInterface
import Synchronization

// Merging the saves of other contexts.
extension Workspace {
  func mergeChanges(from change: ContextChange) throws {
    try merge(ObjectsToMerge.all(of: change, in: coordinator))
  }

  /// Advances some stores to their newest state.
  ///
  /// - Parameters:
  ///   - parts: The objects that the context asks to see in their newest state.
  ///   - saved: The changes that a batch of this context has saved, by store. The context asks to see the saved
  ///     values of these objects, and not their newest state.
  func merge(_ parts: [ObjectsToMerge], saved: [StoreTag: Layer] = [:]) throws {
    checkPlace()
    try processPendingChanges()
    for part in parts {
      guard pinned == nil, let state = drafts.state(of: part.store), !state.persistent.isGone else {
        continue
      }
      try merge(part, into: state, saved: saved[part.store])
    }
    try processPendingChanges()
    // The state that children see has changed too.
    passOn(parts) { $0.parent == ObjectIdentifier(self) }
  }

  private func merge(_ part: ObjectsToMerge, into state: StoreState, saved: Layer?) throws {
    // Observers of this context may know objects by their identifiers, even if these objects are not registered.
    func identifiers(_ keys: Set<ObjectKey>) -> [ObjectID] {
      keys.sorted().compactMap { key in
        state.graph[key.entity] == nil || state.knownEntity(key.entity)?.known(key.number) != nil
          ? nil : ObjectID(store: state.tag, key: key)
      }
    }
    let seen = SeenRows(keys: saved == nil ? part.keys : [], ownSave: saved ?? Layer())
    let base = try newestBase(of: state.persistent)
    try Advance(self, state).run(to: base, seen: seen)
    undoStack?.recordSeen(seen, in: state)
    observation.recordMerged(
      inserted: identifiers(part.inserted), deleted: identifiers(part.deleted))
  }

  /// Posts a save to observers, and passes it on to sibling and child contexts.
  ///
  /// - Parameter toChildren: Whether to pass the save on to children. A merge passes its objects on to children by
  ///   itself.
  func announceSave(_ saved: [StoreTag: Layer], toChildren: Bool = true) {
    guard !saved.isEmpty else { return }
    let change = tell(.saved, saved)
    let (me, parent) = (ObjectIdentifier(self), mail.parent)
    passOn(try ObjectsToMerge.all(of: change, in: coordinator)) {
      $0.parent == parent || (toChildren && $0.parent == me)
    }
  }

  /// Passes a save on to other contexts.
  func passOn(
    _ makeParts: @autoclosure () throws -> [ObjectsToMerge], to isMeant: (ContextMail) -> Bool
  ) {
    do { try coordinator.passOn(try makeParts(), except: mail, to: isMeant) } catch {
      record(error)
    }
  }

  /// Takes the pushes and saves in the mailbox, unless work is under way that no merge may interrupt.
  func takeWaiting() {
    guard mail.hasWaiting.load(ordering: .relaxed), !progress.isWorking else { return }
    let wasWorking = progress.beginWork()
    defer { progress.endWork(wasWorking) }
    // The flag is cleared first, so that mail that arrives from now on sets it again for the next call.
    _ = mail.hasWaiting.exchange(false, ordering: .acquiringAndReleasing)
    takePushes()
    let parts = mail.take()
    let isStuck = mail.published.withLock { !$0.pushes.isEmpty }
    if isStuck { mail.hasWaiting.store(true, ordering: .relaxed) }
    if parts.isEmpty { return }
    do { try merge(parts) } catch { record(error) }
  }
}

/// The objects of one store that a context is to show in their newest state.
struct ObjectsToMerge: Sendable {
  let store: StoreTag
  var keys: Set<ObjectKey>
  var inserted: Set<ObjectKey> = []
  var deleted: Set<ObjectKey> = []

  /// Adds other objects of the same store.
  mutating func add(_ other: ObjectsToMerge) {
    keys.formUnion(other.keys)
    // A later part may restore an object that an earlier part has deleted.
    inserted.subtract(other.deleted)
    deleted.subtract(other.inserted)
    inserted.formUnion(other.inserted)
    deleted.formUnion(other.deleted)
  }

  /// Returns the objects of a change, by store.
  static func all(
    of change: ContextChange, in coordinator: PersistentStoreCoordinator
  ) throws -> [ObjectsToMerge] {
    try change.layers.map { tag, layer in
      var part = ObjectsToMerge(store: tag, keys: [])
      for changes in layer.entities {
        for entry in try changes.entries() {
          let key = ObjectKey(entity: changes.entityNumber, number: entry.key)
          part.keys.insert(key)
          switch entry.entry {
          case .put: part.inserted.insert(key)
          case .removed: part.deleted.insert(key)
          case .absent, .changed: break
          }
        }
      }
      return part
    }
  }
}
