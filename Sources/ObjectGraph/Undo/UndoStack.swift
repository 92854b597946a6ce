public import Foundation
import ObjectModel
import Rows

/// Takes back what was done in a context, and does it again: insertions, changes, deletions with all that
/// they entail, and relationships of every kind.
///
///     context.undoStack = UndoStack()
///     trip.name = "Porto"
///     try context.processPendingChanges()
///     try context.undoStack?.undo()
///
/// What one turn of work does (`perform`, or what lies between two calls of
/// ``ManagedObjectContext/processPendingChanges()``) is one group and is taken back as one. Groups of your
/// own, which may be nested and have names, are made with ``group(_:_:)``.
///
/// Undoing makes changes as any other work does: it may reach back over saves, and is to be saved. Nothing
/// is copied when changes are recorded: a step keeps the changed rows and the rows beneath them, which never change.
/// Taking a step back is in conflict with a save of another context that has changed the same rows since.
/// Used in its context's turn, and in one context only.
public final class UndoStack {
  /// How many groups can be undone; 0 for any number.
  public var levels: Int {
    didSet { dropOldest() }
  }

  weak var workspace: Workspace?
  /// What can be undone, the oldest first.
  var undoStack: [UndoGroup] = []
  /// What can be done again, the next last.
  var redoStack: [UndoGroup] = []
  /// The groups that are being filled, the outermost first. Of one that opened by itself there is no other.
  var openGroups: [UndoGroup] = []
  /// Takes what undoing or redoing changes.
  var replayed: UndoGroup?
  var direction = Direction.forward
  /// Rows as the context knows them though no step has recorded them: its unrecorded changes, and rows that it has
  /// asked to see. Taking back an older step is in no conflict with them.
  private(set) var known: [KnownRows] = []
  /// The recorded steps, counted.
  private var steps = StepCounter()
  /// Whether the context is saving: what that changes belongs to what is there already.
  private var isSaving = false
  private var disableCount = 0
  private var lastNumber: UInt64 = 0
  /// What the state is called that undoing everything leads to.
  private var bottom: UInt64 = 0
  /// What the saved state is called.
  private var saved: UInt64?
  /// Whether something was changed since the last save that can't be undone.
  private var hasUnrecorded = false
  /// Whether the context has looked, since it saved, at what others have saved of what is changed in it.
  private(set) var isOvertaken = false
  /// Which way changes are being made.
  enum Direction {
    case forward, undoing, redoing
  }

  /// Nothing to undo yet.
  ///
  /// - Parameter levels: How many groups can be undone; 0 for any number.
  public init(levels: Int = 0) { self.levels = levels }
}

extension Notification.Name {
  /// There is something else to undo or to redo. The object is the ``UndoStack``.
  public static let undoStackDidChange = Notification.Name("UndoStackDidChange")
}

// MARK: - What there is

extension UndoStack {
  /// Whether there is anything to undo.
  public var canUndo: Bool {
    !undoStack.isEmpty || openGroups.contains { !$0.isEmpty } || hasUnsealedChanges
  }

  /// Whether there is anything to do again. Any new change is the end of that.
  public var canRedo: Bool { !redoStack.isEmpty && !hasUnsealedChanges }

  private var hasUnsealedChanges: Bool {
    guard let workspace, isEnabled else { return false }
    return workspace.hasUnprocessedChanges
  }

  /// How many groups can be undone, the open one not counted.
  public var undoCount: Int { undoStack.count }
  /// How many groups can be done again.
  public var redoCount: Int { redoStack.count }

  /// Whether changes are being undone.
  public var isUndoing: Bool { direction == .undoing }
  /// Whether changes are being done again.
  public var isRedoing: Bool { direction == .redoing }
  /// Whether changes are recorded.
  public var isEnabled: Bool { disableCount == 0 }
  /// How many groups of your own are open, one within the other.
  public var groupingLevel: Int { openGroups.count { !$0.isAutomatic } }

  /// What the work is called that ``undo()`` takes back.
  public var undoActionName: String? {
    openGroups.last { !$0.isEmpty || $0.name != nil }?.name ?? undoStack.last?.name
  }
  /// What the work is called that ``redo()`` does again.
  public var redoActionName: String? { redoStack.last?.name }

  /// Names what is being done, or was done last.
  public func setActionName(_ name: String) {
    checkPlace()
    try? workspace?.sealForUndo()
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
  /// Makes one group of what `body` does. A group within a group is part of it.
  ///
  ///     try undo.group("Rename") { trip.name = "Porto" }
  ///
  /// - Throws: What `body` throws; what it did until then is a group all the same.
  public func group<R>(_ name: String? = nil, _ body: () throws -> R) throws -> R {
    try beginGroup(name)
    let result: R
    do { result = try body() } catch {
      // The error of `body` is the one that the caller needs.
      try? endGroup()
      throw error
    }
    try endGroup()
    return result
  }

  /// Opens a group: what is done until ``endGroup()`` is undone as one.
  ///
  /// - Throws: What a damaged store throws.
  public func beginGroup(_ name: String? = nil) throws {
    checkPlace()
    try workspace?.sealForUndo()
    closeAutomaticGroup()
    openGroups.append(UndoGroup(nextNumber(), name: name))
  }

  /// Closes the group that was opened last.
  ///
  /// - Precondition: There is one.
  /// - Throws: What a damaged store throws.
  public func endGroup() throws {
    checkPlace()
    require(groupingLevel > 0, "No group of undo is open.")
    // The group closes after an error too: the next undo would stop the program otherwise.
    defer { close(openGroups.removeLast()) }
    try workspace?.sealForUndo()
  }

  /// Records something of the program's own, which is called when the group is undone.
  ///
  /// What `action` records in turn is called when the group is redone.
  public func registerUndo(_ action: @escaping () throws -> Void) {
    checkPlace()
    guard isEnabled else { return }
    // What was changed before comes before.
    try? workspace?.sealForUndo()
    add(.action(action))
  }

  /// Does something that is not recorded.
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

  /// Records nothing until ``enable()`` was called as often.
  ///
  /// - Throws: What a damaged store throws.
  public func disable() throws {
    checkPlace()
    try workspace?.sealForUndo()
    disableCount += 1
  }

  /// Records changes again.
  ///
  /// - Precondition: Recording was disabled.
  /// - Throws: What a damaged store throws.
  public func enable() throws {
    checkPlace()
    require(disableCount > 0, "Undo is enabled already.")
    defer { disableCount -= 1 }
    try workspace?.sealForUndo()
  }

  /// Forgets everything there is to undo and to redo. The objects stay as they are.
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

  /// Forgets the known rows that are older than every step.
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
      // What saving computes belongs to what it follows from.
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
  /// The name of the rows that the context shows (``Moments``).
  var moment: UInt64 { steps.moment }

  /// Returns the number of the next step, which leads to rows that were not shown before.
  func nextStep() -> UInt64 {
    steps.next()
  }

  /// Whether the context shows the rows that a step has led to.
  func isDirectlyAfter(_ step: UndoableLayer, in state: StoreState) -> Bool {
    step.moments.after == moment && step.moments.commit != nil
      && step.moments.commit == state.committedBase && state.isSettled
  }

  /// Notes that the last step has led back to the rows before another step.
  ///
  /// - Parameter count: The count of steps before the step was taken back. If the program has changed more meanwhile, the
  ///   rows are new.
  func noteReturn(to step: UndoableLayer, after count: UInt64) {
    guard lastStep == count + 1, let replayed, let last = replayed.steps.indices.last,
      case .layer(var back) = replayed.steps[last], back.number == lastStep
    else { return }
    steps.moment = step.moments.before
    back.moments.after = moment
    replayed.steps[last] = .layer(back)
  }

  /// Notes that a replay has changed more than its group, so that the position of the stack does not tell the state.
  func noteStrayChange() { hasUnrecorded = true }

  /// Notes changes of the context that are not recorded.
  func noteUnrecorded(_ layer: Layer, of store: PersistentStore) {
    hasUnrecorded = true
    known.append(KnownRows(number: nextStep(), store: store, rows: .changed(layer)))
    forgetKnown()
  }

  /// Notes that the context has asked to see all rows of a store.
  func noteSeenAll(in state: StoreState) { addSeen(nil, in: state) }

  /// Notes that the context has asked to see rows.
  func noteSeen(_ seen: SeenRows, in state: StoreState) {
    if !seen.keys.isEmpty { addSeen(seen.keys, in: state) }
    // Of a save on the context's behalf it has seen the values that the save gave.
    if !seen.ownSave.isEmpty { addKnown(.changed(seen.ownSave), of: state.persistent) }
  }

  /// - Parameter keys: The keys of the rows; `nil` for all rows.
  private func addSeen(_ keys: Set<ObjectKey>?, in state: StoreState) {
    // A program may refresh very many objects one after the other.
    if let keys, let last = known.indices.last, known[last].number == lastStep,
      known[last].addSeen(keys, of: state)
    {
      return
    }
    addKnown(
      .seen(View(state.tables), keys: keys, commit: state.committedBase),
      of: state.persistent)
  }

  private func addKnown(_ rows: KnownRows.Rows, of store: PersistentStore) {
    guard !undoStack.isEmpty || !redoStack.isEmpty || !openGroups.isEmpty else { return }
    known.append(KnownRows(number: nextStep(), store: store, rows: rows))
    forgetKnown()
  }

  /// A turn of work is over.
  func endTurn() { closeAutomaticGroup() }

  /// The context is about to save what was changed so far.
  func willSave() {
    closeAutomaticGroup()
    isSaving = true
  }

  /// The context has saved, or failed to.
  func didSave(_ isDone: Bool) {
    isSaving = false
    guard isDone else { return }
    hasUnrecorded = false
    isOvertaken = false
    saved = openGroups.contains { !$0.isEmpty } ? nil : position
  }

  /// The context has given up everything that was not saved, which can't be undone any more.
  func didRollBack() {
    removeAll()
    saved = position
    hasUnrecorded = false
    isOvertaken = false
  }

  /// Others have saved something else of what is changed, and the context has looked at that.
  func noteOvertaken() { isOvertaken = true }

  /// What the state is called that the context is in, when nothing is open.
  private var position: UInt64 { undoStack.last?.number ?? bottom }

  /// Whether the context is known to be as it was saved.
  var isAtSavedState: Bool { saved == position && !hasUnrecorded && openGroups.isEmpty }

  /// Notes which state the context is in before anything was changed in it.
  func attach(to workspace: Workspace) {
    require(
      self.workspace == nil || self.workspace === workspace,
      "An undo stack belongs to one context: what it undoes was done there.")
    self.workspace = workspace
    // The context may have changed while it had another stack.
    _ = nextStep()
    saved = workspace.hasChanges ? nil : position
  }
}
