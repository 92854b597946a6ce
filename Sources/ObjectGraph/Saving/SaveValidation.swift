import ObjectModel

/// Checks the changes of a save: by the classes of the objects, by the rules of the model, and by unique values.
struct SaveValidation {
  private let workspace: Workspace
  /// The number of changed objects that their classes have validated.
  private var askedCount = 0
  private var failures: [ValidationFailure] = []
  private var conflicts: [ConstraintConflict] = []
  /// Whether the last run has validated all changed objects, and none has changed meanwhile.
  private(set) var isComplete = false

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Validates the objects that were not validated yet. A class may correct values while it validates.
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

  /// Throws the failures and conflicts that were found, if there are any.
  func throwFailures() throws {
    guard failures.isEmpty, conflicts.isEmpty else {
      throw ContextError(refusing: failures, conflicts)
    }
  }
}
