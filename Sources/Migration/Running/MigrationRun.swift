import Foundation
import ObjectGraph
import ObjectModel
import Rows
import StoreInterface

/// A running migration: the objects after the steps so far, and the temporary stores that contain them.
///
/// A step that needs no row written only changes how rows are read. Any other step writes all rows to a temporary
/// store, beside the store that is migrated.
struct MigrationRun {
  private let migrator: Migrator
  private let plan: MigrationPlan
  private let places: StorePlaces
  /// The path of the result.
  private let path: String
  private let uuid: UUID

  /// The objects after the steps so far.
  private(set) var current: any StoreSnapshot
  /// Models that `current` is read through and that its store does not know yet.
  private(set) var pendingModels: [Model] = []
  /// The temporary store that contains the objects; `nil` while the migrated store still contains them.
  private var own: (store: any Store, path: String?)?
  /// Whether objects keep their numbers.
  let keepsKeys: Bool
  /// Whether a step joins entities with objects that share numbers, so that rows must be written again.
  private let joinsNumbers: Bool
  /// Whether the result needs its own lane: it stays beside the migrated store, and its objects keep their numbers.
  private var needsLane: Bool
  private(set) var lostReferenceCount = 0
  private var step = 0
  private var paths: [String] = []

  init(
    _ migrator: Migrator, _ plan: MigrationPlan, _ opened: Migrator.Opened, writing path: String,
    replacing: Bool, in places: StorePlaces
  ) throws {
    self.migrator = migrator
    self.plan = plan
    self.places = places
    self.path = path
    current = opened.snapshot
    // Each type of store assigns numbers in its own way, and objects made again get new numbers.
    let isIncremental = try places.backend(of: plan.type.after).capabilities.contains(.incremental)
    joinsNumbers = try MigrationRun.joinsNumbers(plan, opened.snapshot)
    keepsKeys =
      plan.type.before == plan.type.after
      && plan.steps.allSatisfy { $0.keepsObjects && (!$0.hasHandlers || isIncremental) }
      && !joinsNumbers
    // Two stores that exist at the same time need two UUIDs. So do two stores with numbers that mean different
    // objects.
    needsLane = !replacing && keepsKeys && plan.type.after.recordsLanes
    uuid = try replacing && keepsKeys ? opened.snapshot.metadata.uuid ?? UUID() : UUID()
  }

  /// Whether a step joins entities with shared object numbers into one family, and the store type can't represent
  /// that.
  private static func joinsNumbers(
    _ plan: MigrationPlan, _ snapshot: any StoreSnapshot
  ) throws -> Bool {
    guard !plan.type.after.numbersEachEntity else { return false }
    let before = try snapshot.model
    var names = Dictionary(
      uniqueKeysWithValues: snapshot.schema.layouts.map { ($0.entityNumber, $0.entity) })
    for step in plan.steps {
      guard case .inferred(let mapping) = step.means else { return false }
      names = names.compactMapValues { mapping.continuation.entity(after: $0)?.name }
      let families = Dictionary(grouping: names.keys) { number in
        names[number].flatMap { mapping.destination.root(of: $0)?.name }
      }
      for family in families.values {
        let roots = Set(
          family.map { number in
            snapshot.schema[number].flatMap { before.root(of: $0.entity)?.name }
          })
        if roots.count > 1, try snapshot.view.sharesNumbers(family) { return true }
      }
    }
    return false
  }

  /// Whether the rows of the migrated store need no change.
  var isInPlace: Bool { own == nil && plan.type.before == plan.type.after }

  /// Performs all steps.
  mutating func takeSteps() throws {
    for (index, step) in plan.steps.enumerated() {
      self.step = index + 1
      try report(StoreCopy.Progress(done: 0, total: 0))
      if let before = step.before { try hand(to: before) }
      switch step.means {
      case .inferred(let mapping): try take(mapping)
      case .written(let mapping): try take(mapping)
      }
      if let after = step.after { try hand(to: after) }
    }
  }

  private func report(_ progress: StoreCopy.Progress) throws {
    try Task.checkCancellation()
    try migrator.progress?(
      MigrationProgress(
        step: step, stepCount: plan.steps.count, done: progress.done, total: progress.total))
  }

  // MARK: - Steps

  private mutating func take(_ mapping: InferredMapping) throws {
    let schema = try Schema(
      mapping.destination, evolving: current.schema, of: current.model)
    let transfer = RowTransfer(mapping, from: current.schema, to: schema)
    if transfer.rewritings.isEmpty, !joinsNumbers {
      current = EvolvedSnapshot(current, mapping.destination, schema)
      pendingModels.append(mapping.destination)
    } else {
      let (origins, drops) = try transfer.origins(reading: current)
      // The plan has counted these drops, unless an earlier step wrote the rows again.
      try migrator.checkLoss(of: drops, plan)
      let made = try makeStore(mapping.destination, schema)
      try copy(to: made.store, origins, keepingKeys: true)
      try derive(transfer.derivingEntities, in: made.store)
      try take(made)
    }
    guard !migrator.allowsInvalid else { return }
    let check = try InferredChecks(mapping, all: own != nil && pendingModels.isEmpty).check(
      current, of: StoreTag(uuid))
    guard check.isValid else { throw MigrationError.invalid(check) }
  }

  private mutating func take(_ mapping: MappingModel) throws {
    let made = try makeStore(mapping.destination, nil)
    let manager = try MigrationManager(
      mapping, from: current, to: made.store, policies: migrator.policies,
      classes: plan.to.model.versionHashes == mapping.destination.versionHashes
        ? migrator.classes : [], transformers: migrator.transformers, report: report)
    manager.allowsInvalid = migrator.allowsInvalid
    try manager.run()
    try carryMetadata(to: made.store)
    try take(made)
  }

  /// Replaces the current temporary store with a store that contains the migrated objects.
  private mutating func take(_ made: (store: any Store, path: String?)) throws {
    let before = own
    own = made
    current = try made.store.snapshot()
    pendingModels = []
    try before?.store.close()
    if let path = before?.path {
      try places.destroy(path)
      paths.removeAll { $0 == path }
    }
  }

  private func carryMetadata(to store: any Store) throws {
    let head = try store.snapshot()
    let metadata = try head.metadata.adding(applicationValuesOf: current.metadata)
    guard try metadata != head.metadata else { return }
    try store.commit(CommitRequest(Layer(), basedOn: head, metadata: metadata))
  }

  /// Computes the derived values of all objects of some entities.
  private func derive(_ entities: [String], in store: any Store) throws {
    guard !entities.isEmpty else { return }
    let (context, added) = try context(on: store)
    context.defersValidation = true
    let head = try store.snapshot()
    for name in entities {
      guard let layout = head.schema[name] else { continue }
      try head.view.keys(ofEntity: layout.entityNumber).forEachBatch { batch in
        try context.performAndWait {
          for number in batch {
            let key = ObjectKey(entity: layout.entityNumber, number: number)
            context.deriveAgain(context.object(with: ObjectID(store: added.tag, key: key)))
          }
          try context.save()
        }
        try Task.checkCancellation()
      }
    }
  }

  private func context(
    on store: any Store
  ) throws -> (ManagedObjectContext, PersistentStore) {
    let model = try store.snapshot().model
    let versions = migrator.versions + migrator.stages.flatMap(\.versions)
    let classes = versions.first { !$0.classes.isEmpty && $0.isSame(as: model) }?.classes ?? []
    let coordinator = PersistentStoreCoordinator(
      model: model, classes: classes, transformers: migrator.transformers)
    let added = try coordinator.add(store)
    return (ManagedObjectContext(coordinator, concurrency: .confined), added)
  }

  // MARK: - Handlers

  /// Passes the current objects to a handler of the program, and saves the changes.
  private mutating func hand(to handler: MigrationStage.Handler) throws {
    try materialize()
    guard let own else { return }
    let (context, _) = try context(on: own.store)
    try context.performAndWait {
      try handler(context)
      try context.save()
    }
    current = try own.store.snapshot()
  }

  /// Copies the objects into a temporary store with their model, unless one contains them already.
  private mutating func materialize() throws {
    if let own {
      try commitPendingModels(to: own.store)
      current = try own.store.snapshot()
      return
    }
    let made = try makeStore(current.model, current.schema)
    try copy(to: made.store, keepingKeys: true)
    try take(made)
  }

  /// Copies the current objects to a store.
  private mutating func copy(
    to store: any Store, _ origins: [RowOrigin]? = nil, keepingKeys keepsKeys: Bool
  ) throws {
    var lanes = try current.metadata.lanes
    if needsLane { lanes.draw() }
    needsLane = false
    let copied = try StoreCopy(
      from: current, to: store, origins, keepingKeys: keepsKeys, lanes: lanes
    ).run(report)
    lostReferenceCount += copied.lostReferenceCount
  }

  private mutating func commitPendingModels(to store: any Store) throws {
    guard let last = pendingModels.popLast() else { return }
    var request = CommitRequest(Layer(), basedOn: try store.snapshot(), model: last)
    request.modelsBetween = pendingModels
    try store.commit(request)
    pendingModels = []
  }

  // MARK: - Stores

  /// Creates a store for a step. A wanted type that is incremental and durable is used directly. Otherwise the store
  /// lies in memory, because stores of such types are read and written whole anyway.
  private mutating func makeStore(
    _ model: Model, _ schema: Schema?
  ) throws -> (store: any Store, path: String?) {
    let backend = try places.backend(of: plan.type.after)
    let creation = StoreCreation(uuid: uuid, overwriting: true, schema: schema)
    guard backend.capabilities.isSuperset(of: [.incremental, .durable]) else {
      return (
        try MemoryStoreBackend().create(at: path, model: model, on: places.disk, creation), nil
      )
    }
    let made = try makeFile(model, creation)
    return (made.store, made.path)
  }

  private mutating func makeFile(
    _ model: Model, _ creation: StoreCreation
  ) throws -> (store: any Store, path: String) {
    let temporary = try places.pathOfReplacement(for: path)
    paths.append(temporary)
    // A store of another type may be a folder, so no file is reserved for it.
    if plan.type.before == plan.type.after {
      try places.reserve(temporary, withPermissionsOf: path)
    }
    let store = try places.create(temporary, type: plan.type.after, model: model, creation)
    return (store, temporary)
  }

  /// Writes all objects to a complete and durable file, and closes the file.
  ///
  /// - Returns: The path of the file, which the caller moves to its final path.
  mutating func finish() throws -> String {
    if let own, let file = own.path {
      try commitPendingModels(to: own.store)
      try own.store.close()
      return file
    }
    let model = try current.model
    let made = try makeFile(
      model,
      StoreCreation(
        uuid: uuid, overwriting: true, schema: keepsKeys ? current.schema : nil))
    try copy(to: made.store, keepingKeys: keepsKeys)
    try made.store.close()
    return made.path
  }

  /// Removes leftover logs of databases that were moved to their final paths.
  func removeLeftLogs() {
    for path in paths { places.removeLeftLogs(besides: path) }
  }

  /// Removes the temporary files of the run.
  mutating func cleanUp() {
    try? own?.store.close()
    own = nil
    for path in paths { try? places.destroy(path) }
    paths = []
  }
}
