public import ObjectModel
public import ObjectQuery

// Inserting, finding and deleting.
extension ManagedObjectContext {
  /// Inserts an object of a class's entity.
  ///
  ///     let trip = try context.insert(Trip.self) { $0.name = "Lisbon" }
  ///
  /// The object has its final identifier at once.
  ///
  /// - Parameters:
  ///   - store: The store for the object; `nil` for the store that the entity's configuration names.
  ///   - fill: Sets the first values of the object.
  /// - Throws: ``ContextError`` if no store takes objects of the entity; `StoreError` if the store fails; the errors of
  ///   `fill`.
  @discardableResult
  public func insert<T: ManagedObject>(
    _ type: T.Type, into store: PersistentStore? = nil, _ fill: (T) throws -> Void = { _ in }
  ) throws -> T {
    let object = try workspace.insert(T.entityName, into: store)
    if Swift.type(of: object) == T.self {
      // SAFETY: The condition above has compared the types.
      let typed = unsafe unsafeDowncast(object, to: T.self)
      try fill(typed)
      return typed
    }
    guard let typed = object as? T else {
      misuse(
        """
        The objects of "\(T.entityName)" have the class \(Swift.type(of: object)), not \(T.self). \
        Give the class to the initializer of the coordinator.
        """)
    }
    try fill(typed)
    return typed
  }

  /// Inserts an object of an entity.
  ///
  /// - Throws: ``ContextError`` if the model has no such entity, the entity is abstract or no store takes its objects;
  ///   `StoreError` if the store fails.
  @discardableResult
  public func insert(
    _ entity: String, into store: PersistentStore? = nil
  ) throws -> ManagedObject {
    try workspace.insert(entity, into: store)
  }

  /// Inserts an object that was made outside of a context.
  ///
  ///     let trip = Trip()
  ///     trip.name = "Lisbon"
  ///     try context.insert(trip)
  ///
  /// The objects outside of a context that the object is related to are inserted with it. From then on all of them belong
  /// to this context, and have their final identifiers. An object of this context stays as it is.
  ///
  /// - Precondition: The object does not belong to another context.
  /// - Throws: ``ContextError`` if no store takes one of the objects, or the coordinator has another class for an entity;
  ///   `StoreError` if the store fails. Nothing is inserted then.
  public func insert(_ object: ManagedObject, into store: PersistentStore? = nil) throws {
    guard object.state.contains(.loose) else { return workspace.requireOwn(object) }
    try LooseInsertion(workspace).insert(object, into: store)
  }

  /// Chooses the store for later insertions of an entity. Existing objects stay in their stores.
  ///
  /// - Parameter store: The store; `nil` for the store that the entity's configuration names.
  public func setStore(_ store: PersistentStore?, forNewObjectsOf entity: String) {
    workspace.setStore(store, forNewObjectsOf: entity)
  }

  /// Marks an object to be deleted by the next save.
  ///
  /// The delete rules of its relationships are applied when changes are next processed.
  ///
  /// - Precondition: The object belongs to this context.
  public func delete(_ object: ManagedObject) {
    workspace.delete(object)
  }

  /// Marks the objects that a request finds to be deleted by the next save.
  ///
  ///     try context.delete(Trip.where { $0.start < now })
  ///
  /// The deletion is a change of this context, which can be undone and rolled back. `BatchDeleteRequest` deletes in the
  /// stores at once, without objects in this context.
  ///
  /// - Returns: The number of objects.
  /// - Throws: As ``fetch(_:)-(FetchRequest<Object>)``. Nothing is deleted then.
  @discardableResult
  public func delete<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> Int {
    let objects = try fetch(request)
    for object in objects { delete(object) }
    return objects.count
  }

  /// Returns the object of a class with an identifier, or `nil`.
  ///
  ///     let trip = try context.find(Trip.self, id)
  ///
  /// An object of another class is not found either.
  ///
  /// - Throws: `StoreError` if the store is damaged.
  public func find<T: ManagedObject>(_ type: T.Type, _ id: ObjectID) throws -> T? {
    do { return try existingObject(with: id) as? T } catch let error as ContextError
      where error.code == .noObject || error.code == .noStore
    { return nil }
  }

  /// Returns the object with an identifier as a fault, without looking for it in the store.
  ///
  /// - Precondition: The identifier belongs to a store of the coordinator that can be opened. If that is uncertain,
  ///   call ``existingObject(with:)``, which throws.
  public func object(with id: ObjectID) -> ManagedObject {
    workspace.object(with: id)
  }

  /// Returns the object with an identifier.
  ///
  /// - Throws: ``ContextError`` if there is none; `StoreError` if the store is damaged.
  public func existingObject(with id: ObjectID) throws -> ManagedObject {
    try workspace.existingObject(with: id)
  }

  /// Returns the registered object with an identifier, or `nil`.
  public func registeredObject(for id: ObjectID) -> ManagedObject? {
    workspace.checkPlace()
    guard let state = workspace.drafts.state(of: id.store) else { return nil }
    return state.entity(id.key.entity, workspace)?.objects[id.key.number]
  }

  /// Returns this context's object for an object of any context.
  public func object<T: ManagedObject>(_ object: T) -> T {
    if !object.state.contains(.detached), object.source.entity.workspace === workspace {
      return object
    }
    return self.object(with: object.objectID) as! T
  }
}

extension EntityMapped where Self: ManagedObject {
  /// Inserts an object of the class's entity into a context.
  ///
  ///     let trip = try Trip(context: context)
  ///     trip.name = "Lisbon"
  ///
  /// The same as ``ManagedObjectContext/insert(_:into:_:)`` without a store and a closure.
  ///
  /// - Throws: ``ContextError`` if no store takes objects of the entity; `StoreError` if the store fails.
  public init(context: ManagedObjectContext) throws { self = try context.insert(Self.self) }
}
