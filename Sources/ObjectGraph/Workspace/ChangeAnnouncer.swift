import Foundation
import ObjectModel
import Rows

/// Notifies the observers of a context of its changes and saves.
struct ChangeAnnouncer {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Notifies observers of the changes that were frozen since the last notification.
  func postChanges() {
    guard !workspace.observation.unannounced.isEmpty else { return }
    let changes = workspace.observation.takeUnannounced()
    do {
      var merged: [StoreTag: Layer] = [:]
      for (tag, layers) in changes.layers {
        guard let schema = workspace.coordinator.store(of: tag)?.graph.schema else { continue }
        merged[tag] = try Layer.merged(layers, schema: schema)
      }
      post(.changed, merged, changes.events)
    } catch { workspace.record(error) }
    workspace.observation.tracked?.announceDifferences()
  }

  /// Posts a change to streams and to the notification centre, and returns it.
  @discardableResult
  func post(
    _ kind: ContextChange.Kind, _ layers: [StoreTag: Layer],
    _ events: ObjectEvents = ObjectEvents()
  ) -> ContextChange {
    let change = ContextChange(
      kind: kind, contextName: workspace.settings.name,
      author: workspace.settings.transactionAuthor, layers: layers,
      events: events,
      linkTables: workspace.coordinator.linkTables)
    workspace.observation.streams.yield(change)
    NotificationCenter.default.post(
      name: kind == .saved
        ? .managedObjectContextDidSave : .managedObjectContextObjectsDidChange,
      object: workspace.face.context, userInfo: [ContextChange.userInfoKey: change])
    return change
  }

  /// Posts to the notification centre that the context will save.
  func postSaving() {
    NotificationCenter.default.post(
      name: .managedObjectContextWillSave, object: workspace.face.context)
  }
}

extension Workspace {
  /// Notifies observers of the changes that were frozen since the last notification.
  func announceChanges() { ChangeAnnouncer(self).postChanges() }

  /// Notifies observers of layers that were changed or saved, and returns the change.
  @discardableResult
  func tell(_ kind: ContextChange.Kind, _ layers: [StoreTag: Layer]) -> ContextChange {
    ChangeAnnouncer(self).post(kind, layers)
  }

  /// Notifies observers that the context will save.
  func announceSaving() { ChangeAnnouncer(self).postSaving() }
}
