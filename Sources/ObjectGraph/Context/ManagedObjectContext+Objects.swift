public import ObjectModel

// Inserting, finding and deleting.
extension ManagedObjectContext {
  /// Inserts an object of a class's entity.
  ///
  ///     let trip = try context.insert(Trip.self) { $0.name = "Lisbon" }
  ///
  /// The object has its final identifier at once.
  ///
  /// - Parameters:
  ///   - store: The store it goes to; by its entity's configuration when it is `nil`.
  ///   - fill: Gives the object its first values.
  /// - Throws: ``ContextError`` when no store takes such objects, or `StoreError`.
  @discardableResult
  public func insert<T: ManagedObject>(
    _ type: T.Type, into store: PersistentStore? = nil, _ fill: (T) throws -> Void = { _ in }
  ) throws -> T {
    try ObjectInserter(workspace).insert(type, into: store, fill)
  }

  /// Inserts an object of an entity.
  ///
  /// - Throws: ``ContextError`` when the model has no such entity, it is abstract or no store takes its
  ///   objects, or `StoreError`.
  @discardableResult
  public func insert(
    _ entity: String, into store: PersistentStore? = nil
  ) throws -> ManagedObject {
    try ObjectInserter(workspace).insert(entity, into: store)
  }

  /// Sends the objects of an entity that are inserted from now on to a store; those that are there
  /// already stay, because identifiers do not change.
  ///
  /// - Parameter store: The store; the one its configuration says when it is `nil`.
  public func assign(_ entity: String, to store: PersistentStore?) {
    ObjectInserter(workspace).assign(entity, to: store)
  }

  /// Marks an object to be deleted by the next save. What its relationships say happens to others
  /// happens when changes are next processed.
  ///
  /// - Precondition: The object belongs to this context.
  public func delete(_ object: ManagedObject) {
    workspace.delete(object)
  }

  /// The object with an identifier, as a fault: whether there is one in the store is not asked.
  ///
  /// - Precondition: The identifier is of a store of the coordinator, and that can be opened. Where either is
  ///   uncertain, ``existingObject(with:)`` throws instead.
  public func object(with id: ObjectID) -> ManagedObject {
    workspace.object(with: id)
  }

  /// The object with an identifier.
  ///
  /// - Throws: ``ContextError`` when there is none, or what a damaged store throws.
  public func existingObject(with id: ObjectID) throws -> ManagedObject {
    try workspace.existingObject(with: id)
  }

  /// The object with an identifier, if the context knows it.
  public func registeredObject(for id: ObjectID) -> ManagedObject? {
    workspace.registeredObject(for: id)
  }

  /// The same object in this context, whatever context the given one belongs to.
  public func object<T: ManagedObject>(_ object: T) -> T {
    workspace.object(object)
  }
}
