import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

// The changes of a layer, made in a context: those of a child, or those that undo takes back.
extension Workspace {
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
    var isSeen = known != nil
    if let known, known.state.isDisjoint(with: [.deleted, .missing]) {
      realize(known)
      // A child that puts in what is saved has not seen that others have brought it back.
      isSeen = !events.isEmpty || known.state.contains(.inserted)
      if isSeen, !known.state.contains(.missing) {
        try set(location, of: known)
        return nil
      }
    }
    let before = known?.committedPlace
    var saved = try View(state.tables).row(of: key)
    if !isSeen, saved != nil {
      // Others have brought back what was taken out here, and whoever brings it back too has not seen theirs.
      saved = nil
      state.noteKnown(asOf: state.base.snapshot.commit - 1)
    }
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

extension Workspace {
  /// Links that somebody else made or took out count as changes of what they connect.
  private func noteLinked(_ keys: [ObjectKey], _ state: StoreState) {
    for key in keys {
      guard let object = object(at: key, in: state) else { continue }
      realize(object)
      if object.state.isDisjoint(with: [.deleted, .missing]) { noteTouched(object) }
    }
  }
}
