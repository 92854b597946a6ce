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

  /// Marks an object: the next save fails if another save changes or deletes the object before this save commits.
  ///
  /// A save finds on its own that an object which *this* context changes was changed elsewhere. Mark an object that the context
  /// only reads, if the changes are right only as long as the object stays as it is:
  ///
  ///     let trips = try context.fetch(Trip.all)
  ///     for trip in trips { context.detectConflicts(for: trip) }
  ///     if trips.reduce(0, { $0 + $1.cost }) < 900 { trips[0].cost += 100 }
  ///     try context.save()
  ///
  /// Without the marks, two contexts may each raise the cost of another trip, and both costs together exceed the limit.
  /// With a mark on every object that the program reads, saves of one store, and of the stores of one document, are
  /// serializable. A mark does not notice an *inserted* object that a fetch would have found: let each such save also
  /// change a common object, and mark that one.
  ///
  /// - Mark the object right after you read it. The mark is about the row that the object shows now, and a fetch may advance
  ///   the context to another one. A second mark of the object changes nothing.
  /// - The row contains attributes and to-one relationships. The members of a to-many relationship are rows of their own.
  /// - The save fails under every merge policy, and also if this context has changed the object. Its error has the code
  ///   ``ContextError/Code/conflict``, and conflicts with ``MergeConflict/isMarked``.
  /// - A save checks marks also if nothing has changed. A child gives its marks to its parent: its save fails if the parent
  ///   shows another object than the child did, and the parent's save checks the store.
  /// - A save that succeeds removes the marks, as `rollback()` and `reset()` do. After a failure they stay. A refresh of an
  ///   object that keeps its changes bases the mark on the newest row; one that drops the changes removes the mark.
  ///
  /// The store compares under the lock that a save takes anyway, so no other process can save in between. The cost is one row
  /// to look up for each mark. A batch is a separate save, so it breaks the marks of the objects that it changes.
  public func detectConflicts(for object: ManagedObject) {
    MarkCheck(workspace).mark(object)
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
