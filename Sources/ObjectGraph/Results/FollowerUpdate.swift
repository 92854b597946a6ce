/// Notifies the followers of fetched results of the changes in a workspace.
struct FollowerUpdate {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Notifies the followers of all changes. All drafts must be frozen.
  func run() {
    guard let following = workspace.observation.following else { return }
    workspace.observation.forgetGoneFollowers()
    if following.isEmpty { return }
    // A follower may change objects, and the next round notifies the followers of these changes.
    for _ in 0..<Workspace.mostRounds {
      let hasChanged = following.update(
        workspace.drafts.states, workspace.coordinator.stores, note: workspace.note)
      guard hasChanged else { return }
      do {
        try workspace.propagateDeletionsOrThrow()
        try workspace.sealAll()
      } catch { return workspace.note(error) }
      workspace.publish()
      workspace.announceChanges()
    }
  }

  /// Processes all changes, so that a follower may begin to follow some stores.
  func begin(_ stores: [StoreState]) throws -> ResultsFollowing {
    let following = workspace.observation.follow(workspace.coordinator.stores)
    for state in stores { try workspace.advance(state) }
    try workspace.processPendingChanges()
    run()
    for state in stores { following.watch(state) }
    return following
  }
}

extension Workspace {
  /// Notifies the followers of fetched results of all changes. All drafts must be frozen.
  func updateFollowers() { FollowerUpdate(self).run() }
}
