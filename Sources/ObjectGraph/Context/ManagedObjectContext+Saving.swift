import ObjectModel
import ObjectQuery

extension ManagedObjectContext {
  /// Saves all changes into the stores, or into the parent context.
  ///
  /// Either all changes are saved or none. After an error the context still has its changes, so that the caller can
  /// resolve the cause and save again. A save into stores is durable when this method returns.
  ///
  /// - Throws: ``ContextError`` with the code ``ContextError/Code/validation`` and all failures. ``ContextError`` with
  ///   the code ``ContextError/Code/conflict`` if the merge policy does not resolve a conflict: another context has
  ///   changed the same objects, or objects share unique values. `StoreError` if a store can't be written.
  public func save() throws {
    try workspace.save()
  }

  /// Returns the failures that a save would find now. Nothing is saved.
  ///
  /// ``constraintConflicts()`` returns the conflicts over unique values.
  ///
  /// - Throws: `StoreError` if a store is damaged; ``ContextError`` if hooks change objects without end.
  public func validationFailures() throws -> [ValidationFailure] {
    try workspace.problems().failures
  }

  /// Throws the error that a save would throw now for the values of changed objects. Nothing is saved.
  ///
  /// Changes of the same objects by another context are not considered.
  ///
  /// - Throws: ``ContextError`` with ``ContextError/failures`` and ``ContextError/constraintConflicts``; `StoreError`
  ///   if a store is damaged.
  public func validateChanges() throws {
    try workspace.validateChanges()
  }

  /// Returns the conflicts over unique values that a save would find now. Nothing is saved.
  ///
  /// A merge policy other than ``MergePolicy/error`` resolves the conflicts of inserted objects before.
  ///
  /// - Throws: `StoreError` if a store is damaged; ``ContextError`` if hooks change objects without end.
  public func constraintConflicts() throws -> [ConstraintConflict] {
    try workspace.problems().conflicts
  }

  /// Returns the failures of an object, changed or not, without conflicts over unique values.
  package func failures(of object: ManagedObject) -> [ValidationFailure] {
    ObjectValidator(workspace).failures(of: object)
  }

  /// Marks an unchanged object, so that the next save computes its derived values.
  package func deriveAgain(_ object: ManagedObject) {
    workspace.realize(object)
    _ = workspace.beginChange(of: object)
  }
}
