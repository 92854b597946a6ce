import ObjectModel
import ObjectQuery
import Rows
import StoreInterface
import Synchronization

// What comes from other contexts: a child's changes, and what others have saved.
extension ManagedObjectContext {
  /// Hands all changes to the parent, which has them as its own from then on.
  func save(into parent: ManagedObjectContext) throws -> [StoreTag: Layer] {
    var layers: [(state: StoreState, layer: Layer)] = []
    for state in storeStates {
      let layer = try state.pendingLayer()
      if layer.isEmpty { state.forgetEmptyChanges() } else { layers.append((state, layer)) }
    }
    let transients = transientsToHand
    let parts = layers.map {
      (
        store: $0.state.persistent, layer: $0.layer, base: $0.state.base,
        hasMoved: $0.state.hasMoved
      )
    }
    let reached = reachedToHand
    var stale: Set<StoreTag> = []
    let bases = try parent.performAndWait {
      try parent.throwReadFailure()
      // What the parent did before is its own work, to be told of and undone by itself.
      try parent.processPendingChanges()
      for part in parts {
        let seen = part.base
        let isStale =
          part.hasMoved
          || parent.published.withLock { !($0.bases[part.store.tag]?.isSame(as: seen) ?? false) }
        let theirs = try parent.state(of: part.store)
        if isStale || theirs.hasMoved, let own = knownState(of: part.store) {
          let read = try readObjects(in: own) { key in
            !(parent.object(at: key, in: theirs).map(parent.exists) ?? false)
          }
          try parent.recall(read, in: theirs)
        }
        let applied = try parent.apply(part.layer, of: part.store)
        guard isStale else { continue }
        stale.insert(part.store.tag)
        try parent.settle([applied], reached: reached)
      }
      parent.takeTransients(transients)
      try parent.processPendingChanges()
      return parent.published.withLock { $0.bases }
    }
    for (state, _) in layers {
      let isStale = stale.contains(state.tag)
      state.setSaved(bases[state.tag] ?? state.base, version: 0, alone: !isStale)
      if isStale { try lookAgain(in: state) }
    }
    return Dictionary(uniqueKeysWithValues: layers.map { ($0.state.tag, $0.layer) })
  }

  /// Leads the objects that were changed to what the parent has made of the changes.
  func lookAgain(in state: StoreState) throws {
    for object in changedObjects
    where object.source.entity.store === state.persistent && !object.state.contains(.deleted) {
      object.point(to: object.source.entity.unresolved, row: 0)
      try resolve(object, in: state)
      if object.state.contains(.missing) { object.state.insert(.deleted) }
    }
  }

  /// Makes the changes of a layer in this context: values it gives are set, objects it puts in are
  /// inserted, those it takes out deleted.
  ///
  /// - Returns: What the layer was about, to be settled if whoever made it may not have known all that is
  ///   here.
  func apply(
    _ layer: Layer, of store: PersistentStore, events: SnapshotEvents = []
  ) throws -> AppliedLayer {
    let state = try state(of: store)
    workDepth += 1
    defer { workDepth -= 1 }
    try propagateDeletionsOrThrow()
    // What a layer brings back may have been taken out since the last sealing.
    try sealAll()
    orderEnds = [:]
    displaced = []
    var restored: [RestoredObject] = []
    for changes in layer.entities {
      guard let entity = state.entity(changes.entityNumber, self) else {
        try applyLinks(changes, state, events)
        continue
      }
      for one in try changes.entries() {
        switch one.entry {
        case .absent: continue
        case .put(let location):
          if let one = try put(one.key, location, entity, state, events) { restored.append(one) }
        case .changed(let location):
          guard
            let object = object(
              at: ObjectKey(entity: changes.entityNumber, number: one.key), in: state)
          else { continue }
          try set(location, of: object)
          awake(object, events.narrowed(to: .undoUpdate))
        case .removed:
          try takeOut(one.key, entity, events)
        }
      }
    }
    try sealAll()
    try liftChanges(of: restored, in: state)
    defer { displaced = [] }
    return AppliedLayer(state: state, layer: layer, displaced: displaced)
  }

  /// Brings changes of somebody who did not know all that is here into agreement with it: what leads to what
  /// they have taken out goes the way of its relationship's rule, nothing leads to what is gone, and both
  /// ends of one to one lead to each other.
  func settle(_ applied: [AppliedLayer]) throws {
    for applied in Dictionary(grouping: applied, by: { ObjectIdentifier($0.state) }).values {
      let (state, layers) = (applied[0].state, applied.map(\.layer))
      func known(_ keys: [ObjectKey]) -> [ManagedObject] {
        Set(keys).sorted().compactMap { key in
          guard let object = state.entity(key.entity, self)?.objects[key.number],
            !object.source.isUnresolved
          else { return nil }
          return object
        }
      }
      let gone = known(try layers.flatMap { try $0.allKeys([\.removed]) })
      let kept = known(try layers.flatMap { try $0.allKeys([\.put, \.changed]) })
      try propagateDeletion(ofTakenOut: gone)
      try forgetDoubleLinks(layers, in: state)
      try clearLost(kept, layers, ownDeletions: true, in: state)
      try sealAll()
      agreeOneToOne(kept + known(applied.flatMap(\.displaced)), in: state)
      try agreeOrder(layers, in: state)
    }
  }

  private func awake(_ object: ManagedObject, _ events: SnapshotEvents) {
    if !events.isEmpty { object.awake(fromSnapshotEvents: events) }
  }

  /// Puts a whole row in.
  ///
  /// - Returns: The object, if it is saved and its deletion is taken back.
  private func put(
    _ number: UInt64, _ location: RowLocation, _ entity: EntityState, _ state: StoreState,
    _ events: SnapshotEvents
  ) throws -> RestoredObject? {
    let known = entity.objects[number]
    let key = ObjectKey(entity: entity.graph.number, number: number)
    if let known, known.state.isDisjoint(with: [.deleted, .missing]) {
      realize(known)
      if !known.state.contains(.missing) {
        try set(location, of: known)
        return nil
      }
    } else if known == nil, let row = try state.source.view.row(of: key), !row.locations.isEmpty {
      if let object = object(at: key, in: state) {
        try set(location, of: object)
        return nil
      }
    }
    let before = known?.committedPlace
    let saved = try View(state.tables).row(of: key)
    let isPending = known?.state.contains(.pending) ?? false
    let object = try entity.insert(
      number, basis: try saved.map { max(try $0.version, 0) } ?? 0)
    object.state = saved == nil ? [.inserted, .realized] : [.updated, .realized]
    // One that was taken out since the last save is among the changed objects already.
    if isPending { object.state.insert(.pending) }
    noteChange(of: object)
    try set(location, of: object)
    awake(object, events.narrowed(to: .undoDeletion))
    return saved.map { _ in RestoredObject(object: object, place: before) }
  }

  /// Leads objects whose deletion is taken back to what is saved of them, and puts above it what is not. Their
  /// rows were put in whole, so that it is known what does the deletion again; but whoever has a whole row
  /// would say of every value that it is a change. Everything must be sealed.
  private func liftChanges(of restored: [RestoredObject], in state: StoreState) throws {
    let restored = restored.filter { isAlive($0.object) }
    guard !restored.isEmpty else { return }
    let values = restored.map(\.object.pendingValues)
    try state.forgetPending(Set(restored.map(\.object.key)))
    for (one, values) in zip(restored, values) {
      let object = one.object
      if let (source, row) = one.place {
        object.point(to: source, row: row)
      } else {
        object.point(to: object.source.entity.unresolved, row: 0)
        try resolve(object, in: state)
      }
      let (source, row) = (object.source, Int(object.row))
      for (column, value) in values where !source.value(column, row).isIdentical(to: value) {
        guard let draft = beginChange(of: object)?.draft else { break }
        draft.set(value, column: column, row: Int(object.row))
      }
    }
    // All of it was recorded when the rows were put in.
    try remakingChanges { try sealAll() }
  }

  private func set(
    _ location: RowLocation, of object: ManagedObject
  ) throws {
    guard let source = beginChange(of: object), let draft = source.draft else { return }
    noteDisplaced(by: object)
    for (position, column) in object.source.entity.graph.layout.columns.enumerated() {
      guard let value = try location.block.value(column, row: location.row) else { continue }
      draft.set(value, column: position, row: Int(object.row))
    }
  }

  /// Notes whom an object leads to one to one that is about to lead elsewhere.
  private func noteDisplaced(by object: ManagedObject) {
    for index in object.source.entity.graph.relationships {
      guard case .toOne(let toOne) = object.source.entity.graph.properties[index].place,
        let inverse = toOne.inverse, !inverse.isToMany,
        let key = object.reference(column: toOne.column)
      else { continue }
      displaced.append(key)
    }
  }

  /// Takes an object out without asking what its relationships say: whoever made the layer has.
  private func takeOut(
    _ number: UInt64, _ entity: EntityState, _ events: SnapshotEvents
  ) throws {
    let object = entity.object(number)
    realize(object)
    guard object.state.isDisjoint(with: [.deleted, .missing]) else { return }
    noteChange(of: object)
    object.state.insert(.deleted)
    reached[object] = nil
    // A deletion that is done again is denied by whom it was.
    if !(undoManager?.isRedoing ?? false) { denials.removeAll { $0.object === object } }
    try entity.remove(object)
    let event = events.narrowed(to: .undoInsertion)
    if event.contains(.undoInsertion) { awake(object, event) }
  }

  /// Puts and takes out the links of a layer.
  private func applyLinks(
    _ changes: Layer.EntityChanges, _ state: StoreState, _ events: SnapshotEvents
  ) throws {
    guard let layout = state.graph.schema[changes.entityNumber] else { return }
    func value(_ column: UInt16, _ location: RowLocation) throws -> Value? {
      guard let index = layout.index(ofNumber: column) else { return nil }
      return try location.block.value(layout.columns[index], row: location.row)
    }
    func integer(_ column: UInt16, _ location: RowLocation) throws -> Int64? {
      if case .integer(let number)? = try value(column, location) { number } else { nil }
    }
    let view = state.source.view
    for one in try changes.entries() {
      let key = ObjectKey(entity: changes.entityNumber, number: one.key)
      switch one.entry {
      case .absent: continue
      case .put(let location):
        guard case .object(let source)? = try value(LinkTable.Column.source, location),
          case .object(let target)? = try value(LinkTable.Column.target, location),
          try view.row(of: key) == nil
        else { continue }
        state.links.insert(
          .init(table: changes.entityNumber, source: source, target: target), number: one.key,
          targetOrder: try integer(LinkTable.Column.targetOrder, location),
          sourceOrder: try integer(LinkTable.Column.sourceOrder, location))
        noteLinked([source, target], state)
      case .changed(let location):
        guard let row = try view.row(of: key) else { continue }
        for column in [LinkTable.Column.targetOrder, LinkTable.Column.sourceOrder] {
          guard let index = layout.index(ofNumber: column),
            let place = try integer(column, location)
          else { continue }
          state.links.setOrder(
            place, column: layout.columns[index], of: key, basis: try row.version)
        }
      case .removed:
        guard let row = try view.row(of: key) else { continue }
        for column in layout.columns.prefix(2) {
          if case .object(let end) = try row.value(column) { noteLinked([end], state) }
        }
        state.links.remove(key, basis: try row.version)
      }
      state.hasOpenChanges = true
    }
  }
}

/// An object whose deletion is taken back, and where its values are that were saved last, if that is known.
private struct RestoredObject {
  let object: ManagedObject
  let place: (source: RowSource, row: Int)?
}

/// A layer of which a context has made the changes.
struct AppliedLayer {
  let state: StoreState
  let layer: Layer
  /// Whom the changed objects led to one to one before.
  let displaced: [ObjectKey]
}

extension ManagedObjectContext {
  /// Links that somebody else made or took out count as changes of what they connect.
  private func noteLinked(_ keys: [ObjectKey], _ state: StoreState) {
    for key in keys {
      guard let object = object(at: key, in: state) else { continue }
      realize(object)
      if object.state.isDisjoint(with: [.deleted, .missing]) { noteTouched(object) }
    }
  }
}

// MARK: - After others have saved

extension ManagedObjectContext {
  /// Takes over what another context, or another process, has saved: known objects without changes show
  /// the new values, and those with changes the new values of what they have not changed.
  ///
  /// What others have deleted is deleted here, and changes of it are given up.
  ///
  /// A change of an object that this is not about stays in conflict with what others have saved of the same.
  ///
  /// - Throws: What a damaged store throws.
  public func mergeChanges(from change: ContextChange) throws {
    try merge(ObjectsToMerge.all(of: change, in: coordinator))
  }

  func merge(_ parts: [ObjectsToMerge]) throws {
    checkPlace()
    try processPendingChanges()
    for part in parts {
      guard let state = knownState(of: part.store) else { continue }
      try mergeNewest(part.keys, into: state, mayBeLost: part.mayBeLost)
    }
    try processPendingChanges()
  }

  /// Moves on to the newest state and refreshes the known objects among the given ones.
  private func mergeNewest(
    _ keys: Set<ObjectKey>, into state: StoreState, mayBeLost: Bool
  ) throws {
    guard pinned == nil, !state.persistent.isGone else { return }
    state.setBase(try newestBase(of: state.persistent))
    orderEnds = [:]
    let known = keys.compactMap { key in
      state.entity(key.entity, self)?.objects[key.number]
    }
    // What others have led to an object that is deleted here goes the way its relationship says.
    let deleted = changedObjects.filter { object in
      object.state.contains(.deleted) && !keys.contains(object.key)
        && object.source.entity.store === state.persistent
    }
    try refreshBeneath(known, and: deleted, in: state, mayBeLost: mayBeLost, events: .refresh)
    // Which commits were merged nobody knows, so that known objects may be as of an older one: the
    // oldest commit stays what it was.
  }

  /// The changed objects, besides the given ones, that others have changed or deleted since they were read.
  private func outdated(
    besides objects: [ManagedObject], in state: StoreState
  ) throws -> [ManagedObject] {
    guard state.hasMoved else { return [] }
    let known = Set(objects)
    let beneath = View(state.tables)
    return try changedObjects.filter { object in
      guard object.source.entity.store === state.persistent, !object.state.contains(.inserted),
        !known.contains(object)
      else { return false }
      // What a parent has not saved has no version.
      guard parent == nil, let place = object.committedPlace else { return true }
      // What is changed of one that is deleted is not given up unnoticed.
      guard let row = try beneath.row(of: object.key) else {
        return object.state.contains(.deleted)
      }
      return try row.version != place.source.version(place.row)
    }
  }

  /// Leads objects to the rows that lie beneath by now; their own changes stay on top. Other changed objects
  /// are not left behind: two that lead to each other must be as of the same moment. What others have saved of what
  /// is changed in those is a conflict as before.
  ///
  /// - Parameters:
  ///   - others: Changed objects that are not to be left behind either.
  ///   - mayBeLost: Whether objects may be gone that changed ones lead to, or others have linked what is linked here.
  func refreshBeneath(
    _ objects: [ManagedObject], and others: [ManagedObject] = [], in state: StoreState,
    mayBeLost: Bool, events: SnapshotEvents
  ) throws {
    workDepth += 1
    defer { workDepth -= 1 }
    let asked = Set(objects)
    let given = objects + others
    let objects = try given + outdated(besides: given, in: state)
    let changed = objects.filter {
      $0.state.contains(.pending) && !$0.state.contains(.inserted)
    }
    var kept: [Kept] = []
    var before: [ManagedObject: ReadObjects.One] = [:]
    for object in changed {
      if !asked.contains(object) { before[object] = try readObject(object) }
      // What was set to what it was is no change: the new value beneath shows.
      let committed = object.committedPlace
      kept.append(
        Kept(
          object: object,
          values: object.pendingValues.filter { column, value in
            committed.map { $0.source.value(column, $0.row) != value } ?? true
          }, before: committed))
    }
    if !changed.isEmpty {
      try state.forgetPending(Set(changed.map(\.key)))
    }
    for object in objects where !object.state.contains(.inserted) {
      let isDeleted = object.state.contains(.deleted) && object.state.contains(.pending)
      if isDeleted { noteReached(object) }
      object.point(to: object.source.entity.unresolved, row: 0)
      object.state.remove(.missing)
      // Whoever was deleted may have been brought back.
      if !isDeleted { object.state.remove(.deleted) }
      try resolve(object, in: state)
      if object.state.contains(.missing) {
        // Somebody else has deleted it.
        object.state.insert(.deleted)
        object.state.subtract([.updated, .pending, .deletionToPropagate])
        denials.removeAll { $0.object === object }
        continue
      }
      if let read = before[object] { try recall(read, of: object) }
      if isDeleted {
        // The relationships lead to others by now, who are to know too.
        propagateAgain(object)
      }
    }
    for one in kept where one.object.state.isDisjoint(with: [.deleted, .missing]) {
      let values = one.standing
      guard !values.isEmpty, let source = beginChange(of: one.object) else { continue }
      for (column, value) in values {
        source.draft!.set(value, column: column, row: Int(one.object.row))
      }
    }
    try remakingChanges { try sealAll() }
    changedObjects.removeAll { $0.state.contains(.missing) }
    for object in objects
    where object.state.contains(.realized) && !object.state.contains(.missing) {
      object.awake(fromSnapshotEvents: events)
    }
    try propagateDeletionsOrThrow()
    // Links must be rows to be found.
    try sealAll()
    try agree(changed, in: state, mayBeLost: mayBeLost)
    try sealAll()
  }
}

/// What was changed in an object and goes on top of what lies beneath it by now.
private struct Kept {
  let object: ManagedObject
  let values: [(column: Int, value: Value)]
  /// Where the values lie that the changes were made above.
  let before: (source: RowSource, row: Int)?

  /// The values that still mean something: a place is one among those of an owner, and when others have
  /// led the object to another owner it is that owner's affair.
  var standing: [(column: Int, value: Value)] {
    let graph = object.source.entity.graph
    guard let before, let now = object.committedPlace else { return values }
    let lapsed = graph.relationships.compactMap { index -> Int? in
      guard case .toOne(let toOne) = graph.properties[index].place, let order = toOne.order,
        !values.contains(where: { $0.column == toOne.column }),
        before.source.value(toOne.column, before.row) != now.source.value(toOne.column, now.row)
      else { return nil }
      return order
    }
    return lapsed.isEmpty ? values : values.filter { !lapsed.contains($0.column) }
  }
}

extension ManagedObject {
  /// The values that were given and not saved, by column.
  final var pendingValues: [(column: Int, value: Value)] {
    let row = Int(row)
    guard source.isPending, let draft = source.draft else { return [] }
    if source.below(row)?.source.isPending != true {
      return draft.givenColumns(row: row).map { ($0, draft.value(column: $0, row: row) ?? .null) }
    }
    let values = source.given(row, while: \.isPending).values
    return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
