import ObjectModel
import Rows
import StoreInterface

// Inserting, finding and deleting.
extension Workspace {
  @discardableResult
  func insert<T: ManagedObject>(
    _ type: T.Type, into store: PersistentStore? = nil, _ fill: (T) throws -> Void = { _ in }
  ) throws -> T {
    let object = try insert(T.entityName, into: store)
    if Swift.type(of: object) == T.self {
      // SAFETY: That is what was asked above.
      let typed = unsafe unsafeDowncast(object, to: T.self)
      try fill(typed)
      return typed
    }
    guard let typed = object as? T else {
      misuse(
        """
        The objects of "\(T.entityName)" are of the class \(Swift.type(of: object)), not \(T.self). \
        Name the class when the coordinator is made.
        """)
    }
    try fill(typed)
    return typed
  }

  @discardableResult
  func insert(
    _ entity: String, into store: PersistentStore? = nil
  ) throws -> ManagedObject {
    checkPlace()
    let state = try entityState(entity, into: store)
    let object = try state.insert()
    object.state = [.inserted, .realized, .pending]
    changedObjects.append(object)
    object.awakeFromInsert()
    return object
  }

  /// The state of an entity whose objects are about to be inserted.
  func entityState(_ entity: String, into store: PersistentStore?) throws -> EntityState {
    let stores = coordinator.storeChanges
    if store == nil, let last = lastInsertion, last.graph.name == entity,
      stores == storesAtLastInsertion,
      assignments.isEmpty || last.store === assignments[entity] ?? last.store
    {
      return last
    }
    guard let described = coordinator.model[entity] else {
      throw ContextError.unknownEntity(entity, in: coordinator.model)
    }
    guard !described.isAbstract else {
      throw ContextError(
        .unknownEntity, "The entity \"\(entity)\" is abstract and has no objects of its own.")
    }
    let target = try store ?? assignments[entity] ?? coordinator.store(for: entity)
    guard !target.isGone else {
      throw ContextError(
        .noStore,
        "The store \(target.path ?? "in memory") was removed from the coordinator, or moved.")
    }
    guard target.holds(entity) else {
      throw ContextError(
        .noStore, "The store \(target.path ?? "in memory") does not hold \"\(entity)\".")
    }
    let state = try state(of: target)
    guard let number = state.graph[entity]?.number, let found = state.entity(number, self) else {
      throw ContextError.unknownEntity(entity, in: coordinator.model)
    }
    if store == nil { (lastInsertion, storesAtLastInsertion) = (found, stores) }
    return found
  }

  func assign(_ entity: String, to store: PersistentStore?) {
    checkPlace()
    assignments[entity] = store
  }

  func delete(_ object: ManagedObject) {
    checkPlace()
    requireOwn(object)
    guard object.state.isDisjoint(with: [.deleted, .missing, .beingDeleted]) else { return }
    realize(object)
    // It may be gone, or delete itself when it awakes.
    guard object.state.isDisjoint(with: [.deleted, .missing]) else { return }
    // What it does to make itself ready may lead back here.
    object.state.insert(.beingDeleted)
    object.prepareForDeletion()
    object.state.remove(.beingDeleted)
    object.state.insert([.deleted, .deletionToPropagate])
    noteChange(of: object)
    deletionsToPropagate.append(object)
    endTurnSoon()
  }

  func object(with id: ObjectID) -> ManagedObject {
    checkPlace()
    do {
      if let state = try state(of: id.store), let object = object(at: id.key, in: state) {
        return object
      }
    } catch {
      misuse("The store of \(id.uri) can't be read: \(error)")
    }
    misuse("No store of the coordinator has objects like \(id.uri).")
  }

  func existingObject(with id: ObjectID) throws -> ManagedObject {
    checkPlace()
    let known = knownState(of: id.store)
    guard let state = try known ?? state(of: id.store),
      let object = object(at: id.key, in: state)
    else {
      throw ContextError(.noObject, "No store of the coordinator has objects like \(id.uri).")
    }
    if object.source.isUnresolved {
      // What was looked at for the first time is the newest.
      if known != nil { try advance(state) }
      try resolve(object, in: state)
    }
    guard !object.state.contains(.missing), !object.isDeleted else {
      throw ContextError(.noObject, "There is no object \(id.uri).")
    }
    return object
  }

  func registeredObject(for id: ObjectID) -> ManagedObject? {
    checkPlace()
    guard let state = knownState(of: id.store) else { return nil }
    return state.entity(id.key.entity, self)?.objects[id.key.number]
  }

  func object<T: ManagedObject>(_ object: T) -> T {
    if !object.state.contains(.detached), object.source.entity.workspace === self { return object }
    return self.object(with: object.objectID) as! T
  }

  /// The object with a key; `nil` when the store has no such entity.
  func object(at key: ObjectKey, in state: StoreState) -> ManagedObject? {
    guard let entity = state.entity(key.entity, self), key.number > 0 else { return nil }
    return entity.object(key.number)
  }

  /// The state of a key's entity in the store that another entity is in.
  func entityState(of key: ObjectKey, beside entity: EntityState) -> EntityState? {
    knownState(of: entity.store)?.entity(key.entity, self)
  }

  func object(at key: ObjectKey, in store: PersistentStore) -> ManagedObject? {
    knownState(of: store).flatMap { object(at: key, in: $0) }
  }

  /// Fails when an object belongs to another context.
  func requireOwn(_ object: ManagedObject) {
    guard object.withEntity({ $0.belongs(to: self) }) else {
      misuse(
        """
        \(object) belongs to \(object.source.entity.workspace?.label ?? "a context that is gone") and was \
        given to \(label). Ask this context for its own: context.object(with: object.objectID).
        """)
    }
  }

  /// What messages call the context.
  var label: String { settings.name.map { "the context \"\($0)\"" } ?? "a context without a name" }
}

// Reading and changing one object.
extension Workspace {
  /// Makes sure that an object leads to its values. One that was not there may have been brought back.
  func realize(_ object: ManagedObject) {
    if object.source.isUnresolved, let state = state(of: object) {
      do { try resolve(object, in: state) } catch { note(error) }
    }
    if !object.state.contains(.realized) { object.awake() }
  }

  /// Whether there is an object, looked up if it was not yet.
  func exists(_ object: ManagedObject) -> Bool {
    if object.source.isUnresolved, let state = state(of: object) {
      do { try resolve(object, in: state) } catch { note(error) }
    }
    return isAlive(object)
  }

  /// Looks for an object's row.
  func resolve(_ object: ManagedObject, in state: StoreState) throws {
    let entity = object.source.entity
    // Most objects are a row that nothing above changes.
    let tables = state.tables
    for index in tables.indices.reversed() {
      switch try tables[index].entry(of: object.key) {
      case .absent: continue
      case .put(let location):
        noteFound(object)
        return object.point(
          to: try entity.source(of: location.block, index, in: tables), row: location.row)
      case .changed, .removed: break
      }
      break
    }
    let found = try View(tables).rows(of: [object.key.number], entity.graph.layout)
    guard let place = found.rows.first else {
      object.state.insert(.missing)
      return
    }
    noteFound(object)
    object.point(to: entity.source(of: found.blocks[place.block]), row: place.row)
  }

  /// Notes that there is an object. One that was gone has been brought back.
  func noteFound(_ object: ManagedObject) {
    if object.state.contains(.missing) { object.state.subtract([.missing, .deleted]) }
  }

  /// Gives an object a row that may be written; `nil` when it was deleted, or there is no such object.
  func beginChange(of object: ManagedObject) -> RowSource? {
    if object.source.isOpen { return object.source }
    realize(object)
    guard object.state.isDisjoint(with: [.missing, .deleted]) else { return nil }
    // What it does when it awakes may have given it a row.
    if object.source.isOpen { return object.source }
    do {
      // An object that was changed by many saves is looked up again, so that its values lie near one another.
      if object.source.depth > 4, !object.source.isPending, let state = state(of: object) {
        try resolve(object, in: state)
      }
      let source = try object.source.entity.beginChange(of: object)
      noteChange(of: object)
      if !object.state.contains(.inserted) { object.state.insert(.updated) }
      return source
    } catch {
      note(error)
      return nil
    }
  }

  /// Notes that an object is not what is saved.
  func noteChange(of object: ManagedObject) {
    guard !object.state.contains(.pending) else { return }
    object.state.insert(.pending)
    changedObjects.append(object)
  }

  func transientValue(of object: ManagedObject, _ property: Int) -> Value? {
    transientValues[object.objectID]?[property]
  }

  func setTransientValue(_ value: Value, of object: ManagedObject, _ property: Int) {
    // What an object sets when it awakes it sets again the next time: that is no change.
    restoreTransientValue(
      value, of: object.objectID, property, isLasting: !object.state.contains(.awaking))
  }

  /// Forgets the transient values of an object.
  func forgetTransientValues(of id: ObjectID) {
    transientValues[id] = nil
    lastingTransients.remove(id)
    freshTransients[id] = nil
  }
}
