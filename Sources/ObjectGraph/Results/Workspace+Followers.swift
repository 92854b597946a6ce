// The followers of fetched results.
extension Workspace {
  /// Notifies the followers of fetched results of all changes. All drafts must be frozen.
  func updateFollowers() {
    guard let following = observation.following else { return }
    observation.forgetGoneFollowers()
    if following.isEmpty { return }
    // A follower may change objects, and the next round notifies the followers of these changes.
    for _ in 0..<Workspace.mostRounds {
      let hasChanged = following.update(
        drafts.states, coordinator.stores, report: record)
      guard hasChanged else { return }
      do {
        try propagateDeletionsOrThrow()
        try sealAll()
      } catch { return record(error) }
      publish()
      announceChanges()
    }
  }

  /// Processes all changes, so that a follower may begin to follow some stores.
  func beginFollowing(_ stores: [StoreState]) throws -> ResultsFollowing {
    let following = observation.follow(coordinator.stores)
    for state in stores { try advance(state) }
    try processPendingChanges()
    updateFollowers()
    for state in stores { following.watch(state) }
    return following
  }
}
