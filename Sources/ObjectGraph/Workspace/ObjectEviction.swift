import ObjectModel

/// Evicts the objects that only the workspace holds, once there are many.
struct ObjectEviction {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Evicts unused objects if the number of registered objects has doubled since the last eviction.
  func runIfNeeded() {
    for state in workspace.drafts.states {
      for entity in state.knownEntities { entity.forgetPassingSources() }
    }
    if workspace.settings.retainsRegisteredObjects { return }
    let count = workspace.drafts.states.reduce(0) {
      $0 + $1.knownEntities.reduce(0) { $0 + $1.objects.count }
    }
    guard count > workspace.evictionThreshold else { return }
    run()
  }

  /// Evicts the unchanged objects that the program does not hold, and the transient values kept for them.
  func run() {
    var count = 0
    var gone: [ManagedObject] = []
    for state in workspace.drafts.states {
      state.forgetLists()
      for entity in state.knownEntities {
        entity.objects.sweep(into: &gone)
        count += entity.objects.count
      }
    }
    // The objects end here. Their deinitializers may use every table.
    gone = []
    workspace.evictionThreshold = max(4096, count * 2)
    workspace.transients.evict { isKnown($0) }
    workspace.relationships.forgetPlaces { isKnown($0) }
  }

  private func isKnown(_ id: ObjectID) -> Bool {
    let entity = workspace.drafts.state(of: id.store)?.entity(id.key.entity, workspace)
    return entity?.known(id.key.number) != nil
  }
}

extension Workspace {
  /// Evicts unused objects if the number of registered objects has doubled since the last eviction.
  func sweepIfNeeded() { ObjectEviction(self).runIfNeeded() }

  /// Evicts the unchanged objects that the program does not hold.
  func sweep() { ObjectEviction(self).run() }
}
