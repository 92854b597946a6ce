import ObjectModel
import Rows
import StoreInterface

/// Marks objects of a workspace, and compares them with a commit or with the objects of the parent.
///
/// A save compares in its first step, and then requires that no commit comes in between: the store refuses the changes
/// otherwise, while it has its lock. So the comparison and the commit are one step for every other save.
struct MarkCheck {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  // MARK: Marking

  /// Marks an object. Its row is the one that the context shows now, even if a merge is waiting.
  func mark(_ object: ManagedObject) {
    workspace.checkPlace()
    workspace.requireOwn(object)
    guard !object.state.contains(.detached), let state = workspace.state(of: object) else { return }
    do {
      let row = try View(state.tables).row(of: object.key)
      workspace.marks.add(Marks.Mark(row: row), of: object.objectID)
    } catch { workspace.record(error) }
  }

  /// Bases the marks of some objects on the rows that the context shows now, because the program has asked to see them.
  ///
  /// - Parameter keys: The keys of the objects; `nil` for all objects of the store.
  func move(_ keys: Set<ObjectKey>? = nil, in state: StoreState) throws {
    for (key, _) in workspace.marks.of(state.tag) where keys?.contains(key) ?? true {
      let row = try View(state.tables).row(of: key)
      workspace.marks.move(ObjectID(store: state.tag, key: key), to: row)
    }
  }

  // MARK: With a store

  /// Returns the conflicts of the marked objects of one store with a commit of this store.
  ///
  /// Versions are compared and not values: a mark is also broken by a save that has restored the old values.
  func conflicts(of state: StoreState, with head: any StoreSnapshot) throws -> [MergeConflict] {
    let view = head.view
    return try workspace.marks.of(state.tag).compactMap { key, mark in
      let now = try view.row(of: key)
      if !mark.isBroken, try now?.version == mark.row?.version { return nil }
      return try conflict(key, mark, now, state)
    }
  }

  /// Checks the marks of a context that has nothing to save, and removes them. A child leaves the check to its parent.
  ///
  /// - Throws: ``ContextError`` with the conflicts.
  func run() throws {
    if workspace.marks.isEmpty { return }
    if let parent = workspace.parent {
      _ = try ParentChannel(workspace, parent).push(waits: true, isValidated: true)
      return
    }
    let states = try workspace.marks.stores.compactMap { try workspace.state(of: $0) }
    for _ in 0..<Workspace.mostRounds {
      var heads: [(state: StoreState, head: any StoreSnapshot)] = []
      var conflicts: [MergeConflict] = []
      for state in states {
        let head = try state.persistent.store.snapshot()
        try workspace.coordinator.checkModel(of: head, in: state.persistent)
        conflicts += try self.conflicts(of: state, with: head)
        heads.append((state, head))
      }
      guard conflicts.isEmpty else { throw ContextError(conflicts: conflicts) }
      if try areNewest(heads) { return workspace.marks.removeAll() }
    }
    throw ContextError(
      .conflict,
      "Marked objects of several stores were checked \(Workspace.mostRounds) times, and each time another save came in "
        + "between. Save again.")
  }

  /// Returns whether the stores had no newer commits at a moment after all of these were read.
  private func areNewest(_ heads: [(state: StoreState, head: any StoreSnapshot)]) throws -> Bool {
    let asked = heads.filter {
      $0.state.persistent.features.group != nil && !$0.state.persistent.isReadOnly
    }
    if !asked.isEmpty {
      // A document learns of the commits of other processes when it saves, so it is asked to save nothing.
      do {
        _ = try workspace.coordinator.commit(
          asked.map {
            ($0.state.persistent, workspace.request(Layer(), above: $0.head, in: $0.state))
          }, whenOrdered: {})
      } catch let error as StoreError where error.code == .overtaken { return false }
    }
    return try heads.count < 2
      || heads.allSatisfy { try $0.state.persistent.store.snapshot().commit == $0.head.commit }
  }

  // MARK: With the parent

  /// Throws the conflicts of the marks of a child with the objects that this workspace, its parent, shows.
  func refuse(_ marks: Marks) throws {
    var conflicts: [MergeConflict] = []
    for tag in marks.stores {
      guard let state = try workspace.state(of: tag) else { continue }
      for (key, mark) in marks.of(tag) where try differs(key, mark, state) {
        if let found = try conflict(key, mark, state.view.row(of: key), state) {
          conflicts.append(found)
        }
      }
    }
    guard conflicts.isEmpty else { throw ContextError(conflicts: conflicts) }
  }

  /// Takes over the marks of a child. A mark is then based on the row below this workspace's own changes, because the save
  /// of the child's object may still be to come.
  func adopt(_ marks: Marks) throws {
    for tag in marks.stores {
      guard let state = try workspace.state(of: tag) else { continue }
      for (key, mark) in marks.of(tag) {
        let isBroken = try differs(key, mark, state)
        let row = try isBroken ? mark.row : View(state.tables).row(of: key)
        workspace.marks.add(
          Marks.Mark(row: row, isBroken: isBroken), of: ObjectID(store: tag, key: key))
      }
    }
  }

  /// Returns whether the workspace shows an object with other values than the child did. Contexts of one family know one
  /// another's unsaved rows, which have no version.
  private func differs(_ key: ObjectKey, _ mark: Marks.Mark, _ state: StoreState) throws -> Bool {
    guard let entity = state.graph[key.entity] else { return false }
    return try mark.isBroken
      || ViewRow.differ(
        mark.row, state.view.row(of: key), in: entity.layout.columns,
        besides: entity.derivedColumns)
  }

  private func conflict(
    _ key: ObjectKey, _ mark: Marks.Mark, _ now: ViewRow?, _ state: StoreState
  ) throws -> MergeConflict? {
    guard let entity = state.graph[key.entity] else { return nil }
    var conflict = try MergeConflict(
      key, of: entity, in: state.tag, base: mark.row, mine: state.view.row(of: key), theirs: now)
    conflict.isMarked = true
    return conflict
  }
}
