import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

// Saving.
extension ManagedObjectContext {
  /// Saves all changes: into the stores, or into the parent context.
  ///
  /// Either everything is saved or nothing. After an error the context still has its changes, so you can
  /// mend the cause and save again. A save into stores is durable when this returns.
  ///
  /// - Throws: ``ContextError`` with the code ``ContextError/Code/validation`` and everything that is
  ///   wrong, or ``ContextError/Code/conflict`` when somebody else has changed the same objects and the
  ///   merge policy does not say what then; `StoreError` when a store can't be written.
  public func save() throws { _ = try saveReturningLayers() }

  /// Saves, and gives what was saved.
  func saveReturningLayers() throws -> [StoreTag: Layer] {
    checkPlace()
    try throwReadFailure()
    guard hasChanges else { return [:] }
    replacements = [:]
    try sealForUndo()
    undoManager?.willSave()
    var isSaved = false
    defer { undoManager?.didSave(isSaved) }
    try agreeWithOthers()
    try prepareToSave()
    try throwReadFailure()
    announceChanges()
    announceSaving()
    let saved = try parent.map { try save(into: $0) } ?? saveIntoStores()
    isSaved = true
    finishSaving()
    publish()
    announceSave(saved)
    updateFollowers()
    sweepIfNeeded()
    return saved
  }

  /// Everything that is wrong with what would be saved now. Nothing is.
  ///
  /// - Throws: What a damaged store throws.
  public func validationFailures() throws -> [ValidationFailure] {
    checkPlace()
    try sealForUndo()
    undoManager?.willSave()
    defer { undoManager?.didSave(false) }
    do { try prepareToSave() } catch let error as ContextError where error.code == .validation {
      return error.failures
    }
    return []
  }

  // MARK: Before

  /// Asks objects to make themselves ready, and checks them.
  private func prepareToSave() throws {
    var rounds = 0
    var isSettled = false
    repeat {
      try propagateDeletionsOrThrow()
      try sealAll()
      rounds += 1
      guard rounds < 1000 else {
        throw ContextError(
          .validation, "Objects go on changing themselves in willSave, a thousand times by now.")
      }
      for object in changedObjects where type(of: object) != ManagedObject.self {
        object.willSave()
      }
      isSettled = !hasUnprocessedChanges
      try sealAll()
      try mergeDuplicates()
      try updateDerivedValues()
    } while !isSettled || hasUnprocessedChanges
    var failures = failuresOfClasses()
    if hasUnprocessedChanges {
      try propagateDeletionsOrThrow()
      try sealAll()
      try updateDerivedValues()
      try sealAll()
    }
    failures += try validate()
    guard failures.isEmpty else {
      throw ContextError(
        .validation,
        "\(failures.count) \(failures.count == 1 ? "thing is" : "things are") wrong with what is to be "
          + "saved.", failures: failures)
    }
  }

  /// Whether something was changed since changes were last processed.
  var hasUnprocessedChanges: Bool {
    !deletionsToPropagate.isEmpty || storeStates.contains { $0.hasOpenChanges }
  }

  // MARK: Into stores

  private func saveIntoStores() throws -> [StoreTag: Layer] {
    var parts: [(state: StoreState, layer: Layer)] = []
    for state in storeStates {
      let layer = try state.pendingLayer()
      if layer.isEmpty {
        state.forgetEmptyChanges()
        continue
      }
      guard !state.persistent.isReadOnly else {
        throw StoreError(
          .readOnly, "The store was added for reading only.", path: state.persistent.path)
      }
      parts.append((state, layer))
    }
    guard !parts.isEmpty else { return [:] }
    var resolved: Set<ObjectID> = []
    // Somebody else may save between finding out what is in conflict and saving what was made of it.
    for _ in 0..<16 {
      do {
        let snapshots = try coordinator.commit(
          parts.map { ($0.state.persistent, request($0.layer, in: $0.state)) })
        try settle(parts, snapshots, resolved)
        return Dictionary(uniqueKeysWithValues: parts.map { ($0.state.tag, $0.layer) })
      } catch let error as StoreError where error.code == .conflict {
        for index in parts.indices {
          let keys = try conflicts(of: parts[index].layer, in: parts[index].state)
          if keys.isEmpty { continue }
          parts[index].layer = try resolve(keys, of: parts[index].layer, in: parts[index].state)
          resolved.formUnion(keys.map { ObjectID(store: parts[index].state.tag, key: $0) })
        }
      }
    }
    throw ContextError(
      .conflict, "Others save the same objects faster than this context can follow.")
  }

  func request(_ layer: Layer, in state: StoreState) -> CommitRequest {
    var request = CommitRequest(layer, basedOn: state.base.snapshot)
    request.base = min(state.oldestCommit, request.base)
    request.author = transactionAuthor
    request.contextName = name
    return request
  }

  /// Takes note of what was committed.
  private func settle(
    _ parts: [(state: StoreState, layer: Layer)], _ snapshots: [any StoreSnapshot],
    _ resolved: Set<ObjectID>
  ) throws {
    for (part, snapshot) in zip(parts, snapshots) {
      let before = part.state.base.snapshot
      // When nobody else has saved since, everything that is known is as of this commit.
      if part.state.oldestCommit == before.commit, snapshot.commit == before.commit + 1 {
        part.state.oldestCommit = snapshot.commit
      }
      part.state.setSaved(StoreBase(snapshot: snapshot), commit: snapshot.commit)
      following?.noteOwnSave(part.state.tag, before: before.commit, part.state.base)
    }
    for id in resolved {
      guard let state = knownState(of: id.store),
        let object = state.entity(id.key.entity, self)?.objects[id.key.number]
      else { continue }
      try resolve(object, in: state)
      if object.state.contains(.missing) {
        object.state.insert(.deleted)
      } else {
        object.state.remove(.deleted)
        object.awake(fromSnapshotEvents: .mergePolicy)
      }
    }
  }

  /// Forgets what was pending.
  private func finishSaving() {
    let objects = changedObjects
    changedObjects = []
    denials = []
    momentsTaken = []
    for object in objects {
      if object.state.contains(.deleted) {
        object.source.entity.objects.remove(object.key.number)
        object.state.subtract([.inserted, .updated, .pending])
        object.state.insert(.missing)
      } else {
        object.state.subtract([.inserted, .updated, .pending])
      }
      if type(of: object) != ManagedObject.self { object.didSave() }
    }
    // What didSave changes belongs to the next save.
  }
}

// MARK: - Conflicts

extension ManagedObjectContext {
  /// The objects and links of a layer that were changed in the store since.
  private func conflicts(of layer: Layer, in state: StoreState) throws -> [ObjectKey] {
    let head = try state.persistent.store.snapshot()
    return try request(layer, in: state).conflicts(with: head).map(\.key)
  }

  /// The layer with what the merge policy makes of the objects in conflict.
  ///
  /// - Throws: ``ContextError`` when the policy is to fail, or what a custom one throws.
  private func resolve(
    _ keys: [ObjectKey], of layer: Layer, in state: StoreState
  ) throws -> Layer {
    let head = try state.persistent.store.snapshot()
    let view = head.view
    let schema = state.graph.schema
    var conflicts: [MergeConflict] = []
    for key in keys {
      if let conflict = try mergeConflict(about: key, view, state) {
        conflicts.append(conflict)
      }
    }
    // Links, and objects that both sides have deleted, are nothing to decide about.
    guard let decide = conflicts.isEmpty ? { @Sendable _ in .keepStored } : mergePolicy.decide
    else {
      throw ContextError(
        .conflict,
        "\(conflicts.count) \(conflicts.count == 1 ? "object was" : "objects were") changed by somebody "
          + "else since they were read.", conflicts: conflicts)
    }
    let builder = LayerBuilder(schema)
    for conflict in conflicts {
      let key = conflict.object.key
      let row = try view.row(of: key)
      let basis = try row?.version ?? 0
      switch try decide(conflict) {
      case .keepStored: continue
      case .delete: if row != nil { builder.remove(key, basis: basis) }
      case .save(let values):
        if row == nil { builder.insert(key) }
        guard let layout = schema[key.entity] else { continue }
        for (name, value) in values {
          guard let column = layout.index(of: name) else { continue }
          if conflict.theirs?[name] == value { continue }
          builder.set(value, column: column, of: key, basis: basis)
        }
      }
    }
    // A link that somebody else has taken out, or put, is as it should be already.
    let links = keys.filter { state.graph[$0.entity] == nil }
    for link in links {
      guard case .removed? = try layer[link.entity]?.entry(of: link.number),
        let row = try view.row(of: link)
      else { continue }
      builder.remove(link, basis: try row.version)
    }
    state.setBase(StoreBase(snapshot: head))
    state.oldestCommit = head.commit
    return try layer.without(Set(keys), schema: schema).merged(
      with: builder.freeze(), schema: schema)
  }

  /// The three states of an object; `nil` when it is nowhere any more, or no object.
  ///
  /// - Parameter view: What the store has by now.
  func mergeConflict(
    about key: ObjectKey, _ view: View, _ state: StoreState
  ) throws -> MergeConflict? {
    guard let entity = state.entity(key.entity, self) else { return nil }
    let columns = entity.graph.layout.columns
    func values(_ value: (Int) throws -> Value) rethrows -> [String: Value] {
      var all: [String: Value] = [:]
      for index in columns.indices { all[columns[index].name] = try value(index) }
      return all
    }
    let object = entity.objects[key.number]
    let base = object?.committedPlace.map { place in
      values { place.source.value($0, place.row) }
    }
    var mine: [String: Value]?
    if let object, !object.state.contains(.deleted) {
      mine = values { object.source.value($0, Int(object.row)) }
    }
    let theirs = try view.row(of: key).map { row in try values { try row.value(columns[$0]) } }
    if mine == nil, theirs == nil { return nil }
    var conflict = MergeConflict(
      object: ObjectID(store: state.tag, key: key), entity: entity.graph.name, base: base,
      mine: mine, theirs: theirs)
    conflict.derivedKeys = Set(entity.graph.derived.map { entity.graph.properties[$0].name })
    return conflict
  }
}

extension ManagedObject {
  /// Where the object's values are that were saved last; `nil` when none were.
  final var committedPlace: (source: RowSource, row: Int)? {
    var source = source
    var row = Int(row)
    while source.isPending {
      guard let below = source.below(row) else { return nil }
      (source, row) = below
    }
    return source.isUnresolved ? nil : (source, row)
  }
}
