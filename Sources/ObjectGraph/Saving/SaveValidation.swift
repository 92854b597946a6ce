import ObjectModel

/// Checks the changes of a save: by the classes of the objects, by the rules of the model, and by unique values.
struct SaveValidation {
  private let workspace: Workspace
  /// The number of changed objects whose classes have checked them.
  private var askedCount = 0
  private var failures: [ValidationFailure] = []
  private var conflicts: [ConstraintConflict] = []
  /// Whether all changed objects were checked and none has changed in the last run.
  private(set) var isComplete = false

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Checks the objects that were not checked yet. A class may correct values while it checks.
  mutating func run() throws {
    if workspace.settings.defersValidation {
      isComplete = true
      return
    }
    let mark = workspace.sealCount
    let next = workspace.changedObjects[min(askedCount, workspace.changedObjects.count)...]
    askedCount = workspace.changedObjects.count
    failures += workspace.failuresOfClasses(of: next)
    if workspace.hasChanged(since: mark) {
      try workspace.sealForUndo()
      try workspace.updateDerivedValues()
      try workspace.sealAll()
    }
    isComplete = workspace.changedObjects.count == askedCount
    guard isComplete else { return }
    failures += try workspace.validate()
    conflicts = try workspace.findConstraintConflicts()
  }

  /// Throws what is wrong with the changes.
  func throwFailures() throws {
    guard failures.isEmpty, conflicts.isEmpty else {
      throw ContextError(refusing: failures, conflicts)
    }
  }
}
