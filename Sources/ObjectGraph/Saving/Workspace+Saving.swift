import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

// Saving.
extension Workspace {
  func save() throws { _ = try saveReturningLayers() }

  /// Saves, and returns the saved changes by store.
  func saveReturningLayers() throws -> [StoreTag: Layer] {
    checkPlace()
    takeWaiting()
    workDepth += 1
    defer { workDepth -= 1 }
    try throwReadFailure()
    guard hasChanges else { return [:] }
    replacements = [:]
    try sealForUndo()
    undoStack?.willSave()
    var save = Save(self)
    do { return try save.run() } catch {
      undoStack?.didSave(false)
      throw error
    }
  }

  func validationFailures() throws -> [ValidationFailure] {
    do { try validateChanges() } catch let error as ContextError {
      guard !error.constraintConflicts.isEmpty || !error.failures.isEmpty else { throw error }
      return error.failures
    }
    return []
  }

  func validateChanges() throws {
    checkPlace()
    workDepth += 1
    defer { workDepth -= 1 }
    try sealForUndo()
    undoStack?.willSave()
    defer { undoStack?.didSave(false) }
    var save = Save(self)
    try save.validate()
  }

  /// Forgets what was pending.
  func finishSaving() {
    let objects = changedObjects
    changedObjects = []
    saveRecord.momentsTaken = []
    if !freshTransients.isEmpty {
      for object in objects { freshTransients[object.objectID] = nil }
    }
    var isAnyTold = false
    var deleted: [ManagedObject] = []
    // In didSave an object still knows that it was deleted, and by which context.
    defer { for object in deleted { object.state.insert(.detached) } }
    for object in objects {
      if object.state.contains(.deleted) {
        // One that others have deleted may come back, and is the same then.
        if !object.source.isUnresolved {
          object.withEntity { $0.objects.remove(object.key.number) }
          deleted.append(object)
        }
        if !transientValues.isEmpty { forgetTransientValues(of: object.objectID) }
        object.state.subtract([.inserted, .updated, .pending])
        object.state.insert(.missing)
      } else {
        object.state.subtract([.inserted, .updated, .pending])
      }
      isAnyTold = isAnyTold || type(of: object) != ManagedObject.self
    }
    // No object is told before all are saved: a change in didSave belongs to the next save.
    guard isAnyTold else { return }
    for object in objects where type(of: object) != ManagedObject.self { object.didSave() }
  }
}

extension ManagedObject {
  /// Where the object's values are that were saved last; `nil` when none were.
  final var committedPlace: (source: RowSource, row: Int)? {
    var source = source
    var row = Int(row)
    while source.isPending {
      guard let below = source.below(row) else { return nil }
      (source, row) = below
    }
    return source.isUnresolved ? nil : (source, row)
  }
}
