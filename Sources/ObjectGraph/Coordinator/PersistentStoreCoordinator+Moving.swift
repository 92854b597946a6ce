public import StoreInterface

// Stores that move.
extension PersistentStoreCoordinator {
  /// How often a store is copied that others go on saving into.
  private static let mostCopies = 8

  /// Moves a store to another place, or to another type, and takes the new one in its stead.
  ///
  /// The old file stays. Objects get identifiers of the new store. What is saved into the store meanwhile is moved
  /// too: the store is copied again then, and after a while who saves waits.
  ///
  /// - Parameter progress: Is told now and then how far the copy is. What it throws ends it.
  /// - Throws: `StoreError`, or what `progress` throws, or ``ContextError`` when somebody saves each time that
  ///   the store is copied, such as `progress`; the old store is still there then.
  @discardableResult
  public func migrate(
    _ store: PersistentStore, to path: String, type: StoreType,
    progress: (StoreCopy.Progress) throws -> Void = { _ in }
  ) throws -> PersistentStore {
    let places = try requirePlaces()
    guard try !places.exists(path) else {
      throw StoreError(.exists, "There is a file or a folder at the path already.", path: path)
    }
    let turn = SaveTurn()
    defer { saveTurns.end(turn) }
    for _ in 0..<PersistentStoreCoordinator.mostCopies {
      let start = ContinuousClock.now
      if let moved = try copy(store, to: path, type, in: places, progress) {
        // Everything is in the new one, and nobody asks the old one any more.
        try? store.store.close()
        return moved
      }
      saveTurns.noteOvertaken(turn, after: (ContinuousClock.now - start) / .seconds(1))
    }
    throw ContextError(
      .conflict,
      """
      The store\(at(store.path)) was saved into each time that it was copied to "\(path)", which was \
      \(PersistentStoreCoordinator.mostCopies) times. It stays where it is.
      """)
  }

  /// Copies a store, and takes the copy in its stead unless somebody has saved meanwhile.
  ///
  /// - Returns: The copy; `nil` when somebody has. Nothing is left of the copy then.
  private func copy(
    _ store: PersistentStore, to path: String, _ type: StoreType, in places: StorePlaces,
    _ progress: (StoreCopy.Progress) throws -> Void
  ) throws -> PersistentStore? {
    let target = try places.create(path, type: type, model: try model(of: store.configuration))
    var isTaken = false
    defer {
      if !isTaken {
        try? target.close()
        try? places.destroy(path)
      }
    }
    let snapshot = try store.store.snapshot()
    try StoreCopy(from: snapshot, to: target).run(progress)
    let copy = try fitting(target, store.configuration, store.isReadOnly)
    isTaken = try store.replacing {
      guard try store.store.snapshot().commit == snapshot.commit else { return false }
      replace(store, with: copy)
      return true
    }
    return isTaken ? copy : nil
  }
}
