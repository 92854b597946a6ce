import ObjectModel

extension ManagedObjectContext {
  /// Looks again at what lies beneath an object.
  ///
  /// - Parameter mergeChanges: Whether the object's own changes stay. Otherwise they are given up, and
  ///   the object becomes a fault. If it leads to one that is deleted here then, that one's relationship
  ///   says what becomes of it, as when that was deleted.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    workspace.refresh(object, mergeChanges: mergeChanges)
  }

  /// Looks again at what lies beneath all known objects. Changes stay.
  public func refreshAllObjects() {
    workspace.refreshAllObjects()
  }

  /// Gives up all changes that are not saved, and with them what could be undone and redone.
  public func rollback() {
    workspace.rollback()
  }

  /// Forgets everything: changes and objects. Objects that somebody still holds can't be used any more; their
  /// hooks are not called.
  public func reset() {
    workspace.reset()
  }

  /// Whether somebody else has changed an object since it was read here: then saving a change of it
  /// would be in conflict.
  ///
  /// - Returns: `nil` where there is none, and in a child: its changes meet those of others when its parent saves.
  /// - Throws: What a damaged store throws.
  public func detectConflicts(for object: ManagedObject) throws -> MergeConflict? {
    try workspace.detectConflicts(for: object)
  }

  /// Pins the context to what the stores held at one moment, or lets it go on to the newest.
  ///
  /// Saving moves on to what was saved: changes are held against what is there by then.
  ///
  /// Known objects without changes are read again.
  public func setQueryGeneration(_ generation: QueryGeneration?) throws {
    try workspace.setQueryGeneration(generation)
  }

  /// Takes over what another context, or another process, has saved: known objects without changes show
  /// the new values, and those with changes the new values of what they have not changed.
  ///
  /// What others have deleted is deleted here, and changes of it are given up.
  ///
  /// A change of an object that this is not about stays in conflict with what others have saved of the same.
  ///
  /// - Throws: What a damaged store throws.
  public func mergeChanges(from change: ContextChange) throws {
    try workspace.mergeChanges(from: change)
  }
}
