public import ObjectModel
public import StoreInterface

/// The model, the coordinator with its stores, and the contexts of a program that has stores but no documents.
///
///     let container = try PersistentContainer(
///       model, at: "Trips.store", places: .builtIn, classes: [Trip.self, Stop.self])
///     let names = try await container.performBackgroundTask { context in
///       try context.fetch(Trip.self).map(\.name)
///     }
public final class PersistentContainer: Sendable {
  /// The coordinator, which has the stores and the model.
  public let coordinator: PersistentStoreCoordinator
  /// The context of the main actor. It merges the saves of background tasks, and the saves of other programs if the store
  /// announces them.
  public let viewContext: ManagedObjectContext

  /// A store that a container opens, or creates if there is none.
  public struct StoreDescription: Sendable {
    /// The path of the store.
    public var path: String
    /// The type of the store. If it is `nil`, the type is read from the file, and a new store is binary.
    public var type: StoreType?
    /// The configuration whose entities the store holds; `nil` for all entities.
    public var configuration: String?
    /// Whether the store is opened for reading only.
    public var isReadOnly: Bool
    /// The migrator that migrates the store to the container's model. If it is `nil`, a store with another model is
    /// refused.
    public var migrator: (any StoreMigrator)?

    /// Makes the description of a store at a path.
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

  /// Makes a container over several stores.
  ///
  /// - Parameters:
  ///   - classes: The classes of the objects, each for the entity that it names.
  ///   - transformers: The transformers of transformable attributes.
  /// - Throws: `StoreError` if a store can't be opened; ``ContextError`` if its model differs from `model`.
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

  /// Makes a container over one store.
  ///
  /// - Parameters:
  ///   - migrator: Migrates a store with another model to `model`. If it is `nil`, a store of another model is refused.
  ///   - classes: The classes of the objects, each for the entity that it names.
  ///   - transformers: The transformers of transformable attributes.
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

  /// Returns a new context with a queue of its own, which saves into the stores.
  public func newBackgroundContext() -> ManagedObjectContext {
    ManagedObjectContext(coordinator)
  }

  /// Runs `body` in a new context with a queue of its own, and returns its result.
  public func performBackgroundTask<R: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> R
  ) async throws -> R {
    let context = newBackgroundContext()
    return try await context.perform { try body(context) }
  }
}
