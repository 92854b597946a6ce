import ObjectModel
import Rows
import StoreInterface

/// Saves the changes of a workspace in five steps: rebase, prepare, validate, commit, finish.
///
/// The rebase puts the changes above the newest commit of each store. Nothing is locked until the commit. When another
/// save comes in between, the changes are rebased again.
struct Save {
  private let workspace: Workspace
  private var validation: SaveValidation
  private var isAnnounced = false

  /// The most refusals by a store to which nothing was saved in between.
  private static let mostRefusals = 16

  init(_ workspace: Workspace) {
    self.workspace = workspace
    validation = SaveValidation(workspace)
  }

  /// Saves all changes: into the stores, or into the parent context.
  ///
  /// - Returns: The saved changes, by store.
  mutating func run() throws -> [StoreTag: Layer] {
    let commit = SaveCommit(workspace)
    defer { commit.end() }
    var isPrepared = false
    var refusals = 0
    // A round ends when objects or observers change something, or when another save came first.
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
            "A store refused the changes \(refusals) times, though no other save came in between.")
        }
      }
    }
    throw ContextError(
      .conflict,
      """
      The save was begun \(Workspace.mostRounds) times, and each time objects or observers changed something, or another \
      save came first. Save again.
      """)
  }

  /// Prepares and checks the changes without a save.
  mutating func validate() throws {
    for _ in 0..<Workspace.mostRounds {
      try SavePreparation(workspace).run()
      try validation.run()
      if validation.isComplete { return try validation.throwFailures() }
    }
    throw SavePreparation.endless
  }

  /// Prepares and checks the changes, and announces the save.
  ///
  /// - Returns: Whether no object and no observer has changed anything since.
  private mutating func prepare() throws -> Bool {
    let advances = workspace.advanceCount
    try SavePreparation(workspace).run()
    try validation.run()
    guard validation.isComplete else { return false }
    try validation.throwFailures()
    try workspace.throwReadFailure()
    let mark = workspace.sealCount
    workspace.announceChanges()
    if !isAnnounced { workspace.announceSaving() }
    isAnnounced = true
    // The changes of observers are saved with the others, and so are prepared and checked as they are.
    let isSettled = !workspace.hasChanged(since: mark) && workspace.advanceCount == advances
    if !isSettled { validation = SaveValidation(workspace) }
    return isSettled
  }
}

extension Workspace {
  /// Whether something was changed since changes were last processed.
  var hasUnprocessedChanges: Bool {
    !deletionsToPropagate.isEmpty || storeStates.contains { $0.hasOpenChanges }
  }

  /// Whether something was changed since so many changes were sealed.
  func hasChanged(since mark: Int) -> Bool { hasUnprocessedChanges || sealCount != mark }
}
