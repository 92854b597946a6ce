import ObjectModel
import Rows
import StoreInterface

/// Saves the changes of a workspace in five steps: rebase, prepare, validate, commit, finish.
///
/// The rebase replays the changes on the newest commit of each store. No lock is held before the commit. If another
/// save commits in between, the changes are rebased again.
struct Save {
  private let workspace: Workspace
  private var validation: SaveValidation
  private var isAnnounced = false

  /// The maximum number of times that a store may refuse a save although no other save has come in between.
  private static let mostRefusals = 16

  init(_ workspace: Workspace) {
    self.workspace = workspace
    validation = SaveValidation(workspace)
  }

  /// Saves all changes into the stores, or into the parent context.
  ///
  /// - Returns: The saved changes, by store.
  mutating func run() throws -> [StoreTag: Layer] {
    let commit = SaveCommit(workspace)
    defer { commit.end() }
    var isPrepared = false
    var refusals = 0
    // A round must be repeated if objects or observers have changed something, or if another save came first.
    for _ in 0..<Workspace.mostRounds {
      let isConcerned = try SaveRebase(workspace).run()
      if isConcerned { isAnnounced = false }
      if isConcerned || !isPrepared {
        isPrepared = try prepare()
        if !isPrepared { continue }
      }
      switch try commit.run() {
      case .saved(let saved):
        SaveFinish(workspace).run(saved)
        return saved
      case .overtaken: refusals = 0
      case .refused:
        isPrepared = false
        refusals += 1
        guard refusals < Save.mostRefusals else {
          throw ContextError(
            .conflict,
            "A store refused the changes \(refusals) times, although no other save came first.")
        }
      }
    }
    throw ContextError(
      .conflict,
      """
      The save was tried \(Workspace.mostRounds) times. Each time, objects or observers changed something, or \
      another save came first. Save again.
      """)
  }

  /// Prepares and validates the changes without saving them.
  mutating func validate() throws {
    for _ in 0..<Workspace.mostRounds {
      try SavePreparation(workspace).run()
      try validation.run()
      if validation.isComplete { return try validation.throwFailures() }
    }
    throw SavePreparation.endless
  }

  /// Announces the save, and prepares and validates the changes.
  ///
  /// - Returns: Whether no object and no observer has changed anything since.
  private mutating func prepare() throws -> Bool {
    if !isAnnounced {
      // Observers are told first, so that hooks and validation see what they change.
      try workspace.propagateDeletionsOrThrow()
      try workspace.sealAll()
      workspace.announceChanges()
      workspace.announceSaving()
      isAnnounced = true
    }
    let advances = workspace.advanceCount
    try SavePreparation(workspace).run()
    try validation.run()
    guard validation.isComplete else { return false }
    try validation.throwFailures()
    try workspace.throwReadFailure()
    let mark = workspace.sealCount
    workspace.announceChanges()
    // The save includes the changes of observers, so these are prepared and validated too.
    let isSettled = !workspace.hasChanged(since: mark) && workspace.advanceCount == advances
    if !isSettled { validation = SaveValidation(workspace) }
    return isSettled
  }
}

extension Workspace {
  /// Whether the workspace has changed since changes were last processed.
  var hasUnprocessedChanges: Bool {
    !deletionsToPropagate.isEmpty || storeStates.contains { $0.hasOpenChanges }
  }

  /// Whether the workspace has changed since `mark`, an earlier seal count.
  func hasChanged(since mark: Int) -> Bool { hasUnprocessedChanges || sealCount != mark }
}
