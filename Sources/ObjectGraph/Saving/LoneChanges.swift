import ObjectModel
import Rows
import StoreInterface

/// Decides whether a save may skip the commits that were made since its context last read the store.
///
/// A save is normally refused if it does not follow the newest commit, because its rules were checked against an older state.
/// If many programs save to one server, most saves would be refused and would begin again. Some saves need no such check: a
/// save that only changes attributes of existing objects, in entities without unique or derived values, has no rule that
/// depends on a second object. The store then compares only the versions of the changed rows, so no change is lost.
struct LoneChanges {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Returns whether the changes of a store stand alone. All drafts must be frozen.
  func standAlone(in state: StoreState) throws -> Bool {
    // A context whose other parts follow each commit must see the commits in between.
    guard state.persistent.features.isRemote, workspace.parent == nil, workspace.marks.isEmpty,
      workspace.pinned == nil,
      workspace.undoStack == nil, workspace.observation.following == nil, state.isSettled,
      state.mergedLanes == nil, state.base.layers.isEmpty, !state.graph.hasDerivations,
      workspace.drafts.states.filter(\.hasChanges).count == 1
    else { return false }
    let layer = try state.pendingLayer()
    guard try layer.entities.allSatisfy({ try areOfAttributes($0, state) }) else { return false }
    return try knowsNoOthers(than: layer, in: state)
  }

  /// Returns whether the changes only set attributes that no rule relates to other objects.
  private func areOfAttributes(
    _ changes: Layer.EntityChanges, _ state: StoreState
  ) throws -> Bool {
    guard changes.put.isEmpty, changes.removed.isEmpty,
      let entity = state.knownEntity(changes.entityNumber)?.graph,
      state.graph.uniqueness(of: entity).isEmpty, entity.constraints.propertyPredicates.isEmpty
    else { return false }
    for column in entity.layout.columns where column.kind == .reference {
      for block in changes.changed.blocks {
        guard let values = try block.column(column) else { continue }
        if (0..<block.rowCount).contains(where: { values.isGiven($0) }) { return false }
      }
    }
    return true
  }

  /// Returns whether the context shows only objects that it has changed. Another object would keep the row of the former
  /// commit, although the context moves to the new one.
  private func knowsNoOthers(than layer: Layer, in state: StoreState) throws -> Bool {
    var isAlone = true
    for entity in state.knownEntities {
      try entity.objects.visit { object in
        if isAlone, !object.source.isUnresolved, try !layer.mentions(object.key) { isAlone = false }
      }
    }
    return isAlone
  }
}
