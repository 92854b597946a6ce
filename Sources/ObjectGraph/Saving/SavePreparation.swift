import ObjectModel

/// Prepares the changes of a save: calls `willSave`, merges inserted duplicates and computes derived values, until
/// nothing changes any more.
struct SavePreparation {
  private let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// The error for objects that still change after the maximum number of rounds.
  static var endless: ContextError {
    ContextError(
      .validation,
      "Objects still change in willSave after \(Workspace.mostRounds) rounds.")
  }

  func run() throws {
    for _ in 0..<Workspace.mostRounds {
      try workspace.propagateDeletionsOrThrow()
      try workspace.sealAll()
      let mark = workspace.sealCount
      for object in workspace.changedObjects where type(of: object) != ManagedObject.self {
        object.willSave()
      }
      let isSettled = !workspace.hasChanged(since: mark)
      try workspace.sealAll()
      let hasMerged = try workspace.mergeDuplicates()
      try workspace.updateDerivedValues()
      if isSettled, !hasMerged, !workspace.hasUnprocessedChanges { return }
    }
    throw SavePreparation.endless
  }
}
