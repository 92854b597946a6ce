import ObjectModel
import Rows
import StoreInterface
import Synchronization

// What comes from other contexts: a child's changes, and what others have saved.
extension Workspace {
  /// Hands all changes to the parent, which has them as its own from then on.
  func save(into parent: Workspace) throws -> [StoreTag: Layer] {
    var layers: [(state: StoreState, layer: Layer)] = []
    for state in storeStates {
      let layer = try state.pendingLayer()
      if layer.isEmpty { state.forgetEmptyChanges() } else { layers.append((state, layer)) }
    }
    let transients = transientsToHand
    let parts = layers.map {
      (
        store: $0.state.persistent, layer: $0.layer, base: $0.state.base,
        hasMoved: $0.state.hasMoved
      )
    }
    let reached = reachedToHand
    var stale: Set<StoreTag> = []
    let bases = try parent.performAndWait {
      try parent.throwReadFailure()
      // What the parent did before is its own work, to be told of and undone by itself.
      try parent.processPendingChanges()
      for part in parts {
        let seen = part.base
        let isStale =
          part.hasMoved
          || parent.mail.published.withLock {
            !($0.bases[part.store.tag]?.isSame(as: seen) ?? false)
          }
        let theirs = try parent.state(of: part.store)
        if isStale || theirs.hasMoved, let own = knownState(of: part.store) {
          let read = try readObjects(in: own) { key in
            !(parent.object(at: key, in: theirs).map(parent.exists) ?? false)
          }
          try parent.recall(read, in: theirs)
        }
        let applied = try parent.apply(part.layer, of: part.store)
        guard isStale else { continue }
        stale.insert(part.store.tag)
        try parent.settle([applied], reached: reached)
      }
      parent.takeTransients(transients)
      try parent.processPendingChanges()
      return parent.mail.published.withLock { $0.bases }
    }
    for (state, _) in layers {
      let isStale = stale.contains(state.tag)
      let base = bases[state.tag] ?? state.base
      if isStale { noteMove(state, to: base) }
      state.setSaved(base, version: 0, alone: !isStale)
      if isStale { try lookAgain(in: state) }
    }
    return Dictionary(uniqueKeysWithValues: layers.map { ($0.state.tag, $0.layer) })
  }

  /// Leads the objects that were changed to what the parent has made of the changes.
  func lookAgain(in state: StoreState) throws {
    for object in changedObjects
    where object.source.entity.store === state.persistent && !object.state.contains(.deleted) {
      defer {
        unannounced.events.add(
          object.objectID, wasThere: true, isThere: !object.state.contains(.deleted))
      }
      object.point(to: object.source.entity.unresolved, row: 0)
      try resolve(object, in: state)
      if object.state.contains(.missing) { object.state.insert(.deleted) }
    }
  }
}

// MARK: - After others have saved

extension Workspace {
  func mergeChanges(from change: ContextChange) throws {
    try merge(ObjectsToMerge.all(of: change, in: coordinator))
  }

  /// - Parameter saved: What was saved on behalf of this context: of the same objects it has not asked to see what others
  ///   have saved beside that.
  func merge(_ parts: [ObjectsToMerge], saved: [StoreTag: Layer] = [:]) throws {
    checkPlace()
    try processPendingChanges()
    for part in parts {
      guard let state = knownState(of: part.store) else { continue }
      try mergeNewest(part, into: state, saved: saved[part.store])
    }
    try processPendingChanges()
    // What children see has changed with that.
    passOn(parts, isOwn: false) { $0.parent == ObjectIdentifier(self) }
  }

  /// Moves on to the newest state and refreshes the known objects among the given ones.
  private func mergeNewest(
    _ part: ObjectsToMerge, into state: StoreState, saved: Layer?
  ) throws {
    guard pinned == nil, !state.persistent.isGone else { return }
    move(state, to: try newestBase(of: state.persistent))
    orderEnds = [:]
    let known = part.keys.compactMap { key in
      state.entity(key.entity, self)?.objects[key.number]
    }
    // What others have led to an object that is deleted here goes the way its relationship says.
    let deleted = changedObjects.filter { object in
      object.state.contains(.deleted) && !part.keys.contains(object.key)
        && object.source.entity.store === state.persistent
    }
    try refreshBeneath(
      known, and: deleted, in: state, mayBeLost: part.mayBeLost, saved: saved, events: .refresh)
    // The observers of this context may know objects by their identifiers that the context has not registered.
    let registered = Set(known.map(\.key))
    func identifiers(_ keys: Set<ObjectKey>) -> [ObjectID] {
      keys.sorted().compactMap { key in
        registered.contains(key) || state.graph[key.entity] == nil
          ? nil : ObjectID(store: state.tag, key: key)
      }
    }
    unannounced.events.inserted += identifiers(part.inserted)
    unannounced.events.deleted += identifiers(part.deleted)
    // Which commits were merged nobody knows, so that known objects may be as of an older one: the
    // oldest commit stays what it was.
  }

  /// The changed objects, besides the given ones, that others have changed or deleted since they were read.
  private func outdated(
    besides objects: [ManagedObject], in state: StoreState
  ) throws -> [ManagedObject] {
    guard state.hasMoved else { return [] }
    let known = Set(objects)
    let beneath = View(state.tables)
    return try changedObjects.filter { object in
      guard object.source.entity.store === state.persistent, !object.state.contains(.inserted),
        !known.contains(object)
      else { return false }
      // What a parent has not saved has no version.
      guard parent == nil, let place = object.committedPlace else { return true }
      // What is changed of one that is deleted is not given up unnoticed.
      guard let row = try beneath.row(of: object.key) else {
        return object.state.contains(.deleted)
      }
      return try row.version != place.source.version(place.row)
    }
  }

  /// Leads objects to the rows that lie beneath by now; their own changes stay on top. Other changed objects
  /// are not left behind: two that lead to each other must be as of the same moment. What others have saved of what
  /// is changed in those is a conflict as before.
  ///
  /// - Parameters:
  ///   - others: Changed objects that are not to be left behind either.
  ///   - saved: What was saved on behalf of this context. Of what it changes nothing else was asked for.
  ///   - mayBeLost: Whether objects may be gone that changed ones lead to, or others have linked what is linked here.
  func refreshBeneath(
    _ objects: [ManagedObject], and others: [ManagedObject] = [], in state: StoreState,
    mayBeLost: Bool, saved: Layer? = nil, events: SnapshotEvents
  ) throws {
    workDepth += 1
    defer { workDepth -= 1 }
    var asked = Set(objects)
    let saved = try saved?.columnsGiven(to: objects) ?? [:]
    asked.subtract(saved.keys)
    let named = objects + others
    let objects = try named + outdated(besides: named, in: state)
    let wereThere = objects.map { $0.state.isDisjoint(with: [.deleted, .missing]) }
    defer {
      for (object, wasThere) in zip(objects, wereThere) where !object.state.contains(.inserted) {
        unannounced.events.add(
          object.objectID, wasThere: wasThere,
          isThere: object.state.isDisjoint(with: [.deleted, .missing]))
      }
    }
    let changed = objects.filter {
      $0.state.contains(.pending) && !$0.state.contains(.inserted)
    }
    var kept: [Kept] = []
    var before: [ManagedObject: ReadObjects.One] = [:]
    for object in changed {
      if !asked.contains(object) {
        before[object] = try readObject(object)?.without(saved[object] ?? [])
      }
      // What was set to what it was is no change: the new value beneath shows.
      let committed = object.committedPlace
      kept.append(
        Kept(
          object: object,
          values: object.pendingValues.filter { column, value in
            committed.map { $0.source.value(column, $0.row) != value } ?? true
          }, before: committed))
    }
    if !changed.isEmpty {
      try state.forgetPending(Set(changed.map(\.key)))
    }
    for object in objects where !object.state.contains(.inserted) {
      let isDeleted = object.state.contains(.deleted) && object.state.contains(.pending)
      if isDeleted { noteReached(object) }
      let toOverlook = asked.contains(object) ? nil : placeToOverlook(object)
      if asked.contains(object) { undoManager?.overlooked[object] = nil }
      recalled[object] = nil
      object.point(to: object.source.entity.unresolved, row: 0)
      object.state.remove(.missing)
      // Whoever was deleted may have been brought back.
      if !isDeleted { object.state.remove(.deleted) }
      try resolve(object, in: state)
      if object.state.contains(.missing) {
        // Somebody else has deleted it.
        object.state.insert(.deleted)
        object.state.subtract([.updated, .pending, .deletionToPropagate])
        denials.removeAll { $0.object === object }
        continue
      }
      if let toOverlook {
        noteOverlooked(
          object, was: toOverlook,
          changed: (before[object]?.values.map(\.column) ?? []) + (saved[object] ?? []))
      }
      if let read = before[object] { try recall(read, of: object) }
      if isDeleted {
        // The relationships lead to others by now, who are to know too.
        propagateAgain(object)
      }
    }
    if kept.contains(where: \.isOvertaken) { undoManager?.noteOvertaken() }
    for one in kept where one.object.state.isDisjoint(with: [.deleted, .missing]) {
      let values = one.standing
      guard !values.isEmpty, let source = beginChange(of: one.object) else { continue }
      for (column, value) in values {
        source.draft!.set(value, column: column, row: Int(one.object.row))
      }
    }
    try remakingChanges { try sealAll() }
    changedObjects.removeAll { $0.state.contains(.missing) }
    for object in objects
    where object.state.contains(.realized) && !object.state.contains(.missing) {
      object.awake(fromSnapshotEvents: events)
    }
    try propagateDeletionsOrThrow()
    // Links must be rows to be found.
    try sealAll()
    try agree(changed, in: state, mayBeLost: mayBeLost)
    try sealAll()
  }
}

/// What was changed in an object and goes on top of what lies beneath it by now.
private struct Kept {
  let object: ManagedObject
  let values: [(column: Int, value: Value)]
  /// Where the values lie that the changes were made above.
  let before: (source: RowSource, row: Int)?

  /// Whether others have saved something else of what is changed.
  var isOvertaken: Bool {
    if object.state.contains(.missing) { return true }
    guard let before, let now = object.committedPlace else { return false }
    return values.contains { column, _ in
      before.source.value(column, before.row) != now.source.value(column, now.row)
    }
  }

  /// The values that still mean something: a place is one among those of an owner, and when others have
  /// led the object to another owner it is that owner's affair.
  var standing: [(column: Int, value: Value)] {
    let graph = object.source.entity.graph
    guard let before, let now = object.committedPlace else { return values }
    let lapsed = graph.relationships.compactMap { index -> Int? in
      guard case .toOne(let toOne) = graph.properties[index].place, let order = toOne.order,
        !values.contains(where: { $0.column == toOne.column }),
        before.source.value(toOne.column, before.row) != now.source.value(toOne.column, now.row)
      else { return nil }
      return order
    }
    return lapsed.isEmpty ? values : values.filter { !lapsed.contains($0.column) }
  }
}

extension Layer {
  /// The columns of which the layer gives values of some objects that it changes.
  fileprivate func columnsGiven(to objects: [ManagedObject]) throws -> [ManagedObject: [Int]] {
    var given: [ManagedObject: [Int]] = [:]
    for object in objects {
      guard case .changed(let location)? = try self[object.key.entity]?.entry(of: object.key.number)
      else { continue }
      let columns = object.source.entity.graph.layout.columns
      given[object] = try columns.indices.filter {
        try location.block.value(columns[$0], row: location.row) != nil
      }
    }
    return given
  }
}

extension ManagedObject {
  /// The values that were given and not saved, by column.
  final var pendingValues: [(column: Int, value: Value)] {
    let row = Int(row)
    guard source.isPending, let draft = source.draft else { return [] }
    if source.below(row)?.source.isPending != true {
      return draft.givenColumns(row: row).map { ($0, draft.value(column: $0, row: row) ?? .null) }
    }
    let values = source.given(row, while: \.isPending).values
    return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
