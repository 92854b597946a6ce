public import StoreInterface
import Threads

extension PersistentStoreCoordinator {
  /// The maximum number of copies of a store into which contexts keep saving.
  private static let mostCopies = 8

  /// Moves a store to another path or another type, and replaces it with the new store in this coordinator.
  ///
  /// The old file stays. Objects get identifiers of the new store. If a context saves while the store is copied, the
  /// store is copied again, and concurrent saves wait for the move.
  ///
  /// - Parameter progress: Called now and then with the progress of the copy. An error of `progress` cancels the move.
  /// - Throws: `StoreError`; the error of `progress`; or ``ContextError`` if a save came in between each time, such as
  ///   a save in `progress`. The old store then stays in use.
  @discardableResult
  public func migrate(
    _ store: PersistentStore, to path: String, type: StoreType,
    progress: (StoreCopy.Progress) throws -> Void = { _ in }
  ) throws -> PersistentStore {
    let places = try requirePlaces()
    try places.refuseExisting(path)
    let turn = SaveTurn()
    defer { commitQueue.end(turn) }
    for _ in 0..<PersistentStoreCoordinator.mostCopies {
      let start = Threads.now
      if let moved = try copy(store, to: path, type, in: places, progress) {
        // The new store has everything, and no context asks the old store any more.
        try? store.store.close()
        post(.persistentStoreCoordinatorStoresDidChange, added: [moved], removed: [store])
        return moved
      }
      commitQueue.recordOvertaken(turn, after: (Threads.now - start) / .seconds(1))
      commitQueue.take(turn)
    }
    throw ContextError(
      .conflict,
      """
      The store\(at(store.path)) can't be moved to "\(path)": a save changed it during each of \
      \(PersistentStoreCoordinator.mostCopies) attempts to copy it. The store was not moved.
      """)
  }

  /// Copies a store, and replaces the store with the copy unless another context has saved in between.
  ///
  /// - Returns: The copy; `nil` if another context has saved. The copy is then deleted.
  private func copy(
    _ store: PersistentStore, to path: String, _ type: StoreType, in places: StorePlaces,
    _ progress: (StoreCopy.Progress) throws -> Void
  ) throws -> PersistentStore? {
    let snapshot = try store.store.snapshot()
    let target = try places.createCopy(
      path, type: type, model: try model(of: store.configuration)
    ) { made in
      _ = try StoreCopy(from: snapshot, to: made).run(progress)
    }
    var isTaken = false
    defer {
      if !isTaken {
        try? target.close()
        try? places.destroy(path)
      }
    }
    let copy = try fitting(target, store.configuration, store.isReadOnly)
    isTaken = try commitQueue.alone(with: [store]) {
      guard try store.store.snapshot().commit == snapshot.commit else { return false }
      replace(store, with: copy)
      store.recordReplaced()
      return true
    }
    return isTaken ? copy : nil
  }
}
