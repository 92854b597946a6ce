import ObjectModel

extension ManagedObjectContext {
  /// Refreshes an object from the parent or the store.
  ///
  /// - Parameter mergeChanges: Whether the object's own changes stay. Otherwise they are dropped and the object becomes
  ///   a fault. If its stored row refers to an object that this context has deleted, the delete rule of the deleted
  ///   object applies to it.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    ObjectRefresh(workspace).refresh(object, mergeChanges: mergeChanges)
  }

  /// Refreshes all registered objects from the parent or the stores. Changes stay.
  public func refreshAllObjects() {
    ObjectRefresh(workspace).refreshAll()
  }

  /// Drops all unsaved changes, and all changes recorded for undo and redo.
  public func rollback() {
    Rollback(workspace).run()
  }

  /// Drops all changes and forgets all objects.
  ///
  /// Objects that the program still holds can't be used any more. Their hooks are not called.
  public func reset() {
    Rollback(workspace).reset()
  }

  /// Returns the conflict that a save of an object would find now, because another context has changed it since.
  ///
  /// The answer may be outdated when the save comes. To make a save depend on an object, mark it with
  /// ``detectConflicts(for:)``.
  ///
  /// - Returns: `nil` if there is no conflict. Always `nil` in a child context: conflicts are found when its parent
  ///   saves.
  /// - Throws: `StoreError` if a store is damaged.
  public func conflict(of object: ManagedObject) throws -> MergeConflict? {
    try ConflictCheck(workspace).conflict(of: object)
  }

  /// Pins the context to one moment of the stores. With `nil` the context follows the newest commit again.
  ///
  /// A save compares the changes with the newest commit, and moves the pinned moment to the commit that it writes.
  /// Registered objects without changes are refreshed.
  public func setQueryGeneration(_ generation: QueryGeneration?) throws {
    try ObjectRefresh(workspace).pin(to: generation)
  }

  /// Merges the save of another context or process into this context.
  ///
  /// Registered objects show the new values, except for properties that are changed here. Objects that the save has
  /// deleted are deleted here, and their changes are dropped. A change of an object outside of the save stays in
  /// conflict with other saves of that object.
  ///
  /// - Throws: `StoreError` if a store is damaged.
  public func mergeChanges(from change: ContextChange) throws {
    try workspace.mergeChanges(from: change)
  }
}
