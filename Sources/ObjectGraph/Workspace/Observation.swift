import ObjectModel
import Rows

/// The observers of a context, and the changes that have not been posted to them yet.
struct Observation {
  /// The streams of changes and saves.
  let streams = StreamHub<ContextChange>()
  /// The observers of fetched results; `nil` when there are none.
  private(set) var following: ResultsFollowing?
  /// The properties that Swift's Observation tracks; `nil` until the program reads an object that may be tracked.
  private(set) var tracked: TrackedProperties?
  /// The changes that were frozen, and the refreshed objects, since observers were last notified.
  private(set) var unannounced = UnannouncedChanges()

  // MARK: Changes

  /// Records changes that were frozen.
  mutating func recordFrozen(_ layer: Layer, in tag: StoreTag) {
    unannounced.layers[tag, default: []].append(layer)
    following?.record(layer, in: tag)
  }

  /// Records that the context shows an object that it has not changed itself in another state.
  ///
  /// - Parameters:
  ///   - wasThere: Whether the context showed the object before.
  ///   - isThere: Whether the context shows the object now.
  mutating func recordEvent(_ id: ObjectID, wasThere: Bool, isThere: Bool) {
    unannounced.events.add(id, wasThere: wasThere, isThere: isThere)
  }

  mutating func recordRefreshed(_ id: ObjectID) { unannounced.events.refreshed.append(id) }

  /// Records objects that a merge has inserted or deleted, and that are not registered.
  mutating func recordMerged(inserted: [ObjectID], deleted: [ObjectID]) {
    unannounced.events.inserted += inserted
    unannounced.events.deleted += deleted
  }

  /// Replaces the events, after work that observers are not to be notified of.
  mutating func setEvents(_ events: ObjectEvents) { unannounced.events = events }

  /// Removes the changes that have not been posted, and returns them.
  @discardableResult
  mutating func takeUnannounced() -> UnannouncedChanges {
    defer { unannounced = UnannouncedChanges() }
    return unannounced
  }

  // MARK: Observers

  /// Begins to record changes for the observers of fetched results, unless that has begun.
  mutating func follow(_ stores: [PersistentStore]) -> ResultsFollowing {
    forgetGoneFollowers()
    let following = following ?? ResultsFollowing(stores)
    self.following = following
    return following
  }

  /// Stops recording changes if there were observers of fetched results and all are gone. What was recorded for them
  /// becomes outdated.
  mutating func forgetGoneFollowers() {
    if following?.isLeft ?? false { following = nil }
  }

  /// Begins to track properties, unless that has begun.
  mutating func track() -> TrackedProperties {
    let tracked = tracked ?? TrackedProperties()
    self.tracked = tracked
    return tracked
  }
}
