public import Foundation
import ObjectModel
import Rows

/// Undoes and redoes the changes of a context: insertions, updates, deletions with all their consequences, and
/// relationships of every kind.
///
///     context.undoStack = UndoStack()
///     trip.name = "Porto"
///     try context.processPendingChanges()
///     try context.undoStack?.undo()
///
/// A ``FetchedResults`` list and all observers follow an undo as they follow any change. To go back over saves of earlier
/// sessions, use the versions of a document: this stack ends with its context.
///
/// The changes of one turn of work are one group and are undone together. A turn is one `perform`, or the work between
/// two calls of ``ManagedObjectContext/processPendingChanges()``. ``group(_:_:)`` makes explicit groups, which may be
/// nested and have names.
///
/// Undoing makes ordinary changes: undo may reach back over saves, and its result needs a save. Recording copies no
/// rows: a step keeps the changed rows and the rows below them, which never change. Undoing a step is in conflict
/// with a later save of another context that has changed the same rows. Used in its context's turn, and in one context
/// only.
public final class UndoStack {
  /// The maximum number of groups that can be undone; 0 for any number.
  public var levels: Int {
    didSet { dropOldest() }
  }

  weak var workspace: Workspace?
  /// The groups that can be undone, the oldest first.
  var undoStack: [UndoGroup] = []
  /// The groups that can be redone, the next group last.
  var redoStack: [UndoGroup] = []
  /// The groups that are being filled, the outermost first. An automatic group is the only open group.
  var openGroups: [UndoGroup] = []
  /// The group that records the changes of the current undo or redo.
  var replayed: UndoGroup?
  var direction = Direction.forward
  /// Rows that the context knows though no step has recorded them: its unrecorded changes, and rows that it has asked
  /// to see. Undoing an older step is in no conflict with these rows.
  private(set) var known: [KnownRows] = []
  /// The counter of the recorded steps.
  private var steps = StepCounter()
  /// Whether the context is saving. The values that a save computes are added to the last group.
  private var isSaving = false
  private var disableCount = 0
  private var lastNumber: UInt64 = 0
  /// The number of the state before the first group that can be undone.
  private var bottom: UInt64 = 0
  /// The number of the saved state; `nil` if no number stands for that state.
  private var saved: UInt64?
  /// Whether the context has changed since the last save in a way that can't be undone.
  private var hasUnrecorded = false
  /// Whether a rebase since the last save has found that another context saved other values of properties that are
  /// changed here.
  private(set) var isOvertaken = false
  /// The direction in which changes are being made.
  enum Direction {
    case forward, undoing, redoing
  }

  /// Creates an empty stack.
  ///
  /// - Parameter levels: The maximum number of groups that can be undone; 0 for any number.
  public init(levels: Int = 0) { self.levels = levels }
}

extension Notification.Name {
  /// The groups to undo or to redo have changed. The object of the notification is the ``UndoStack``.
  public static let undoStackDidChange = Notification.Name("UndoStackDidChange")
}

// MARK: - State of the stack

extension UndoStack {
  /// Whether there is anything to undo.
  public var canUndo: Bool {
    !undoStack.isEmpty || openGroups.contains { !$0.isEmpty } || hasUnsealedChanges
  }

  /// Whether there is anything to redo. Any new change ends this.
  public var canRedo: Bool { !redoStack.isEmpty && !hasUnsealedChanges }

  private var hasUnsealedChanges: Bool {
    guard let workspace, isEnabled else { return false }
    return workspace.hasUnprocessedChanges
  }

  /// The number of groups that can be undone, without the open group.
  public var undoCount: Int { undoStack.count }
  /// The number of groups that can be redone.
  public var redoCount: Int { redoStack.count }

  /// Whether changes are being undone.
  public var isUndoing: Bool { direction == .undoing }
  /// Whether changes are being redone.
  public var isRedoing: Bool { direction == .redoing }
  public var isEnabled: Bool { disableCount == 0 }
  /// The number of open explicit groups, each nested in the group before.
  public var groupingLevel: Int { openGroups.count { !$0.isAutomatic } }

  /// The name of the group that ``undo()`` undoes.
  public var undoActionName: String? {
    openGroups.last { !$0.isEmpty || $0.name != nil }?.name ?? undoStack.last?.name
  }
  /// The name of the group that ``redo()`` redoes.
  public var redoActionName: String? { redoStack.last?.name }

  /// Names the open group, or else the last group.
  public func setActionName(_ name: String) {
    checkPlace()
    sealNotingErrors()
    if let open = openGroups.last {
      open.name = name
    } else {
      undoStack.last?.name = name
    }
  }

  func checkPlace() { workspace?.checkPlace() }
}

// MARK: - Groups

extension UndoStack {
  /// Records the changes of `body` as one group. A group within a group is part of the outer group.
  ///
  ///     try undo.group("Rename") { trip.name = "Porto" }
  ///
  /// - Throws: The error of `body`. The changes up to the error are a group all the same.
  public func group<R>(_ name: String? = nil, _ body: () throws -> R) throws -> R {
    try beginGroup(name)
    let result: R
    do { result = try body() } catch {
      // The caller needs the error of `body`, so an error of `endGroup()` is ignored.
      try? endGroup()
      throw error
    }
    try endGroup()
    return result
  }

  /// Opens a group. The changes until ``endGroup()`` are undone together.
  ///
  /// - Throws: The error of a damaged store.
  public func beginGroup(_ name: String? = nil) throws {
    checkPlace()
    try workspace?.sealForUndo()
    closeAutomaticGroup()
    openGroups.append(UndoGroup(nextNumber(), name: name))
  }

  /// Closes the group that was opened last.
  ///
  /// - Precondition: A group is open.
  /// - Throws: The error of a damaged store.
  public func endGroup() throws {
    checkPlace()
    require(groupingLevel > 0, "No undo group is open.")
    // The group closes after an error too, because the next undo would stop the program otherwise.
    defer { close(openGroups.removeLast()) }
    try workspace?.sealForUndo()
  }

  /// Records an action of the program, which is called when the group is undone.
  ///
  /// Actions that `action` registers in turn are called when the group is redone.
  public func registerUndo(_ action: @escaping () throws -> Void) {
    checkPlace()
    guard isEnabled else { return }
    // Earlier changes are recorded before the action.
    sealNotingErrors()
    add(.action(action))
  }

  /// Runs `body` without recording its changes.
  public func withoutUndo<R>(_ body: () throws -> R) throws -> R {
    try disable()
    let result: R
    do { result = try body() } catch {
      try enable()
      throw error
    }
    try enable()
    return result
  }

  /// Stops recording until ``enable()`` has been called as often as this method.
  ///
  /// - Throws: The error of a damaged store.
  public func disable() throws {
    checkPlace()
    try workspace?.sealForUndo()
    disableCount += 1
  }

  /// Records changes again.
  ///
  /// - Precondition: Recording is disabled.
  /// - Throws: The error of a damaged store.
  public func enable() throws {
    checkPlace()
    require(disableCount > 0, "Undo is enabled already.")
    defer { disableCount -= 1 }
    try workspace?.sealForUndo()
  }

  /// Removes all groups to undo and to redo. The objects stay as they are.
  public func removeAll() {
    if openGroups.contains(where: { !$0.isEmpty }) { hasUnrecorded = true }
    bottom = position
    undoStack = []
    redoStack = []
    known = []
    for group in openGroups { group.steps = [] }
    openGroups.removeAll(where: \.isAutomatic)
    tell()
  }

  /// Records the changes so far. The next call that can throw reports an error of a damaged store.
  private func sealNotingErrors() {
    do { try workspace?.sealForUndo() } catch { workspace?.record(error) }
  }

  private func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  private func closeAutomaticGroup() {
    guard let only = openGroups.last, only.isAutomatic else { return }
    openGroups.removeLast()
    close(only)
  }

  private func close(_ group: UndoGroup) {
    guard !group.isEmpty else { return }
    if let outer = openGroups.last {
      outer.steps.append(.group(group))
    } else {
      undoStack.append(group)
      dropOldest()
      tell()
    }
  }

  func dropOldest() {
    guard levels > 0, undoStack.count > levels else { return }
    let count = undoStack.count - levels
    bottom = undoStack[count - 1].number
    undoStack.removeFirst(count)
    forgetKnown()
  }

  /// Releases the known rows that are older than every step.
  private func forgetKnown() {
    let oldest = (undoStack + redoStack + openGroups).compactMap(\.firstStep).min() ?? .max
    known.removeAll { $0.number < oldest }
  }

  func tell() {
    NotificationCenter.default.post(name: .undoStackDidChange, object: self)
  }
}

// MARK: - Recording

extension UndoStack {
  func add(_ step: UndoStep) {
    if let replayed {
      replayed.steps.append(step)
      return
    }
    if isSaving, openGroups.isEmpty {
      // The values that a save computes belong to the group of the changes that caused them.
      if let last = undoStack.last {
        last.steps.append(step)
      } else {
        hasUnrecorded = true
      }
      return
    }
    if !isSaving { redoStack = [] }
    if openGroups.isEmpty { openGroups = [UndoGroup(nextNumber(), isAutomatic: true)] }
    openGroups[openGroups.count - 1].steps.append(step)
  }

  /// The number of the last step.
  var lastStep: UInt64 { steps.last }
  /// The number that stands for the rows that the context shows (``Moments``).
  var moment: UInt64 { steps.moment }

  /// Returns the number of the next step, which leads to rows that were not shown before.
  func nextStep() -> UInt64 {
    steps.next()
  }

  /// Whether the context shows the rows right after a step.
  func isDirectlyAfter(_ step: UndoableLayer, in state: StoreState) -> Bool {
    step.moments.after == moment && step.moments.commit != nil
      && step.moments.commit == state.committedBase && state.isSettled
  }

  /// Records that the last step is the exact inverse of another step, so that the context shows the rows from before
  /// that step again.
  ///
  /// - Parameter count: The number of steps when the replay began. If more than one step was recorded since, the rows
  ///   are new.
  func recordReturn(to step: UndoableLayer, after count: UInt64) {
    guard lastStep == count + 1, let replayed, let last = replayed.steps.indices.last,
      case .layer(let back) = replayed.steps[last], back.number == lastStep
    else { return }
    steps.moment = step.moments.before
    replayed.steps[last] = .layer(back.asInverse(of: step))
  }

  /// Records that a replay has changed more than its group, so that the position of the stack does not determine the
  /// state.
  func recordStrayChange() { hasUnrecorded = true }

  /// Records changes of the context that no step contains.
  func recordUnrecorded(_ layer: Layer, of store: PersistentStore) {
    hasUnrecorded = true
    known.append(KnownRows(number: nextStep(), store: store, rows: .changed(layer)))
    forgetKnown()
  }

  /// Records that the context has asked to see all rows of a store. Its changes stay above them.
  func recordSeenAll(in state: StoreState) { addSeen(nil, in: state, beneath: state.pending) }

  /// Records that the context has dropped its changes of a row, and so asked to see the saved row.
  func recordDropped(_ key: ObjectKey, in state: StoreState) {
    addSeen([key], in: state, beneath: [])
  }

  /// Records that the context has asked to see rows. Its changes stay above them.
  func recordSeen(_ seen: SeenRows, in state: StoreState) {
    if !seen.keys.isEmpty { addSeen(seen.keys, in: state, beneath: state.pending) }
    // The context has seen the values that its own batch has saved.
    if !seen.ownSave.isEmpty { addKnown(.changed(seen.ownSave), of: state.persistent) }
  }

  /// - Parameter keys: The keys of the rows; `nil` for all rows.
  private func addSeen(_ keys: Set<ObjectKey>?, in state: StoreState, beneath own: [Layer]) {
    // A program may refresh very many objects one after another, so their keys share one entry.
    if let keys, let last = known.indices.last, known[last].number == lastStep,
      known[last].addSeen(keys, of: state, beneath: own)
    {
      return
    }
    addKnown(
      .seen(View(state.tables), keys: keys, commit: state.committedBase, own: own),
      of: state.persistent)
  }

  private func addKnown(_ rows: KnownRows.Rows, of store: PersistentStore) {
    guard !undoStack.isEmpty || !redoStack.isEmpty || !openGroups.isEmpty else { return }
    known.append(KnownRows(number: nextStep(), store: store, rows: rows))
    forgetKnown()
  }

  /// Closes the group of the turn that has ended.
  func endTurn() { closeAutomaticGroup() }

  /// Closes the group of the turn before the context saves.
  func willSave() {
    closeAutomaticGroup()
    isSaving = true
  }

  /// Records the saved state after a save.
  ///
  /// - Parameter isDone: Whether the save has succeeded.
  func didSave(_ isDone: Bool) {
    isSaving = false
    guard isDone else { return }
    hasUnrecorded = false
    isOvertaken = false
    saved = openGroups.contains { !$0.isEmpty } ? nil : position
  }

  /// Clears the stack after the context has discarded all unsaved changes, which can't be undone any more.
  func didRollBack() {
    removeAll()
    saved = position
    hasUnrecorded = false
    isOvertaken = false
  }

  /// Records that a rebase has found saves by another context of objects that are changed here.
  func recordOvertaken() { isOvertaken = true }

  /// The number of the context's state while no group is open.
  private var position: UInt64 { undoStack.last?.number ?? bottom }

  /// Whether the context is certainly in the state of its last save.
  var isAtSavedState: Bool { saved == position && !hasUnrecorded && openGroups.isEmpty }

  /// Attaches the stack to a context, and records whether the context is in its saved state.
  func attach(to workspace: Workspace) {
    require(
      self.workspace == nil || self.workspace === workspace,
      "The undo stack belongs to another context.")
    self.workspace = workspace
    // The context may have changed while it had another stack.
    _ = nextStep()
    saved = workspace.hasChanges ? nil : position
  }
}
