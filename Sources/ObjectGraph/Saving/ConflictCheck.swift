import ObjectModel
import Rows
import StoreInterface

/// Compares a changed object with the newest commit of its store.
struct ConflictCheck {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Returns the conflict that a save of an object would find now, or `nil`.
  func conflict(of object: ManagedObject) throws -> MergeConflict? {
    workspace.checkPlace()
    workspace.requireOwn(object)
    guard !object.isInserted, let state = workspace.state(of: object), workspace.parent == nil
    else { return nil }
    try workspace.processPendingChanges()
    workspace.realize(object)
    let head = try state.persistent.store.snapshot()
    let changes = try state.changes()
    let (then, now) = (
      try View(changes.originalTables).row(of: object.key), try head.view.row(of: object.key)
    )
    let isKnown = try View(state.tables).row(of: object.key)?.version == now?.version
    if isKnown, try !changes.originals.mentions(object.key) { return nil }
    let mine = try state.view.row(of: object.key)
    if mine == nil, now == nil { return nil }
    return try MergeConflict(
      object.key, of: object.source.entity.graph, in: state.tag, base: then, mine: mine,
      theirs: now)
  }
}
