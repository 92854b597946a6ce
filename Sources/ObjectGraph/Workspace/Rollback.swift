import ObjectModel
import Rows

/// Drops the changes of a workspace.
struct Rollback {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Drops all changes and notifies observers.
  func run() {
    dropChanges()
    workspace.announceChanges()
  }

  private func dropChanges() {
    workspace.checkPlace()
    let wasWorking = workspace.progress.beginWork()
    defer { workspace.progress.endWork(wasWorking) }
    workspace.undoStack?.didRollBack()
    let objects = workspace.drafts.takeChangedObjects()
    workspace.relationships.removeAll()
    workspace.marks.removeAll()
    workspace.observation.takeUnannounced()
    workspace.discardRows()
    // All objects show their saved values before the first hook is called, so that a change by a hook is kept as a new
    // change.
    var told: [ManagedObject] = []
    for object in objects {
      workspace.transients.remove(object.objectID)
      if object.state.contains(.inserted) {
        workspace.observation.recordEvent(
          object.objectID, wasThere: !object.state.contains(.deleted), isThere: false)
        object.source.entity.objects.remove(object.key.number)
        object.state.subtract([.inserted, .updated, .pending, .deletionToPropagate])
        object.state.insert([.deleted, .missing, .detached])
        continue
      }
      let wasThere = !object.state.contains(.deleted)
      object.state.subtract([.updated, .deleted, .pending, .deletionToPropagate])
      workspace.leadBack(object)
      workspace.observation.recordEvent(
        object.objectID, wasThere: wasThere, isThere: !object.state.contains(.missing))
      if !object.state.contains(.missing) { told.append(object) }
    }
    for object in told { object.awake(fromSnapshotEvents: .rollback) }
    workspace.publish()
    workspace.updateFollowers()
  }

  /// Drops all changes and detaches all objects.
  func reset() {
    workspace.checkPlace()
    dropChanges()
    var events = ObjectEvents()
    events.invalidatesAll = true
    for state in workspace.drafts.states {
      for entity in state.knownEntities {
        entity.objects.visit { object in
          events.invalidated.append(object.objectID)
          object.point(to: entity.unresolved, row: 0)
          object.state = [.missing, .deleted, .realized, .detached]
        }
        // Objects that the program holds may outlive the context.
        entity.detach()
      }
    }
    workspace.drafts.takeStates()
    workspace.transients.removeAll()
    workspace.objects.forgetLastTarget()
    workspace.observation.takeUnannounced()
    workspace.observation.setEvents(events)
    workspace.publish()
    workspace.announceChanges()
  }
}

extension Workspace {
  /// Discards the changed rows of all stores. Followers are notified of these rows later.
  func discardRows() {
    for state in drafts.states {
      for layer in state.pending { observation.following?.record(layer, in: state.tag) }
      state.discard()
    }
  }
}
