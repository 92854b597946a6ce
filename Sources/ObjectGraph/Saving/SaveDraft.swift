import ObjectModel
import Rows
import StoreInterface
import Threads

/// A save on its way through the five steps: rebase, prepare, validate, commit, finish.
///
/// A step takes the draft and returns it with its own results. Nothing else carries results from step to step, so a save
/// within a hook of another save has its own draft.
struct SaveDraft: ~Copyable {
  /// The steps that are done. A step may return the draft to an earlier stage, and the steps after that are repeated.
  enum Stage: Int {
    /// Nothing is done, or a rebase has changed what the observers know.
    case begun
    /// The observers know that the context saves.
    case announced
    /// The changes are prepared and valid, and no observer has changed anything since.
    case validated
    /// The stores, or the parent context, have the changes.
    case committed
  }

  /// The results of validating the changes.
  struct Validation {
    /// The number of changed objects that their classes have validated.
    var askedCount = 0
    var failures: [ValidationFailure] = []
    var conflicts: [ConstraintConflict] = []
    /// Whether all changed objects are validated, and none has changed meanwhile.
    var isComplete = false

    /// Throws the failures and conflicts that were found, if there are any.
    func throwFailures() throws {
      guard failures.isEmpty, conflicts.isEmpty else {
        throw ContextError(refusing: failures, conflicts)
      }
    }
  }

  /// The attempts to commit to the stores.
  struct Attempts {
    /// The place of the save among the saves of the coordinator.
    let turn = SaveTurn()
    /// The beginning of the present attempt.
    var start = Threads.now
    /// The commits that the refused changes were based on, by store.
    var refusedBases: [StoreTag: Int64] = [:]
    /// The number of times that a store has refused the changes although no other save has come in between.
    var refusalCount = 0
    /// The commits with which marked objects were compared, of stores without changes. They must be the newest when the
    /// changes of the further stores are committed.
    var checked: [StoreTag: any StoreSnapshot] = [:]
  }

  var stage = Stage.begun
  /// The frozen changes that the last step has left.
  private var changes = FrozenChanges([])
  /// Whether hooks or observers have moved a store to another base since the changes were last prepared.
  private(set) var isMoved = false
  var validation = Validation()
  var attempts = Attempts()
  /// The saved changes, by store.
  var saved: [StoreTag: Layer] = [:]

  /// Begins to prepare the changes again.
  mutating func prepareAgain(_ states: [StoreState]) {
    isMoved = false
    changes = FrozenChanges(states)
  }

  /// Takes over the frozen changes of the context.
  ///
  /// - Returns: Whether they differ from the changes that the last step has left.
  @discardableResult
  mutating func update(_ states: [StoreState]) -> Bool {
    let isChanged = !changes.areSame(in: states)
    let isElsewhere = !changes.haveSameBases
    if isElsewhere { isMoved = true }
    if isChanged || isElsewhere { changes = FrozenChanges(states) }
    return isChanged
  }
}
