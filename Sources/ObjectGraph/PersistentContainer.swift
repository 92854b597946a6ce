public import ObjectModel
public import StoreInterface

/// Everything a program needs that has stores and no documents: a model, a coordinator with its stores,
/// and contexts.
///
///     let container = try PersistentContainer(
///       model, at: "Trips.store", places: .builtIn, classes: [Trip.self, Stop.self])
///     let names = try await container.performBackgroundTask { context in
///       try context.fetch(Trip.self).map(\.name)
///     }
public final class PersistentContainer: Sendable {
  /// The stores and the model.
  public let coordinator: PersistentStoreCoordinator
  /// The context of the main actor. It follows what background tasks save.
  public let viewContext: ManagedObjectContext

  /// A store that a container opens, or creates where there is none.
  public struct StoreDescription: Sendable {
    /// Where the store is.
    public var path: String
    /// Its type; seen from the file, or binary for a new one, when it is `nil`.
    public var type: StoreType?
    /// The configuration whose entities it is for; all when it is `nil`.
    public var configuration: String?
    /// Whether nothing is written to it.
    public var isReadOnly: Bool
    /// What brings it to the container's model when it is of another; it is refused then when this is `nil`.
    public var migrator: (any StoreMigrator)?

    /// A store at a path.
    public init(
      _ path: String, type: StoreType? = nil, configuration: String? = nil,
      isReadOnly: Bool = false, migrator: (any StoreMigrator)? = nil
    ) {
      self.path = path
      self.type = type
      self.configuration = configuration
      self.isReadOnly = isReadOnly
      self.migrator = migrator
    }
  }

  /// A container over several stores.
  ///
  /// - Parameters:
  ///   - classes: The classes of the objects, each for the entity it names.
  ///   - transformers: What turns the values of transformable attributes into bytes and back.
  /// - Throws: `StoreError` when a store can't be opened, or ``ContextError`` when its model is another.
  public init(
    _ model: Model, stores: [StoreDescription], places: StorePlaces,
    classes: [ManagedObject.Type] = [], transformers: [ValueTransformer] = []
  ) throws {
    coordinator = PersistentStoreCoordinator(
      model: model, places: places, classes: classes, transformers: transformers)
    for store in stores {
      try coordinator.addStore(
        at: store.path, type: store.type, configuration: store.configuration,
        readOnly: store.isReadOnly, migrator: store.migrator)
    }
    viewContext = ManagedObjectContext(coordinator, concurrency: .mainActor)
    viewContext.name = "view"
    viewContext.automaticallyMergesChangesFromParent = true
  }

  /// A container over one store.
  ///
  /// - Parameters:
  ///   - migrator: What brings a store to the model that is of another; it is refused when this is `nil`.
  ///   - classes: The classes of the objects, each for the entity it names.
  ///   - transformers: What turns the values of transformable attributes into bytes and back.
  /// - Throws: As ``init(_:stores:places:classes:transformers:)``.
  public convenience init(
    _ model: Model, at path: String, type: StoreType? = nil, places: StorePlaces,
    migrator: (any StoreMigrator)? = nil, classes: [ManagedObject.Type] = [],
    transformers: [ValueTransformer] = []
  ) throws {
    try self.init(
      model, stores: [StoreDescription(path, type: type, migrator: migrator)], places: places,
      classes: classes, transformers: transformers)
  }

  /// A new context with a queue of its own, which saves into the stores.
  public func newBackgroundContext() -> ManagedObjectContext {
    ManagedObjectContext(coordinator)
  }

  /// Runs `body` in a new context with a queue of its own, and gives what it gives.
  public func performBackgroundTask<R: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> R
  ) async throws -> R {
    let context = newBackgroundContext()
    return try await context.perform { try body(context) }
  }
}
