import ObjectModel
import Rows

// Undoing and redoing: the steps of a group are taken back, the last first, and what that changes is
// recorded as the group that leads the other way.
extension UndoStack {
  /// Takes back the last group. Nothing happens when there is none.
  ///
  /// What was changed since the last turn ended is a group by itself.
  ///
  /// - Precondition: No group of your own is open.
  /// - Returns: Whether there was one.
  /// - Throws: What a damaged store throws; everything is as it was then.
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

  /// Does again what was undone last. Nothing happens when there is nothing.
  ///
  /// - Precondition: No group of your own is open.
  /// - Returns: Whether there was something.
  /// - Throws: What a damaged store throws; everything is as it was then.
  @discardableResult
  public func redo() throws -> Bool {
    try prepareToReplay()
    guard let group = redoStack.last else { return false }
    let back = try replay(group, .redoing)
    redoStack.removeLast()
    undoStack.append(back)
    dropOldest()
    // What others have saved of the same since was not there when it was done first.
    finishReplaying(isAtSavedState && !isOvertaken)
    return true
  }

  /// Takes back what the innermost open group of your own did so far, or the last group within it that is
  /// closed. It can't be done again.
  ///
  /// - Returns: Whether there was anything.
  /// - Throws: What a damaged store throws.
  @discardableResult
  public func undoNestedGroup() throws -> Bool {
    checkPlace()
    require(direction == .forward, "Undoing can't be undone while it goes on.")
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

  private func prepareToReplay() throws {
    checkPlace()
    require(direction == .forward, "Undoing can't be undone while it goes on.")
    require(groupingLevel == 0, "A group is open: end it before you undo or redo.")
    try workspace?.processPendingChanges()
    endTurn()
  }

  /// Takes back what a group did, and gives the group that does it again.
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
      // Halfway is nowhere.
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
      guard let workspace, let state = workspace.knownState(of: layer.store) else { return }
      let back = try layer.inverse()
      // Nothing has happened since the step, so its inverse needs no rebase.
      let isExact = isDirectlyAfter(layer, in: state)
      let count = lastStep
      var changes = Changes(base: state.shown, layer: back)
      if !isExact { changes.originals = try originals(of: layer, back, in: state) }
      // A deletion that is done again is denied as it was.
      if direction == .undoing { changes.lastReferences = try layer.noReferences() }
      try Take(workspace, state, events: .undo).run(changes, isAged: !isExact)
      if isExact { noteReturn(to: layer, after: count) }
      try workspace.sealForUndo()
      // An object that was told of the change has changed more.
      if lastStep > count + 1 { noteStrayChange() }
    case .transient(let id, let property, let value):
      workspace?.restoreTransientValue(value, of: id, property)
    case .action(let action):
      try action()
      try workspace?.sealForUndo()
    case .group(let group): try takeBack(group)
    }
  }

  /// Returns the rows that a step left behind, where another save has replaced them since: a layer above the rows that
  /// the context shows.
  private func originals(
    of step: UndoableLayer, _ back: Layer, in state: StoreState
  ) throws -> Layer {
    let (base, shown) = (View(state.tables), View(state.tables + state.pending))
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
          guard let value = try expected(column) else { continue }
          let current = try now.value(column)
          // A value that the context itself has set is no other save's.
          if try current == value || saved.value(column) != current { continue }
          builder.set(value, column: index, of: key)
        }
      }
    }
    return builder.freeze()
  }

  /// Returns the values that a row has if only this context has changed it since a step; `nil` if there is no row then.
  private func expectedRow(
    _ key: ObjectKey, after step: UndoableLayer
  ) throws -> ((LayoutColumn) throws -> Value?)? {
    let later = known.filter { $0.number > step.number && $0.store === step.store }
    var locations: [RowLocation] = []
    for rows in later.reversed().map(\.rows) + [.changed(step.done)] {
      switch rows {
      case .seen(let view, let keys, _):
        if let keys, !keys.contains(key) { continue }
        guard let row = try view.row(of: key) else {
          return locations.isEmpty ? nil : { _ in nil }
        }
        return { try ViewRow(locations: locations + row.locations).value($0) }
      case .changed(let layer):
        switch try layer.entry(of: key) {
        case .absent: continue
        case .removed: return locations.isEmpty ? nil : { _ in nil }
        case .put(let location), .changed(let location): locations.append(location)
        }
      }
    }
    return { column in
      for location in locations {
        if let value = try location.block.value(column, row: location.row) { return value }
      }
      return nil
    }
  }

  /// - Parameter isNothing: Whether all changes are known to come to nothing.
  private func finishReplaying(_ isNothing: Bool) {
    if isNothing { workspace?.forgetUndoneChanges() }
    do { try workspace?.processPendingChanges() } catch { workspace?.note(error) }
    tell()
  }
}

extension SnapshotEvents {
  /// What undoing and redoing may do to an object.
  static let undo: SnapshotEvents = [.undoInsertion, .undoDeletion, .undoUpdate]

  /// These events, and of those of undoing no others than the given one.
  func narrowed(to event: SnapshotEvents) -> SnapshotEvents {
    subtracting(SnapshotEvents.undo.subtracting(event))
  }
}
