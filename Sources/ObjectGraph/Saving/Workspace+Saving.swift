import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

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

  /// Clears the record of changed objects after a save, and notifies the objects.
  func finishSaving() {
    let objects = changedObjects
    changedObjects = []
    saveRecord.momentsTaken = []
    if !freshTransients.isEmpty {
      for object in objects { freshTransients[object.objectID] = nil }
    }
    var isAnyTold = false
    var deleted: [ManagedObject] = []
    // During `didSave` a deleted object still has its deleted state and its context.
    defer { for object in deleted { object.state.insert(.detached) } }
    for object in objects {
      if object.state.contains(.deleted) {
        // An object that another context has deleted stays registered, because it is used again if that context
        // restores it.
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
    // All objects are marked as saved before any is notified: a change in didSave belongs to the next save.
    guard isAnyTold else { return }
    for object in objects where type(of: object) != ManagedObject.self { object.didSave() }
  }
}

extension ManagedObject {
  /// The place of the object's values that were saved last; `nil` if none were saved.
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
