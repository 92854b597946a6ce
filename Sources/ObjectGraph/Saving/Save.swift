import ObjectModel
import Rows
import StoreInterface
import Threads
import Tracing

/// Saves the changes of a workspace in five steps: rebase, prepare, validate, commit, finish.
///
/// The rebase replays the changes on the newest commit of each store. No lock is held before the commit. If another
/// save commits in between, the changes are rebased again. A ``SaveDraft`` carries the results from step to step.
struct Save {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// The error for objects that still change after the maximum number of rounds.
  static var endless: ContextError {
    ContextError(
      .validation,
      "Objects still change in willSave after \(Workspace.mostRounds) rounds.")
  }

  /// Saves all changes into the stores, or into the parent context.
  ///
  /// - Returns: The saved changes, by store.
  func run() throws -> [StoreTag: Layer] {
    var draft = SaveDraft()
    var steps = TracedSteps()
    let turn = draft.attempts.turn
    defer { workspace.coordinator.commitQueue.end(turn) }
    // A round must be repeated if objects or observers have changed something, or if another save came first.
    for _ in 0..<Workspace.mostRounds {
      draft = try rebase(draft)
      steps.end("rebase")
      Threads.pass()
      if draft.stage != .validated {
        draft = try prepare(draft)
        steps.end("preparation")
        draft = try validate(draft)
        steps.end("validation")
      }
      guard draft.stage == .validated else { continue }
      draft = try commit(draft)
      steps.end("commit")
      guard draft.stage == .committed else { continue }
      Threads.pass()
      let saved = finish(draft)
      steps.end("finish")
      steps.send(
        .save, at: workspace.onlyPath, workspace.settings.name ?? "",
        count: Trace.isOn ? saved.values.reduce(0) { $0 + $1.count } : nil)
      return saved
    }
    throw ContextError(
      .conflict,
      """
      The save was tried \(Workspace.mostRounds) times. Each time, objects or observers changed something, or \
      another save came first. Save again.
      """)
  }

  /// Prepares and validates the changes without saving them.
  func validateOnly() throws {
    var draft = SaveDraft()
    for _ in 0..<Workspace.mostRounds {
      draft = try check(settle(draft))
      if draft.validation.isComplete { return try draft.validation.throwFailures() }
    }
    throw Save.endless
  }

  /// Runs hooks or observers of the program, which may change objects. All drafts must be frozen.
  ///
  /// - Returns: Whether anything has changed.
  func runHooks(_ draft: inout SaveDraft, _ hooks: () -> Void) -> Bool {
    hooks()
    let isChanged = draft.update(workspace.drafts.states)
    return isChanged || workspace.hasUnprocessedChanges
  }
}

extension Workspace {
  func save() throws { _ = try saveReturningLayers() }

  /// Saves, and returns the saved changes by store.
  func saveReturningLayers() throws -> [StoreTag: Layer] {
    checkPlace()
    takeWaiting()
    let before = progress.beginWork()
    defer { progress.endWork(before) }
    try throwReadFailure()
    guard hasChanges else {
      try MarkCheck(self).run()
      return [:]
    }
    objects.forgetReplacements()
    try sealForUndo()
    undoStack?.willSave()
    do { return try Save(self).run() } catch {
      undoStack?.didSave(false)
      throw error
    }
  }

  func validateChanges() throws {
    checkPlace()
    let before = progress.beginWork()
    defer { progress.endWork(before) }
    try sealForUndo()
    undoStack?.willSave()
    defer { undoStack?.didSave(false) }
    try Save(self).validateOnly()
  }

  /// Returns the failures and conflicts that a save would find now.
  func problems() throws -> (failures: [ValidationFailure], conflicts: [ConstraintConflict]) {
    do { try validateChanges() } catch let error as ContextError {
      guard !error.constraintConflicts.isEmpty || !error.failures.isEmpty else { throw error }
      return (error.failures, error.constraintConflicts)
    }
    return ([], [])
  }

  /// The path of the coordinator's store, if it has one store.
  var onlyPath: String? {
    let stores = coordinator.stores
    return stores.count == 1 ? stores[0].path : nil
  }

  /// Whether the workspace has changed since changes were last processed.
  var hasUnprocessedChanges: Bool {
    !relationships.deletionsToPropagate.isEmpty || drafts.areOpen
  }
}
