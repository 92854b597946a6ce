import ObjectModel
import Rows
import StoreInterface
import Synchronization

// Going back, and looking again.
extension Workspace {
  func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    checkPlace()
    requireOwn(object)
    guard !object.isInserted, let state = state(of: object) else { return }
    defer { announceChanges() }
    do {
      try processPendingChanges()
      try advance(state)
      if mergeChanges {
        try refreshBeneath([object], in: state, mayBeLost: false, events: .refresh)
        return
      }
      unannounced.events.refreshed.append(object.objectID)
      let isFault = object.isFault
      if !isFault {
        object.willTurnIntoFault()
        // What it changes then is given up with the rest, or is another's change.
        try sealForUndo()
      }
      let partners = partners(of: object, in: state)
      let isChanged = object.state.contains(.pending)
      if isChanged {
        try state.forgetPending([object.key])
        changedObjects.removeAll { $0 === object }
        following?.note(object.key, in: state.tag)
      }
      makeFault(object)
      forgetTransientValues(of: object.objectID)
      if !isFault { object.didTurnIntoFault() }
      guard isChanged else { return }
      if object.source.isUnresolved { try resolve(object, in: state) }
      try reachAgain(object, in: state)
      if !partners.isEmpty { try partAgain(partners, of: object, in: state) }
    } catch { note(error) }
  }

  /// The objects that a changed object leads to one to one, or led to when it was read.
  private func partners(
    of object: ManagedObject, in state: StoreState
  ) -> [(partner: ManagedObject, toOne: GraphProperty.ToOne)] {
    guard object.source.isPending else { return [] }
    var partners: [(ManagedObject, GraphProperty.ToOne)] = []
    for index in object.source.entity.graph.relationships {
      guard case .toOne(let toOne) = object.source.entity.graph.properties[index].place,
        let inverse = toOne.inverse, !inverse.isToMany
      else { continue }
      var keys = [object.reference(column: toOne.column)]
      if let place = object.committedPlace,
        case .object(let key) = place.source.value(toOne.column, place.row), key != keys[0]
      {
        keys.append(key)
      }
      partners += keys.compactMap { $0 }.compactMap { self.object(at: $0, in: state) }
        .map { ($0, toOne) }
    }
    return partners
  }

  /// One to one, the other end gives up what the changes were that an object has given up.
  private func partAgain(
    _ partners: [(partner: ManagedObject, toOne: GraphProperty.ToOne)],
    of object: ManagedObject, in state: StoreState
  ) throws {
    for (partner, toOne) in partners where isAlive(partner) {
      guard let inverse = toOne.inverse,
        case .toOne(let backward)? = partner.source.entity.graph[inverse.name]?.place
      else { continue }
      realize(partner)
      let back = partner.reference(column: backward.column)
      let now = isAlive(object) ? object.reference(column: toOne.column) : nil
      if now == partner.key {
        if back == nil { write(object.key, of: partner, backward.column) }
      } else if back == object.key {
        write(nil, of: partner, backward.column)
      }
    }
    if isAlive(object) { agreeOneToOne([object], in: state) }
    try sealAll()
  }

  private func makeFault(_ object: ManagedObject) {
    object.state.subtract([.realized, .updated, .deleted, .pending, .missing])
    object.point(to: object.source.entity.unresolved, row: 0)
    undoManager?.overlooked[object] = nil
    recalled[object] = nil
  }

  func refreshAllObjects() {
    checkPlace()
    do {
      try processPendingChanges()
      workDepth += 1
      defer { workDepth -= 1 }
      for state in storeStates {
        try advance(state)
        // Whoever is told may look at what is saved meanwhile.
        let commit = state.base.snapshot.commit
        var objects: [ManagedObject] = []
        // Objects that are told may make others known, so nobody is told before all are found.
        var faults: [ManagedObject] = []
        for entity in state.knownEntities {
          entity.objects.visit { object in
            if object.state.contains(.pending) {
              objects.append(object)
              return
            }
            unannounced.events.refreshed.append(object.objectID)
            if entity.type != ManagedObject.self, object.state.contains(.realized) {
              faults.append(object)
            } else {
              makeFault(object)
            }
          }
        }
        for object in faults where !object.state.contains(.pending) {
          object.willTurnIntoFault()
          // It may have been changed by what it does, or what another did.
          if object.state.contains(.pending) { continue }
          makeFault(object)
          object.didTurnIntoFault()
        }
        // What they have changed then has to be sealed, as all else is.
        try sealForUndo()
        try refreshBeneath(objects, in: state, mayBeLost: true, events: .refresh)
        state.oldestCommit = commit
        if parent != nil { mail.published.withLock { $0.moves[state.tag]?.settleAll() } }
      }
      orderEnds = [:]
      publish()
      announceChanges()
    } catch { note(error) }
  }

  func rollback() {
    rollBack()
    announceChanges()
  }

  private func rollBack() {
    checkPlace()
    workDepth += 1
    defer { workDepth -= 1 }
    undoManager?.didRollBack()
    let objects = changedObjects
    changedObjects = []
    deletionsToPropagate = []
    denials = []
    reached = [:]
    orderEnds = [:]
    unannounced = UnannouncedChanges()
    for state in storeStates {
      for layer in state.pending { following?.note(layer, in: state.tag) }
      state.discard()
    }
    // Nobody is told before all are led back: what they change then are changes.
    var told: [ManagedObject] = []
    for object in objects {
      forgetTransientValues(of: object.objectID)
      if object.state.contains(.inserted) {
        unannounced.events.add(
          object.objectID, wasThere: !object.state.contains(.deleted), isThere: false)
        object.source.entity.objects.remove(object.key.number)
        object.state.subtract([.inserted, .updated, .pending, .deletionToPropagate])
        object.state.insert([.deleted, .missing, .detached])
        continue
      }
      let wasThere = !object.state.contains(.deleted)
      object.state.subtract([.updated, .deleted, .pending, .deletionToPropagate])
      leadBack(object)
      unannounced.events.add(
        object.objectID, wasThere: wasThere, isThere: !object.state.contains(.missing))
      if !object.state.contains(.missing) { told.append(object) }
    }
    recalled = [:]
    for object in told { object.awake(fromSnapshotEvents: .rollback) }
    publish()
    updateFollowers()
  }

  func reset() {
    checkPlace()
    rollBack()
    var events = ObjectEvents()
    events.invalidatesAll = true
    for state in storeStates {
      for entity in state.knownEntities {
        entity.objects.visit { object in
          events.invalidated.append(object.objectID)
          object.point(to: entity.unresolved, row: 0)
          object.state = [.missing, .deleted, .realized, .detached]
        }
        // What somebody still holds may outlive the context.
        entity.detach()
      }
    }
    storeStates = []
    transientValues = [:]
    lastingTransients = []
    freshTransients = [:]
    recalled = [:]
    lastInsertion = nil
    unannounced = UnannouncedChanges()
    unannounced.events = events
    publish()
    announceChanges()
  }

  func detectConflicts(for object: ManagedObject) throws -> MergeConflict? {
    checkPlace()
    requireOwn(object)
    guard !object.isInserted, let state = state(of: object), parent == nil else { return nil }
    try processPendingChanges()
    realize(object)
    guard let place = object.committedPlace else { return nil }
    let view = try state.persistent.store.snapshot().view
    if let row = try view.row(of: object.key),
      try row.version == place.source.version(place.row)
    {
      return nil
    }
    return try mergeConflict(about: object.key, view, state)
  }
}

/// What the stores held at one moment: a context that is pinned to it sees nothing newer.
public struct QueryGeneration: Sendable {
  private var snapshots: [StoreTag: any StoreSnapshot]

  /// What the stores of a coordinator hold now.
  ///
  /// - Throws: `StoreError`.
  public init(_ coordinator: PersistentStoreCoordinator) throws {
    var snapshots: [StoreTag: any StoreSnapshot] = [:]
    for store in coordinator.stores { snapshots[store.tag] = try store.store.snapshot() }
    self.snapshots = snapshots
  }

  /// What a store held after an earlier commit, and all others hold now.
  ///
  /// - Throws: `StoreError` when the store does not keep that commit any more.
  public init(_ coordinator: PersistentStoreCoordinator, commit: Int64, of store: PersistentStore)
    throws
  {
    try self.init(coordinator)
    snapshots[store.tag] = try store.store.snapshot(ofCommit: commit)
  }

  func snapshot(of tag: StoreTag) -> (any StoreSnapshot)? { snapshots[tag] }

  /// Moves on to what was saved above it.
  mutating func advance(_ tag: StoreTag, to snapshot: any StoreSnapshot) {
    if snapshots[tag] != nil { snapshots[tag] = snapshot }
  }
}

extension Workspace {
  func setQueryGeneration(_ generation: QueryGeneration?) throws {
    checkPlace()
    try processPendingChanges()
    pinned = generation
    for state in storeStates where !state.persistent.isGone {
      state.setBase(try newestBase(of: state.persistent))
    }
    refreshAllObjects()
    updateFollowers()
  }
}
