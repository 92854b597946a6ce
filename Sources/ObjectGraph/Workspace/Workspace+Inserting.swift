import ObjectModel
import StoreInterface

// Inserting objects.
extension Workspace {
  /// Inserts an object of an entity.
  func insert(
    _ entity: String, into store: PersistentStore? = nil
  ) throws -> ManagedObject {
    checkPlace()
    let state = try entityState(entity, into: store)
    let object = try state.insert()
    object.state = object.source.entity.birthState.union([.inserted, .realized, .pending])
    drafts.addInserted(object)
    object.setInitialValues()
    object.awakeFromInsert()
    return object
  }

  /// Returns the entity state for a new object.
  func entityState(_ entity: String, into store: PersistentStore?) throws -> EntityState {
    let stores = coordinator.storeChanges
    if store == nil, let last = objects.lastTarget(for: entity, storeChanges: stores) {
      return last
    }
    guard let described = coordinator.model[entity] else {
      throw ContextError.unknownEntity(entity, in: coordinator.model)
    }
    guard !described.isAbstract else {
      throw ContextError(
        .unknownEntity, "The entity \"\(entity)\" is abstract and has no objects of its own.")
    }
    let target =
      try store ?? settings.storesForNewObjects[entity] ?? coordinator.store(for: entity)
    guard !target.isGone else {
      throw ContextError(
        .noStore,
        "The store \(target.path ?? "in memory") was removed from the coordinator, or moved.")
    }
    guard target.holds(entity) else {
      throw ContextError(
        .noStore,
        "The store \(target.path ?? "in memory") does not contain the entity \"\(entity)\".")
    }
    let state = try state(of: target)
    guard let number = state.graph[entity]?.number, let found = state.entity(number, self)
    else {
      throw ContextError.unknownEntity(entity, in: coordinator.model)
    }
    if store == nil { objects.setLastTarget(found, storeChanges: stores) }
    return found
  }

  func setStore(_ store: PersistentStore?, forNewObjectsOf entity: String) {
    checkPlace()
    var stores = settings.storesForNewObjects
    stores[entity] = store
    set(\.storesForNewObjects, to: stores)
    objects.forgetLastTarget()
  }
}
