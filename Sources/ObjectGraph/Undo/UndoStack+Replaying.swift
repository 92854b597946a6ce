import ObjectModel
import Rows

// Undo and redo. The stack undoes the steps of a group, the last step first. It records the resulting changes as a
// group for the opposite direction.
extension UndoStack {
  /// Undoes the last group. Does nothing if there is no group.
  ///
  /// The changes since the end of the last turn are a group on their own.
  ///
  /// - Precondition: No explicit group is open.
  /// - Returns: Whether there was a group.
  /// - Throws: The error of a damaged store; everything is as before then.
  @discardableResult
  public func undo() throws -> Bool {
    try prepareToReplay()
    guard let group = undoStack.last else { return false }
    let back = try replay(group, .undoing)
    undoStack.removeLast()
    redoStack.append(back)
    finishReplaying(isAtSavedState)
    return true
  }

  /// Redoes the group that was undone last. Does nothing if no group was undone.
  ///
  /// - Precondition: No explicit group is open.
  /// - Returns: Whether there was a group.
  /// - Throws: The error of a damaged store; everything is as before then.
  @discardableResult
  public func redo() throws -> Bool {
    try prepareToReplay()
    guard let group = redoStack.last else { return false }
    let back = try replay(group, .redoing)
    redoStack.removeLast()
    undoStack.append(back)
    dropOldest()
    // If another context has saved other values of these objects since, the redone changes must be saved again.
    finishReplaying(isAtSavedState && !isOvertaken)
    return true
  }

  /// Undoes the changes of the innermost open explicit group so far, or the last closed group within it. These changes
  /// can't be redone.
  ///
  /// - Returns: Whether there was anything to undo.
  /// - Throws: The error of a damaged store.
  @discardableResult
  public func undoNestedGroup() throws -> Bool {
    checkPlace()
    require(direction == .forward, "An undo or redo is in progress: wait until it ends.")
    try workspace?.sealForUndo()
    guard let open = openGroups.last, let last = open.steps.last else { return false }
    let nested: UndoGroup
    if case .group(let group) = last {
      nested = group
      open.steps.removeLast()
    } else {
      nested = UndoGroup(open.number)
      nested.steps = open.steps
      open.steps = []
    }
    _ = try replay(nested, .undoing)
    finishReplaying(isAtSavedState)
    return true
  }

  /// Takes back the changes of the innermost open explicit group, and ends the group. These changes can't be redone.
  ///
  /// If the context is in its saved state then, nothing is left to save.
  ///
  /// - Throws: The error of a damaged store. The group is ended then, with its changes.
  package func cancelGroup() throws {
    do { try undoNestedGroup() } catch {
      try? endGroup()
      throw error
    }
    try endGroup()
    if isAtSavedState { finishReplaying(true) }
  }

  private func prepareToReplay() throws {
    checkPlace()
    require(direction == .forward, "An undo or redo is in progress: wait until it ends.")
    require(groupingLevel == 0, "An undo group is open: end it before you undo or redo.")
    try workspace?.processPendingChanges()
    endTurn()
  }

  /// Undoes a group, and returns the group that redoes it.
  private func replay(_ group: UndoGroup, _ direction: Direction) throws -> UndoGroup {
    self.direction = direction
    defer {
      self.direction = .forward
      replayed = nil
    }
    let back = UndoGroup(group.number, name: group.name)
    replayed = back
    do {
      try takeBack(group)
    } catch {
      // A replay that fails halfway is reverted.
      let done = back.steps
      replayed = UndoGroup(group.number)
      for step in done.reversed() { try? takeBack(step) }
      throw error
    }
    return back
  }

  private func takeBack(_ group: UndoGroup) throws {
    for step in group.steps.reversed() { try takeBack(step) }
  }

  private func takeBack(_ step: UndoStep) throws {
    switch step {
    case .layer(let layer):
      guard let workspace, let state = workspace.drafts.state(of: layer.store) else { return }
      let back = try layer.inverse()
      // Nothing has happened since the step, so its inverse needs no rebase.
      let isExact = isDirectlyAfter(layer, in: state)
      let count = lastStep
      var changes = Changes(base: state.shown, layer: back)
      if !isExact {
        changes.originals = try originals(of: layer, back, in: state)
      } else if state.pending.isEmpty, !layer.inverseStatesVersions {
        // Neither a rebase nor earlier changes state the versions of the rows below.
        changes.layer = try back.based(on: View(state.tables), state.graph.schema)
      }
      // Only an undo ignores references to the objects that it deletes. If a deletion is redone, the same references
      // deny it as the first time.
      if direction == .undoing { changes.lastReferences = try layer.noReferences() }
      try Take(workspace, state, events: .undo).run(changes, isAged: !isExact)
      if isExact { recordReturn(to: layer, after: count) }
      try workspace.sealForUndo()
      // Objects have made more changes when they were notified of the replay.
      if lastStep > count + 1 { recordStrayChange() }
    case .transient(let id, let property, let value):
      guard let workspace, let state = try? workspace.state(of: id.store) else { return }
      let changes = Changes(
        base: state.shown, layer: Layer(), transients: [id.key: [property: value]])
      try Take(workspace, state, events: .undo).run(changes)
    case .action(let action):
      try action()
      try workspace?.sealForUndo()
    case .group(let group): try takeBack(group)
    }
  }

  /// Returns a layer above the rows that the context shows. It restores the rows as the step left them, where another
  /// save has replaced them since.
  private func originals(
    of step: UndoableLayer, _ back: Layer, in state: StoreState
  ) throws -> Layer {
    let (base, shown) = (View(state.tables), state.view)
    let builder = LayerBuilder(state.graph.schema)
    for changes in back.entities {
      guard let graph = state.graph[changes.entityNumber] else { continue }
      let derived = graph.derivedColumns
      for one in try changes.entries() {
        let key = ObjectKey(entity: changes.entityNumber, number: one.key)
        guard let saved = try base.row(of: key), let now = try shown.row(of: key) else { continue }
        guard let expected = try expectedRow(key, after: step) else {
          builder.remove(key)
          continue
        }
        for (index, column) in graph.layout.columns.enumerated() where !derived.contains(index) {
          if case .changed(let location) = one.entry,
            try location.block.value(column, row: location.row) == nil
          {
            continue
          }
          guard let value = try expected.value(column) else { continue }
          let current = try now.value(column)
          // A value that the context itself has set was not replaced by another save.
          if try current == value || saved.value(column) != current { continue }
          builder.set(value, column: index, of: key)
        }
      }
    }
    return builder.freeze()
  }

  /// Returns the row as it is if only this context has changed it since a step; `nil` if the row does not exist then.
  private func expectedRow(
    _ key: ObjectKey, after step: UndoableLayer
  ) throws -> ExpectedRow? {
    var row = ExpectedRow(key, after: try step.done.entry(of: key))
    for known in known.reversed() where known.store === step.store {
      if known.number < step.number || row.isComplete { break }
      switch known.rows {
      case .changed(let layer): row.add(try layer.entry(of: key))
      case .seen(let view, let keys, _, let own):
        if keys?.contains(key) ?? true { try row.addSeen(view.row(of: key), beneath: own) }
      }
    }
    row.addStep()
    return row.exists ? row : nil
  }

  /// Processes the changes of a replay.
  ///
  /// - Parameter isNothing: Whether the context is known to be in its saved state, so that no change is left to save.
  private func finishReplaying(_ isNothing: Bool) {
    if isNothing { workspace?.forgetUndoneChanges() }
    do { try workspace?.processPendingChanges() } catch { workspace?.record(error) }
    tell()
  }
}

extension SnapshotEvents {
  /// The events that undoing and redoing may cause for an object.
  static let undo: SnapshotEvents = [.undoInsertion, .undoDeletion, .undoUpdate]

  /// Returns the events without the undo events, except the given one.
  func narrowed(to event: SnapshotEvents) -> SnapshotEvents {
    subtracting(SnapshotEvents.undo.subtracting(event))
  }
}
