/// The observers of a context, and the changes that have not been posted to them yet.
struct Observation {
  /// The streams of changes and saves.
  let streams = StreamHub<ContextChange>()
  /// The observers of fetched results; `nil` when there are none.
  var following: ResultsFollowing?
  /// The properties that Swift's Observation tracks; `nil` until the program reads an object that may be tracked.
  var tracked: TrackedProperties?
  /// The changes that were frozen, and the refreshed objects, since observers were last notified.
  var unannounced = UnannouncedChanges()
}

extension Workspace {
  /// The observers of fetched results; `nil` when there are none.
  var following: ResultsFollowing? {
    get { observation.following }
    set { observation.following = newValue }
  }
  /// The changes that have not been posted to observers yet.
  var unannounced: UnannouncedChanges {
    _read { yield observation.unannounced }
    _modify { yield &observation.unannounced }
  }
}
