import ObjectModel

// Deletions of a workspace.
extension Workspace {
  /// Marks an object to be deleted by the next save. Its delete rules are applied when changes are processed.
  func delete(_ object: ManagedObject) { ObjectDeletion(self).delete(object) }

  /// Propagates deletions. Records an error for the next save.
  func propagateDeletions() {
    do { try propagateDeletionsOrThrow() } catch { note(error) }
  }

  /// Propagates the deletions that are not propagated yet.
  func propagateDeletionsOrThrow() throws {
    guard !relationships.deletionsToPropagate.isEmpty else { return }
    try ObjectDeletion(self).propagateAll()
  }

  /// Returns whether the context knows of no deletion of an object.
  func isAlive(_ object: ManagedObject) -> Bool {
    object.state.isDisjoint(with: [.deleted, .missing])
  }
}
