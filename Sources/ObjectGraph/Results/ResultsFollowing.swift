import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// An observer of the objects that a request finds in a context.
protocol ResultsFollower: AnyObject {
  /// Whether the request may find objects of an entity in a store.
  func isAsked(_ entity: UInt16, in tag: StoreTag) -> Bool
  /// Whether the order depends on values of objects that no row contains.
  var asksObjects: Bool { get }
  /// Whether the request finds saved objects only.
  var asksForSaved: Bool { get }
  /// Updates the follower after changes of the context's view. The list of changes is empty if a follower that failed
  /// must try again.
  func follow(_ changes: [ViewChange]) throws
  /// Updates the follower after a change of the coordinator's stores.
  func followStores() throws
}

/// The change of a context's view of one store.
struct ViewChange {
  let state: StoreState
  let before: ViewSource
  let after: ViewSource
  /// The keys of objects and links that may differ. Includes objects with relationships that may differ. `nil` if any
  /// object may differ.
  let keys: Set<ObjectKey>?
}

/// The followers of a context, and the view of each store at their last update.
final class ResultsFollowing {
  private struct Weak {
    weak var follower: (any ResultsFollower)?
  }
  private struct Seen {
    var base: StoreBase
    var source: ViewSource
    /// The changes since the last update.
    var layers: [Layer] = []
    var keys: Set<ObjectKey> = []
  }
  private var followers: [Weak] = []
  private var seen: [StoreTag: Seen] = [:]
  private var isUpdating = false
  private var isAsking = false
  /// Whether a follower failed in the last update.
  private var isBehind = false
  /// The coordinator's stores at the last update.
  private var stores: [PersistentStore]
  /// The number of the present or the last update round. Results that are loaded during a round contain its changes
  /// already.
  private(set) var round = 0

  init(_ stores: [PersistentStore]) { self.stores = stores }

  /// Whether there is no follower.
  var isEmpty: Bool { !followers.contains { $0.follower != nil } }

  /// Whether there were followers and all are gone.
  var isLeft: Bool { !followers.isEmpty && isEmpty }

  func add(_ follower: any ResultsFollower) {
    followers.removeAll { $0.follower == nil }
    followers.append(Weak(follower: follower))
  }

  /// Records changes that were frozen or discarded. Both change the objects that a list shows.
  func record(_ layer: Layer, in tag: StoreTag) { seen[tag]?.layers.append(layer) }

  /// Records that an object's changes were discarded.
  func record(_ key: ObjectKey, in tag: StoreTag) { seen[tag]?.keys.insert(key) }

  /// Records that a transient value of an object was set. Stores do not contain the value.
  func recordTransient(_ key: ObjectKey, in tag: StoreTag) {
    guard !isAsking, followers.contains(where: { $0.follower?.asksObjects ?? false }) else {
      return
    }
    record(key, in: tag)
  }

  /// Calls `body`, which asks an object for a value. Values that the object sets in `awakeFromFetch()` meanwhile do not
  /// count as changes.
  func asking<R>(_ body: () throws -> R) rethrows -> R {
    let wasAsking = isAsking
    isAsking = true
    defer { isAsking = wasAsking }
    return try body()
  }

  /// Records that the context has saved its changes and nothing else has changed in the store. The followers have seen
  /// these changes already, except a follower that shows only saved objects.
  func recordOwnSave(_ tag: StoreTag, before: Int64, _ base: StoreBase) {
    guard !followers.contains(where: { $0.follower?.asksForSaved ?? false }) else { return }
    guard seen[tag]?.base.snapshot.commit == before, base.snapshot.commit == before + 1,
      seen[tag]?.base.layers.isEmpty ?? false, base.layers.isEmpty
    else { return }
    seen[tag]?.base = base
  }

  /// Returns the view of a store that followers see.
  func source(of state: StoreState) -> ViewSource { seen[state.tag]?.source ?? state.source }

  /// Begins to record the changes of a store. All drafts must be frozen.
  func watch(_ state: StoreState) {
    if seen[state.tag] == nil { seen[state.tag] = Seen(base: state.base, source: state.source) }
  }

  /// Notifies followers of the changes since the last update. All drafts must be frozen.
  ///
  /// A follower that fails loads everything in the next update. The failure does not affect the remaining followers.
  ///
  /// - Parameter report: Receives the errors.
  /// - Returns: Whether there was a change to report, or a failed follower has caught up.
  func update(
    _ states: [StoreState], _ stores: [PersistentStore], report: (any Error) -> Void
  ) -> Bool {
    guard !isUpdating else { return false }
    isUpdating = true
    defer { isUpdating = false }
    let wasBehind = isBehind
    isBehind = false
    let changes = takeChanges(states, report)
    let isOtherStores = stores != self.stores
    self.stores = stores
    guard !changes.isEmpty || isOtherStores || wasBehind else { return false }
    round += 1
    for one in followers {
      do {
        if isOtherStores || wasBehind { try one.follower?.followStores() }
        try one.follower?.follow(changes)
      } catch {
        isBehind = true
        report(error)
      }
    }
    return !changes.isEmpty || isOtherStores || !isBehind
  }

  private func takeChanges(_ states: [StoreState], _ report: (any Error) -> Void) -> [ViewChange] {
    var changes: [ViewChange] = []
    for state in states {
      guard let known = seen[state.tag] else { continue }
      let isMoved = !known.base.isSame(as: state.base)
      if !isMoved, known.layers.isEmpty, known.keys.isEmpty {
        continue
      }
      let (before, after) = (known.source, state.source)
      seen[state.tag] = Seen(base: state.base, source: after)
      var keys: Set<ObjectKey>?
      do { keys = try changedKeys(known, state, after) } catch {
        // Without the keys, any object may differ.
        report(error)
      }
      if keys?.isEmpty ?? false { continue }
      changes.append(ViewChange(state: state, before: before, after: after, keys: keys))
    }
    return changes
  }

  /// Returns the keys of objects and links that may differ, and of objects with relationships that may differ.
  private func changedKeys(
    _ known: Seen, _ state: StoreState, _ after: ViewSource
  ) throws -> Set<ObjectKey> {
    var keys = known.keys
    var layers = known.layers
    if !known.base.isSame(as: state.base) {
      layers += try state.base.differences(from: known.base)
    }
    for layer in layers { try keys.formUnion(layer.allKeys()) }
    guard !keys.isEmpty else { return keys }
    return try keys.union(ends(of: keys, state, known.source, after)).union(
      owners(of: keys, state, known.source, after))
  }

  /// Returns the owners of to-many relationships that have changed because a member has changed its owner or its place.
  private func owners(
    of keys: Set<ObjectKey>, _ state: StoreState, _ before: ViewSource, _ after: ViewSource
  ) throws -> Set<ObjectKey> {
    var owners: Set<ObjectKey> = []
    var known: [UInt16: [[LayoutColumn]]] = [:]
    for key in keys {
      guard let graph = state.graph[key.entity] else { continue }
      let references = known[key.entity] ?? memberships(of: graph, in: state)
      known[key.entity] = references
      for columns in references {
        let old = try columns.map { try before.view.value(of: key, column: $0) ?? .null }
        let new = try columns.map { try after.view.value(of: key, column: $0) ?? .null }
        if old == new { continue }
        for case .object(let owner) in [old[0], new[0]] { owners.insert(owner) }
      }
    }
    return owners
  }

  /// Returns the columns that make objects of an entity members of a followed relationship: the reference, and its
  /// place column if the relationship is ordered.
  private func memberships(of graph: GraphEntity, in state: StoreState) -> [[LayoutColumn]] {
    graph.relationships.compactMap { index in
      guard case .toOne(let toOne) = graph.properties[index].place, let inverse = toOne.inverse,
        inverse.isToMany
      else { return nil }
      let family = graph.model.family(of: toOne.relationship.destination)
      let isFollowed = family.compactMap { state.graph[$0.name]?.number }.contains { entity in
        followers.contains { $0.follower?.isAsked(entity, in: state.tag) ?? false }
      }
      guard isFollowed else { return nil }
      return [toOne.column, toOne.order].compactMap { $0 }.map { graph.layout.columns[$0] }
    }
  }

  /// Returns the objects at both ends of the links among the given keys, before and after the changes.
  private func ends(
    of keys: Set<ObjectKey>, _ state: StoreState, _ before: ViewSource, _ after: ViewSource
  ) throws -> Set<ObjectKey> {
    var ends: Set<ObjectKey> = []
    for key in keys where state.graph[key.entity] == nil {
      guard let layout = state.graph.schema[key.entity] else { continue }
      for source in [before, after] {
        guard let row = try source.row(of: key) else { continue }
        for column in layout.columns.prefix(2) {
          if case .object(let end) = try row.value(column) { ends.insert(end) }
        }
      }
    }
    return ends
  }
}
