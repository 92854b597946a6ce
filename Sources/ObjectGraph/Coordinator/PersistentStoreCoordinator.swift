public import Foundation
public import ObjectModel
import ObjectQuery
import Rows
public import StoreInterface
import Synchronization

/// Connects contexts with stores: keeps the stores, chooses the store of a new object, and commits changes to several
/// stores at once.
///
///     let coordinator = PersistentStoreCoordinator(
///       model: model, places: StorePlaces(.builtIn, on: RealDisk()), classes: [Trip.self])
///     try coordinator.addStore(at: "Trips.store")
///     let context = ManagedObjectContext(coordinator)
///
/// May be used from any thread.
public final class PersistentStoreCoordinator: Sendable {
  /// The model of all objects.
  public let model: Model
  /// The environment in which stores are opened; `nil` if the program opens all stores itself.
  public let places: StorePlaces?
  let classes: [String: ManagedObject.Type]
  /// The transformers between values and bytes, by name.
  public let transformers: [String: ValueTransformer]

  private struct State {
    var stores: [PersistentStore] = [] {
      didSet {
        linkTables = Dictionary(
          stores.map { ($0.tag, $0.graph.linkTables) },
          uniquingKeysWith: { first, _ in first })
      }
    }
    private(set) var linkTables: [StoreTag: Set<UInt16>] = [:]
    var contexts: [(mail: ContextMail, context: WeakContext)] = []
  }
  private let state = Mutex(State())
  private let storeChangeCount = Atomic(0)
  /// Sends an element for every commit.
  let commitSignals = StreamHub<Void>()
  /// Decides which save waits for another save.
  let commitQueue = CommitQueue()

  /// Creates a coordinator without stores.
  ///
  /// - Parameters:
  ///   - classes: The classes of the objects, one for each entity. An object of an entity without a class has the
  ///     class of the nearest superentity that has one, or else ``ManagedObject``. A class may declare fewer properties
  ///     than its entity has.
  ///   - transformers: The transformers between the values of transformable attributes and bytes.
  /// - Precondition: The properties that the classes declare are in the model, with the same types. The program stops
  ///   with a list of all that are not.
  public init(
    model: Model, places: StorePlaces? = nil, classes: [ManagedObject.Type] = [],
    transformers: [ValueTransformer] = []
  ) {
    self.transformers = Dictionary(
      transformers.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
    self.model = model
    self.places = places
    var byName: [String: ManagedObject.Type] = [:]
    let disagreements = ClassAgreement.disagreements(of: classes, with: model)
    require(
      disagreements.isEmpty,
      """
      The classes do not fit the model:
        \(disagreements.joined(separator: "\n  "))
      """)
    for type in classes { byName[type.entityName] = type }
    for entity in model.entities where byName[entity.name] == nil {
      var next = entity.superentity
      while let name = next {
        if let type = byName[name] {
          byName[entity.name] = type
          break
        }
        next = model[name]?.superentity
      }
    }
    self.classes = byName
  }

  /// The stores, in the order in which they were added.
  public var stores: [PersistentStore] { state.withLock { $0.stores } }

  /// Returns the store at a path, however the path is spelled, or `nil`.
  public func store(at path: String) -> PersistentStore? {
    stores.first { store in
      guard let known = store.path else { return false }
      return known == path || (try? places?.isSame(known, path)) ?? false
    }
  }

  /// Returns the store with the given identifier, or `nil`.
  public subscript(uuid: UUID) -> PersistentStore? { stores.first { $0.uuid == uuid } }

  func store(of tag: StoreTag) -> PersistentStore? { stores.first { $0.tag == tag } }

  /// The number of times that a store was added, removed or moved.
  var storeChanges: Int { storeChangeCount.load(ordering: .acquiring) }

  private func recordStoreChange() {
    storeChangeCount.add(1, ordering: .releasing)
  }

  /// Replaces a store with another store.
  func replace(_ store: PersistentStore, with other: PersistentStore) {
    state.withLock { state in
      // A new object goes to the first store that holds its entity, so the new store takes the old store's position.
      guard let place = state.stores.firstIndex(of: store) else {
        return state.stores.append(other)
      }
      state.stores[place] = other
    }
    store.recordGone()
    recordStoreChange()
  }
}

// MARK: - Stores

extension PersistentStoreCoordinator {
  /// Opens the store at a path, or creates it if there is none, and adds it.
  ///
  /// At the path `/dev/null` a new store in memory is created, whatever the type is.
  ///
  /// - Parameters:
  ///   - type: The store's type. If it is `nil`, the file determines the type, and a new store has the type
  ///     `StoreType.binary`.
  ///   - configuration: The configuration that lists the store's entities; `nil` for all entities.
  ///   - readOnly: Whether the coordinator never writes to the store. The store must exist then.
  ///   - migrator: The migrator of a store that has another model or another type; if it is `nil`, such a store is
  ///     refused.
  /// - Throws: `StoreError` if the store can't be opened; ``ContextError`` if its model is another one; or the
  ///   migrator's error.
  @discardableResult
  public func addStore(
    at path: String, type: StoreType? = nil, configuration: String? = nil, readOnly: Bool = false,
    migrator: (any StoreMigrator)? = nil
  ) throws -> PersistentStore {
    do {
      return try openAndAdd(path, type, configuration, readOnly)
    } catch {
      guard let migrator, !readOnly, mayBeMigrated(error, type) else { throw error }
      try migrator.migrateStore(
        at: path, type: type, to: try model(of: configuration), configuration: configuration,
        in: try requirePlaces())
      return try openAndAdd(path, type, configuration, readOnly)
    }
  }

  private func openAndAdd(
    _ path: String, _ type: StoreType?, _ configuration: String?, _ readOnly: Bool
  ) throws -> PersistentStore {
    let store = try open(path, type, configuration, readOnly)
    do {
      return try add(
        fitting(
          store, configuration, readOnly,
          path: path == PersistentStoreCoordinator.memoryPath ? path : nil))
    } catch {
      try? store.close()
      throw error
    }
  }

  /// The path of stores in memory. Core Data gives a database at this path the same meaning.
  private static let memoryPath = "/dev/null"

  /// Whether a migration may remove the reason for which a store was refused: its model or its type.
  private func mayBeMigrated(_ error: any Error, _ type: StoreType?) -> Bool {
    switch error {
    case let error as ContextError: error.code == .incompatibleModel
    case let error as StoreError:
      // If a backend reports damage, the file may be an intact file of another backend.
      error.code == .incompatibleModel
        || type != nil && [.notAStore, .damaged].contains(error.code)
    default: false
    }
  }

  private func open(
    _ path: String, _ type: StoreType?, _ configuration: String?, _ readOnly: Bool
  ) throws -> any Store {
    let places = try requirePlaces()
    let type = path == PersistentStoreCoordinator.memoryPath ? .memory : type
    if type != .memory {
      // Most stores exist when they are added, so opening is tried first.
      do { return try places.open(path, type: type, StoreOpening(readOnly: readOnly)) } catch {
        if try readOnly || places.exists(path) { throw error }
      }
    }
    return try places.create(path, type: type ?? .binary, model: try model(of: configuration))
  }

  /// Adds a store that the caller has opened.
  ///
  /// - Throws: ``ContextError`` if the store has another model than the coordinator, or was added before.
  @discardableResult
  public func add(
    _ store: any Store, configuration: String? = nil, readOnly: Bool = false
  ) throws -> PersistentStore {
    try add(fitting(store, configuration, readOnly))
  }

  /// Adds a store of a coordinator that no program knows, without a notification.
  func addUnannounced(_ store: any Store) throws -> PersistentStore {
    try add(fitting(store, nil, false), isAnnounced: false)
  }

  private func add(
    _ added: PersistentStore, isAnnounced: Bool = true
  ) throws -> PersistentStore {
    try state.withLock { state in
      guard !state.stores.contains(where: { $0.tag == added.tag }) else {
        throw ContextError(
          .notSupported,
          """
          The store\(at(added.path)) has the identifier \(added.uuid), which another store of this \
          coordinator has too. Give a copy of a store a new identifier.
          """)
      }
      state.stores.append(added)
    }
    recordStoreChange()
    follow(added)
    if isAnnounced { post(.persistentStoreCoordinatorStoresDidChange, added: [added]) }
    return added
  }

  /// Returns a store as a store of this coordinator, without adding it. Throws if the store's model does not fit.
  ///
  /// - Parameter path: The path at which a store without its own path is added.
  func fitting(
    _ store: any Store, _ configuration: String?, _ readOnly: Bool, path: String? = nil
  ) throws -> PersistentStore {
    // The known snapshot is enough here: a context asks for the newest snapshot when it reads.
    let snapshot = try store.knownSnapshot()
    let metadata = try snapshot.metadata
    try check(metadata, snapshot, configuration, store.path)
    guard let uuid = metadata.uuid else {
      throw ContextError(.noStore, "The store\(at(store.path)) has no UUID.")
    }
    let entities = try configuration.map { Set(try self.configuration($0).entities) }
    return PersistentStore(
      store, uuid: uuid, configuration: configuration, entities: entities, isReadOnly: readOnly,
      graph: GraphSchema.of(model, snapshot.schema), checkedCommit: snapshot.commit, path: path)
  }

  /// Removes a store from the coordinator and closes it. Objects that contexts have of this store can be read but not
  /// saved.
  ///
  /// - Throws: The store's error on closing.
  public func remove(_ store: PersistentStore) throws {
    let isKnown = stores.contains(store)
    if isKnown { post(.persistentStoreCoordinatorWillRemoveStore, removed: [store]) }
    state.withLock { $0.stores.removeAll { $0 === store } }
    store.recordGone()
    recordStoreChange()
    defer {
      if isKnown { post(.persistentStoreCoordinatorStoresDidChange, removed: [store]) }
    }
    try store.store.close()
  }

  /// Replaces the file of one store with the file of another store, in one step.
  ///
  /// - Throws: `StoreError`; or ``ContextError`` if this coordinator has a store at either path: remove that store
  ///   first.
  public func replaceStore(at path: String, withStoreAt replacement: String) throws {
    for path in [path, replacement] {
      try refuseOpenStore(at: path)
      if path == PersistentStoreCoordinator.memoryPath {
        throw ContextError(
          .notSupported, "A store in memory, at \"\(path)\", has no file that can be replaced.")
      }
    }
    let places = try requirePlaces()
    _ = try places.metadata(at: replacement)
    try places.replace(path, with: replacement)
  }

  /// Deletes a store's file. Does nothing at `/dev/null`, the path of stores in memory.
  ///
  /// - Throws: `StoreError`; or ``ContextError`` if this coordinator has the store.
  public func destroyStore(at path: String) throws {
    if path == PersistentStoreCoordinator.memoryPath { return }
    try refuseOpenStore(at: path)
    try requirePlaces().destroy(path)
  }

  /// Returns the metadata of the store at a path, read without a model.
  ///
  /// - Throws: `StoreError`.
  public func metadata(ofStoreAt path: String, type: StoreType? = nil) throws -> StoreMetadata {
    try requirePlaces().metadata(at: path, type: type)
  }

  /// Sets the metadata of a store.
  ///
  /// - Throws: `StoreError`.
  public func setMetadata(_ metadata: StoreMetadata, of store: PersistentStore) throws {
    guard !store.isReadOnly else { throw StoreError.addedForReading(store.path) }
    try commitQueue.alone(with: [store]) {
      let snapshot = try store.store.snapshot()
      try store.store.commit(CommitRequest(Layer(), basedOn: snapshot, metadata: metadata))
    }
  }
}

// MARK: - Checks of paths, models and stores

extension PersistentStoreCoordinator {
  func requirePlaces() throws -> StorePlaces {
    guard let places else {
      throw ContextError(
        .noStore, "The coordinator was created without places, so it can't open stores.")
    }
    return places
  }

  private func refuseOpenStore(at path: String) throws {
    for case let open? in stores.map(\.path) {
      // Different paths may name the same place.
      guard try open == path || places?.isSame(open, path) ?? false else { continue }
      throw ContextError(
        .notSupported, "The store at \"\(path)\" is open. Remove it from the coordinator first.")
    }
  }

  private func configuration(_ name: String) throws -> Configuration {
    let all = model.description.configurations
    guard let found = all.first(where: { $0.name == name }) else {
      throw ContextError(
        .noStore,
        """
        The model has no configuration "\(name)". It has: \
        \(all.map { "\"\($0.name)\"" }.joined(separator: ", ")).
        """)
    }
    return found
  }

  /// Returns the model for a new store of a configuration.
  func model(of configuration: String?) throws -> Model {
    guard let configuration else { return model }
    _ = try self.configuration(configuration)
    // A configuration with relationships that lead out of it has no model of its own.
    return (try? model.subset(configuration: configuration)) ?? model
  }

  /// Throws if a commit has another model, because another process has migrated the store since it was added.
  ///
  /// Costs nothing for a commit of this coordinator.
  func checkModel(of snapshot: any StoreSnapshot, in store: PersistentStore) throws {
    if store.isChecked(snapshot.commit) { return }
    try check(snapshot.metadata, snapshot, store.configuration, store.path)
    guard snapshot.schema == store.graph.schema else {
      throw ContextError(
        .incompatibleModel,
        "The store\(at(store.path)) has changed the numbers of its entities or properties since it was added. "
          + "Remove the store from the coordinator, and add it again.")
    }
    store.recordChecked(snapshot.commit)
  }

  /// Throws if a store was written with another model. The error names the differences.
  private func check(
    _ metadata: StoreMetadata, _ snapshot: any StoreSnapshot, _ configuration: String?,
    _ path: String?
  ) throws {
    guard let hashes = metadata.versionHashes else { return }
    let whole = model.differences(from: hashes)
    if whole.isEmpty { return }
    if configuration != nil,
      model.differences(from: hashes, configuration: configuration).isEmpty
    {
      return
    }
    var message = "The store\(at(path)) was written with another model: \(whole)."
    if let stored = try? snapshot.model {
      let changes = ModelDifference(from: stored, to: model).changes.filter(\.isSeenByHashes)
      for change in changes.prefix(20) { message += "\n  \(change)" }
      if changes.count > 20 { message += "\n  and \(changes.count - 20) more" }
    }
    throw ContextError(.incompatibleModel, message)
  }

  /// Returns the store for a new object of an entity: the first store with a configuration that has the entity, or else
  /// the first store without a configuration.
  func store(for entity: String) throws -> PersistentStore {
    let fitting = stores.filter { $0.holds(entity) && !$0.isReadOnly }
    guard let store = fitting.first(where: { $0.entities != nil }) ?? fitting.first else {
      throw ContextError(
        .noStore,
        stores.isEmpty
          ? "The coordinator has no store." : "No writable store contains the entity \"\(entity)\"."
      )
    }
    return store
  }
}

/// Returns the phrase that names the path of a store in a message.
func at(_ path: String?) -> String { path.map { " at \"\($0)\"" } ?? "" }

// MARK: - Contexts

extension PersistentStoreCoordinator {
  /// Adds a context to the contexts that are notified of saves.
  func register(_ mail: ContextMail, _ context: WeakContext) {
    state.withLock { state in
      state.contexts.removeAll { $0.mail.isGone.load(ordering: .relaxed) }
      state.contexts.append((mail, context))
    }
  }

  /// The numbers of the tables that contain links and no objects, by store.
  var linkTables: [StoreTag: Set<UInt16>] { state.withLock { $0.linkTables } }

  /// The registered contexts. The coordinator does not retain them.
  var contexts: [(mail: ContextMail, context: WeakContext)] { state.withLock { $0.contexts } }
}

// MARK: - Committing

extension PersistentStoreCoordinator {
  /// Commits changes to one store or several stores: to all of them or to none.
  ///
  /// - Parameter ordered: Called as soon as the next save may begin, if that is before this save is durable.
  /// - Returns: The new snapshots of the stores, in the order of the requests.
  /// - Throws: The error of the first store that refuses. Stores that had already committed revert their changes.
  func commit(
    _ requests: [(store: PersistentStore, request: CommitRequest)],
    whenOrdered ordered: () -> Void
  ) throws -> [any StoreSnapshot] {
    defer { commitSignals.yield(()) }
    if requests.count == 1 {
      let (store, request) = requests[0]
      if let groupCommits = store.features.groupCommits {
        return [
          try commitQueue.together(with: store) {
            let snapshot = try groupCommits.commit(request) { snapshot in
              store.recordChecked(snapshot.commit)
              ordered()
            }
            store.recordOwn(request, snapshot)
            return snapshot
          }
        ]
      }
      return [
        try commitQueue.alone(with: [store]) {
          let snapshot = try store.store.commit(request)
          store.recordOwn(request, snapshot)
          return snapshot
        }
      ]
    }
    return try commitQueue.alone(with: requests.map(\.store)) {
      let snapshots = try PreparedSave(requests.map { ($0.store.store, $0.request) }).commit()
      for (part, snapshot) in zip(requests, snapshots) {
        part.store.recordOwn(part.request, snapshot)
      }
      return snapshots
    }
  }
}
