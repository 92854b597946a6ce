import ObjectModel
import Rows

// The preparation of a save, and the validation.
extension Workspace {
  /// Computes the derived values that may depend on the changes.
  func updateDerivedValues() throws { try DerivedValues(self).update() }

  /// Merges inserted objects into existing objects with the same unique values. All drafts must be frozen.
  ///
  /// - Returns: Whether any object was merged.
  func mergeDuplicates() throws -> Bool { try DuplicateMerge(self).run() }

  /// Returns the failures that the classes of the given objects report. A class may correct values.
  func failuresOfClasses(of objects: ArraySlice<ManagedObject>) -> [ValidationFailure] {
    ObjectValidator(self).failuresOfClasses(of: objects)
  }

  /// Returns the validation failures of the changed objects according to the rules of the model.
  func validate() throws -> [ValidationFailure] { try ObjectValidator(self).failuresOfModel() }

  /// Returns the conflicts over unique values of all changed objects. All drafts must be frozen.
  func findConstraintConflicts() throws -> [ConstraintConflict] {
    try UniquenessCheck(self).conflicts()
  }

  func constraintConflicts() throws -> [ConstraintConflict] {
    do { try validateChanges() } catch let error as ContextError {
      guard !error.constraintConflicts.isEmpty || !error.failures.isEmpty else { throw error }
      return error.constraintConflicts
    }
    return []
  }

  /// Returns the identifier of the object that an inserted object was merged into, or the given identifier if it was
  /// not.
  func replaced(_ id: ObjectID) -> ObjectID {
    var id = id
    while let next = replacements[id] { id = next }
    return id
  }
}
