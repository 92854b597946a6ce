import ObjectModel

/// The registered objects of a context as a whole. Each object is in the table of its entity.
struct RegisteredObjects {
  /// The number of registered objects above which unused objects are evicted.
  private var evictionThreshold = RegisteredObjects.leastThreshold
  private static let leastThreshold = 4096
  /// The entity of the last insertion, and the coordinator's count of store changes then. The next insertion is likely to
  /// have the same entity.
  private var lastTarget: (entity: EntityState, storeChanges: Int)?
  /// The inserted objects that the last save merged into existing ones.
  private var replacements: [ObjectID: ObjectID] = [:]

  // MARK: Insertions

  /// Returns the entity state for a new object of an entity if the last insertion was into the same entity.
  func lastTarget(for entity: String, storeChanges: Int) -> EntityState? {
    guard let lastTarget, lastTarget.entity.graph.name == entity,
      lastTarget.storeChanges == storeChanges
    else { return nil }
    return lastTarget.entity
  }

  /// Sets the entity state for the next new object of the same entity.
  mutating func setLastTarget(_ entity: EntityState, storeChanges: Int) {
    lastTarget = (entity, storeChanges)
  }

  /// Forgets the entity of the last insertion, because its store may no longer be the right one.
  mutating func forgetLastTarget() { lastTarget = nil }

  // MARK: Merged objects

  /// Begins a save, which merges objects again.
  mutating func forgetReplacements() { replacements = [:] }

  /// Records that an inserted object was merged into another object.
  mutating func recordReplacement(of id: ObjectID, by other: ObjectID) { replacements[id] = other }

  /// Returns the identifier of the object that an inserted object was merged into by the last save, or the given
  /// identifier if it was not.
  func replaced(_ id: ObjectID) -> ObjectID {
    var id = id
    while let next = replacements[id] { id = next }
    return id
  }

  // MARK: Eviction

  /// Whether the number of registered objects has doubled since the last eviction.
  func isSweepDue(_ states: [StoreState]) -> Bool {
    states.reduce(0) { $0 + $1.knownEntities.reduce(0) { $0 + $1.objects.count } }
      > evictionThreshold
  }

  /// Removes the unchanged objects that the program does not hold from their tables.
  ///
  /// - Returns: The objects. The caller releases them after this call, because their deinitializers may use everything.
  mutating func sweep(_ states: [StoreState]) -> [ManagedObject] {
    var count = 0
    var gone: [ManagedObject] = []
    for state in states {
      state.forgetLists()
      for entity in state.knownEntities {
        entity.objects.sweep(into: &gone)
        count += entity.objects.count
      }
    }
    evictionThreshold = max(RegisteredObjects.leastThreshold, count * 2)
    return gone
  }
}

extension Workspace {
  /// Evicts unused objects if the number of registered objects has doubled since the last eviction.
  func sweepIfNeeded() {
    for state in drafts.states {
      for entity in state.knownEntities { entity.forgetPassingSources() }
    }
    if settings.retainsRegisteredObjects { return }
    if objects.isSweepDue(drafts.states) { sweep() }
  }

  /// Evicts the unchanged objects that the program does not hold, and the values kept for them.
  func sweep() {
    let gone = objects.sweep(drafts.states)
    _ = consume gone
    transients.evict { isRegistered($0) }
    relationships.forgetPlaces { isRegistered($0) }
  }

  private func isRegistered(_ id: ObjectID) -> Bool {
    let entity = drafts.state(of: id.store)?.entity(id.key.entity, self)
    return entity?.known(id.key.number) != nil
  }
}
