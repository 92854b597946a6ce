import ObjectModel
import StoreInterface
import Synchronization

/// The steps that a context has under way.
struct WorkProgress {
  /// The number of turns under way, one within the other.
  var turnDepth = 0
  /// The number of steps under way, one within the other, that no merge may interrupt.
  var workDepth = 0
  /// Whether the main queue is about to end a turn.
  var isTurnComing = false
  /// The first error of an operation that can't throw. The next save throws it.
  var readFailure: (any Error)?
}

/// The results of the save under way, and of the last one.
struct SaveRecord {
  /// The number of times that changes were frozen.
  var sealCount = 0
  /// The number of times that a store was moved to another base.
  var advanceCount = 0
  /// The objects for which the save under way has noted its moment.
  var timestampedObjects: Set<ObjectID> = []
  /// The inserted objects that the last save merged into existing ones.
  var replacements: [ObjectID: ObjectID] = [:]
}

/// The observers of a context, and the changes that they do not know of yet.
struct Observation {
  /// The streams of changes and saves.
  let streams = StreamHub<ContextChange>()
  /// The observers of fetched results; `nil` when there are none.
  var following: ResultsFollowing?
  /// The changes that were frozen, and the objects that were read again, since observers were notified last.
  var unannounced = UnannouncedChanges()
}

/// The caches of insertions: where new objects go, and leased keys.
struct InsertionTargets {
  /// The entity of the last insertion, which is likely to be that of the next.
  var last: EntityState?
  /// The number of changes of the coordinator's stores at that insertion.
  var storeChanges = 0
  /// The stores that the program has chosen for new objects, by entity.
  var assignments: [String: PersistentStore] = [:]
  /// The leased keys for new links, by store and table.
  private var linkKeys: [StoreTag: [UInt16: Range<UInt64>]] = [:]

  /// Returns a key for a new link that no other link has.
  ///
  /// - Parameter remaining: The number of links that the caller is about to put.
  mutating func nextLinkKey(
    _ table: UInt16, _ state: StoreState, _ remaining: Int
  ) throws -> UInt64 {
    if let range = linkKeys[state.tag]?[table], !range.isEmpty {
      linkKeys[state.tag]![table] = range.dropFirst()
      return range.lowerBound
    }
    let range = try state.persistent.store.leaseKeys(
      ofEntity: table, count: max(256, min(remaining, 65_536)))
    linkKeys[state.tag, default: [:]][table] = range.dropFirst()
    return range.lowerBound
  }
}

extension Workspace {
  /// The number of steps under way that no merge may interrupt.
  var workDepth: Int {
    get { progress.workDepth }
    set { progress.workDepth = newValue }
  }
  /// The number of times that changes were frozen.
  var sealCount: Int { saveRecord.sealCount }
  /// The number of times that a store was moved to another base.
  var advanceCount: Int {
    get { saveRecord.advanceCount }
    set { saveRecord.advanceCount = newValue }
  }
  /// The objects for which the save under way has noted its moment.
  var momentsTaken: Set<ObjectID> {
    get { saveRecord.timestampedObjects }
    set { saveRecord.timestampedObjects = newValue }
  }
  /// The inserted objects that the last save merged into existing ones.
  var replacements: [ObjectID: ObjectID] {
    get { saveRecord.replacements }
    set { saveRecord.replacements = newValue }
  }
  /// The observers of fetched results; `nil` when there are none.
  var following: ResultsFollowing? {
    get { observation.following }
    set { observation.following = newValue }
  }
  /// The changes that observers do not know of yet.
  var unannounced: UnannouncedChanges {
    _read { yield observation.unannounced }
    _modify { yield &observation.unannounced }
  }
  /// The entity of the last insertion.
  var lastInsertion: EntityState? {
    get { insertion.last }
    set { insertion.last = newValue }
  }
  /// The moment that the context is pinned to; `nil` when it follows the stores.
  var pinned: QueryGeneration? {
    get { mail.published.withLock { $0.pinned } }
    set { mail.published.withLock { $0.pinned = newValue } }
  }
}
