import ObjectModel
import ObjectQuery

extension ManagedObjectContext {
  /// Saves all changes: into the stores, or into the parent context.
  ///
  /// Either everything is saved or nothing. After an error the context still has its changes, so you can
  /// mend the cause and save again. A save into stores is durable when this returns.
  ///
  /// - Throws: ``ContextError`` with the code ``ContextError/Code/validation`` and everything that is
  ///   wrong, or ``ContextError/Code/conflict`` if another context has changed the same objects, or if objects share
  ///   unique values, and the merge policy does not resolve that; `StoreError` if a store can't be written.
  public func save() throws {
    try workspace.save()
  }

  /// Returns the failures that a save would find now. Nothing is saved. Conflicts over unique values are not among
  /// them: ``constraintConflicts()`` returns these.
  ///
  /// - Throws: `StoreError` if a store is damaged; ``ContextError`` if objects go on changing themselves without end.
  public func validationFailures() throws -> [ValidationFailure] {
    try workspace.validationFailures()
  }

  /// Throws the error that a save would throw now for the values of changed objects. Nothing is saved.
  ///
  /// Changes of the same objects by another context are not looked for.
  ///
  /// - Throws: ``ContextError`` with ``ContextError/failures`` and ``ContextError/constraintConflicts``; `StoreError`
  ///   if a store is damaged.
  public func validateChanges() throws {
    try workspace.validateChanges()
  }

  /// Returns the conflicts over unique values that a save would find now. Nothing is saved.
  ///
  /// A merge policy other than ``MergePolicy/error`` resolves the conflicts of inserted objects: these are merged
  /// before.
  ///
  /// - Throws: `StoreError` if a store is damaged; ``ContextError`` if objects go on changing themselves without end.
  public func constraintConflicts() throws -> [ConstraintConflict] {
    try workspace.constraintConflicts()
  }

  /// What is wrong with an object as it is, changed or not, but for what it shares with others.
  package func failures(of object: ManagedObject) -> [ValidationFailure] {
    workspace.failures(of: object)
  }

  /// Has the derived values of an object computed by the next save, though nothing was changed.
  package func deriveAgain(_ object: ManagedObject) {
    workspace.deriveAgain(object)
  }
}
