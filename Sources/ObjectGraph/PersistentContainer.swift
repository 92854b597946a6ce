import Dispatch
public import ObjectModel
public import StoreInterface
import Synchronization

/// The model, the coordinator with its stores, and the contexts of a program that has stores but no documents.
///
/// Use it for the one database of an application or a server, which is opened at the start and saved by the program. For files
/// that a person creates, sends and keeps versions of, use a `ManagedDocument`, which saves on its own. A program that adds
/// and removes stores while it runs makes a ``PersistentStoreCoordinator`` itself.
///
///     let container = try PersistentContainer(
///       model, at: "Trips.store", places: .builtIn, classes: [Trip.self, Stop.self])
///     let names = try await container.performBackgroundTask { context in
///       try context.fetch(Trip.self).map(\.name)
///     }
public final class PersistentContainer: Sendable {
  /// The container's name. The file of its store has this name unless the program describes another store.
  public let name: String
  /// The coordinator, which has the stores and the model.
  public let coordinator: PersistentStoreCoordinator
  /// The context of the main actor. It merges the saves of background tasks, and the saves of other programs if the store
  /// announces them.
  ///
  /// The compiler refuses its use outside of the main actor: take ``newBackgroundContext()`` there, or a
  /// ``ContextActor``.
  @MainActor public var viewContext: ManagedObjectContext { mainContext }
  private let mainContext: ManagedObjectContext
  private let work: BackgroundWork

  private struct State {
    var descriptions: [StoreDescription]
    var opened: [(description: StoreDescription, store: PersistentStore)] = []
  }
  private let state: Mutex<State>

  /// A store that a container opens, or creates if there is none.
  public struct StoreDescription: Sendable {
    /// The path of the store. The path `/dev/null` describes a store in memory, which ends with the container.
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
    /// Whether the folder of the store is created if there is none.
    package var createsFolder = false

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

  /// Makes a container that opens its stores later.
  package init(
    name: String, _ model: Model, describing stores: [StoreDescription], places: StorePlaces,
    classes: [ManagedObject.Type], transformers: [ValueTransformer]
  ) {
    self.name = name
    coordinator = PersistentStoreCoordinator(
      model: model, places: places, classes: classes, transformers: transformers)
    mainContext = ManagedObjectContext(coordinator, concurrency: .mainActor)
    mainContext.name = "view"
    mainContext.automaticallyMergesChangesFromParent = true
    work = BackgroundWork { [coordinator] in ManagedObjectContext(coordinator) }
    state = Mutex(State(descriptions: stores))
  }

  /// Makes a container over several stores, and opens them.
  ///
  /// - Parameters:
  ///   - classes: The classes of the objects, each for the entity that it names.
  ///   - transformers: The transformers of transformable attributes.
  /// - Throws: `StoreError` if a store can't be opened; ``ContextError`` if its model differs from `model`.
  public convenience init(
    _ model: Model, stores: [StoreDescription], places: StorePlaces,
    classes: [ManagedObject.Type] = [], transformers: [ValueTransformer] = []
  ) throws {
    self.init(
      name: stores.first.map { Self.name(of: $0.path) } ?? "", model, describing: stores,
      places: places, classes: classes, transformers: transformers)
    for store in stores { try load(store) }
  }

  /// Returns the name of the file at a path, without the ending.
  private static func name(of path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    return String(file.split(separator: ".").first ?? file)
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
}

// MARK: - Stores

extension PersistentContainer {
  /// The stores that ``loadPersistentStores(_:)`` opens.
  ///
  /// A change of a description has no effect on a store that is open.
  public var persistentStoreDescriptions: [StoreDescription] {
    get { state.withLock { $0.descriptions } }
    set { state.withLock { $0.descriptions = newValue } }
  }

  /// Opens the described stores that are not open yet, and creates those that do not exist.
  ///
  ///     container.loadPersistentStores { description, error in
  ///       if let error { print("Can't open \(description.path): \(error)") }
  ///     }
  ///
  /// The stores are opened on the calling thread, one after another. A failure does not keep the remaining stores from
  /// being opened, and a second call tries the failed stores again.
  ///
  /// - Parameter report: Receives each description in order, with the error if the store was not opened.
  public func loadPersistentStores(_ report: (StoreDescription, (any Error)?) -> Void) {
    for description in persistentStoreDescriptions {
      do {
        try load(description)
        report(description, nil)
      } catch { report(description, error) }
    }
  }

  /// Opens the described stores as ``loadPersistentStores(_:)`` does, on a thread of the background.
  ///
  ///     for result in await container.loadPersistentStores() { print(try result.get().path ?? "in memory") }
  ///
  /// - Returns: The store or the error for each description, in their order.
  public func loadPersistentStores() async -> [Result<PersistentStore, any Error>] {
    await withCheckedContinuation { done in
      DispatchQueue.global().async { [self] in
        done.resume(
          returning: persistentStoreDescriptions.map { description in
            Result { try load(description) }
          })
      }
    }
  }

  @discardableResult
  private func load(_ description: StoreDescription) throws -> PersistentStore {
    let known = state.withLock { state in
      state.opened.removeAll { $0.store.isGone }
      return state.opened.first {
        $0.description.path == description.path
          && $0.description.configuration == description.configuration
      }?.store
    }
    if let known { return known }
    if description.createsFolder {
      try coordinator.requirePlaces().makeFolder(of: description.path)
    }
    let store = try coordinator.addStore(
      at: description.path, type: description.type, configuration: description.configuration,
      readOnly: description.isReadOnly, migrator: description.migrator)
    state.withLock { $0.opened.append((description, store)) }
    return store
  }
}

// MARK: - Contexts

extension PersistentContainer {
  /// Returns a new context with its own queue, which saves into the stores.
  public func newBackgroundContext() -> ManagedObjectContext {
    ManagedObjectContext(coordinator)
  }

  /// Reads in a context with its own queue, and returns values that any actor may use.
  ///
  ///     let trips: [Trip.Snapshot] = try await container.read { try $0.fetchSnapshots(Trip.all) }
  ///
  /// Reads run side by side, and each sees one moment. Use it in asynchronous code, such as the routes of a server.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, at the next search; the errors of `body`.
  public func read<R: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> R
  ) async throws -> R { try await work.read(body) }

  /// Changes objects in a context with its own queue, saves, and returns values that any actor may use.
  ///
  ///     try await container.write { context in
  ///       for trip in try context.fetch(Trip.where { $0.cost < 0 }) { trip.cost = 0 }
  ///     }
  ///
  /// The calls of one container run one after another, so they never conflict with each other. An error of `body` or of
  /// the save takes all changes back.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before the save; the errors of `body` and of a save.
  @discardableResult
  public func write<R: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> R
  ) async throws -> R { try await work.write(body) }

  /// Changes objects in the same way. A result that can't leave the context, such as an inserted object, is dropped.
  ///
  /// - Throws: As the form that returns a value.
  public func write<R>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> R
  ) async throws { try await work.write { _ = try body($0) } }

  /// Runs `body` in a new context with its own queue, and returns its result.
  public func performBackgroundTask<R: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> R
  ) async throws -> R {
    let context = newBackgroundContext()
    return try await context.perform { try body(context) }
  }

  /// Runs `body` in a new context with its own queue, and does not wait for it.
  ///
  /// This is the form for callers that are not asynchronous. `body` handles its errors itself.
  public func performBackgroundTask(_ body: @escaping @Sendable (ManagedObjectContext) -> Void) {
    let context = newBackgroundContext()
    context.schedule { body(context) }
  }
}
