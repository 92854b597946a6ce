package import ObjectModel
package import Rows
package import StoreInterface

// The interface for documents.
extension ManagedObjectContext {
  /// The changes that are not saved, as each store would be asked to commit them. Nothing is checked.
  ///
  /// - Throws: What a damaged store throws.
  package func unsavedRequests() throws -> [(store: any Store, request: CommitRequest)] {
    try workspace.unsavedRequests()
  }

  /// Whether the context, in its turn, has nothing to save: no changes, and none that a child has pushed.
  package var isClean: Bool {
    workspace.isClean
  }

  /// Makes the changes of layers in this context, to be saved by it.
  ///
  /// - Throws: What a damaged layer throws.
  package func take(_ layers: [StoreTag: Layer]) throws {
    try workspace.take(layers)
  }

  /// Takes over what another process has saved, and tells the children of it.
  ///
  /// - Throws: What a damaged store throws.
  package func mergeFromOutside(_ layers: [StoreTag: Layer]) throws {
    try workspace.mergeFromOutside(layers)
  }

  /// Gives up all changes, those included that children have handed over, and shows what lies beneath by now.
  /// Objects stay the same.
  package func revert() {
    workspace.revert()
  }

  /// Hands all changes to the parent without waiting for it, as a save into it would: from now on they are the
  /// parent's, which makes them its own in its next turn. Children of the parent see them at once.
  ///
  /// Nothing is checked and nobody is asked: whoever saves the parent does that. Costs what it takes to freeze
  /// what was changed since the last turn; and, where the context does not merge by itself, to read what the
  /// changed objects were before.
  ///
  /// - Precondition: There is a parent.
  /// - Throws: What could not be read of what was changed.
  package func handOver() throws {
    try workspace.handOver()
  }
}
