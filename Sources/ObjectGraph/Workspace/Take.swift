import ObjectModel
import Rows
import StoreInterface

/// Puts changes from elsewhere on top of the changes of a workspace.
///
/// The changes come from a child, from a document, or from undo and redo. Their rows are added as a layer; no property
/// is set again.
struct Take {
  private let workspace: Workspace
  private let state: StoreState
  /// The events that are passed to the objects' hooks.
  private let events: SnapshotEvents

  init(_ workspace: Workspace, _ state: StoreState, events: SnapshotEvents = []) {
    self.workspace = workspace
    self.state = state
    self.events = events
  }

  /// Takes changes.
  ///
  /// - Parameters:
  ///   - isAged: Whether the changes are older than their base. Then every row is checked.
  ///   - isValidated: Whether the values of the changes are known to obey the rules of the model.
  /// - Returns: The keys of rows for which the rebase has altered the changes.
  @discardableResult
  func run(
    _ changes: Changes, isAged: Bool = false, isValidated: Bool = false
  ) throws -> Set<ObjectKey> {
    let wasWorking = workspace.progress.beginWork()
    defer { workspace.progress.endWork(wasWorking) }
    try workspace.sealForUndo()
    let touched =
      changes.layer.isEmpty ? [] : try takeRows(changes, isAged: isAged, isValidated: isValidated)
    takeTransients(changes.transients)
    return touched
  }

  private func takeRows(
    _ changes: Changes, isAged: Bool, isValidated: Bool
  ) throws -> Set<ObjectKey> {
    workspace.relationships.forgetPlaces()
    let rebased = try rebase(changes, isAged)
    for key in rebased.cascaded { workspace.announceDeletion(of: key, in: state) }
    try workspace.sealForUndo()
    let view = viewToUndo(changes)
    let layer = rebased.changes.layer
    let restored = try restoredKeys(layer)
    let repairs = rebased.changes.repairs
    if !repairs.repaired.isEmpty, try !removesInsertion(layer) { try state.addRepairs(repairs) }
    try state.push(layer, originals: originals(rebased.changes.originals))
    state.lastReferences = try state.lastReferences.merged(
      with: rebased.changes.lastReferences, schema: state.graph.schema)
    // Hooks of the changed objects may make more changes. These are recorded later, as changes of their own.
    if !layer.isEmpty {
      workspace.recordSealed(
        layer, above: view, in: state, isExact: changes.originals.isEmpty)
    }
    try show(layer, isValidated: isValidated && rebased.touched.isEmpty)
    try lift(restored)
    return rebased.touched
  }

  /// Returns whether a layer deletes an object that the workspace has inserted.
  ///
  /// The deletion of a new object leaves no trace, so a later rebase would take back the repairs that follow from it.
  /// In this case the repairs count as changes of the workspace.
  private func removesInsertion(_ layer: Layer) throws -> Bool {
    let base = View(state.tables)
    return try layer.allKeys([\.removed]).contains {
      try state.graph[$0.entity] != nil && base.row(of: $0) == nil
    }
  }

  /// Returns the rows that undo restores; `nil` if nothing is recorded.
  ///
  /// A redo restores the rows that its undo was made on, even if another save has replaced them since.
  private func viewToUndo(_ changes: Changes) -> View? {
    guard let view = workspace.viewToUndo(in: state) else { return nil }
    return events.isEmpty ? view : view.pushing(changes.originals)
  }

  private func rebase(_ changes: Changes, _ isAged: Bool) throws -> Rebased {
    let rebase = Rebase(
      changes, onto: state.shown, graph: state.graph, store: state.tag, isAged: isAged)
    return try rebase()
  }

  // MARK: Conflicts

  /// Returns the original rows of all changes, once the changes are on top of the workspace's own changes.
  ///
  /// - Parameter theirs: The originals of the taken changes, as a layer above the workspace's view.
  private func originals(_ theirs: Layer) throws -> Layer {
    if theirs.isEmpty { return state.originals }
    let base = View(state.tables)
    let builder = LayerBuilder(state.graph.schema)
    for changes in theirs.entities {
      guard let layout = state.graph.schema[changes.entityNumber] else { continue }
      for one in try changes.entries() {
        let key = ObjectKey(entity: changes.entityNumber, number: one.key)
        let saved = try base.row(of: key)
        switch (one.entry, saved) {
        case (.changed(let location), let saved?):
          for (index, column) in layout.columns.enumerated() {
            guard let value = try location.block.value(column, row: location.row),
              try !saved.value(column).isIdentical(to: value)
            else { continue }
            builder.set(value, column: index, of: key)
          }
        case (.put(let location), nil):
          try builder.insert(key, copying: ViewRow(locations: [location]), layout)
        case (.removed, .some): builder.remove(key)
        default: continue
        }
      }
    }
    // An original that the workspace has recorded itself is older, and takes precedence.
    return try builder.freeze().merged(with: state.originals, schema: state.graph.schema)
  }

  // MARK: Transient values

  /// Takes transient values. Values that the changes do not set stay as they are.
  private func takeTransients(_ changes: TransientChanges) {
    for (key, values) in changes {
      let id = ObjectID(store: state.tag, key: key)
      for (property, value) in values
      where workspace.transients[id, property] != value || !events.isEmpty {
        workspace.restoreTransientValue(value, of: id, property)
      }
    }
  }

  // MARK: Objects

  private func show(_ layer: Layer, isValidated: Bool) throws {
    var told: [(object: ManagedObject, event: SnapshotEvents)] = []
    for changes in layer.entities {
      guard let entity = state.entity(changes.entityNumber, workspace) else {
        try touchEnds(of: changes)
        continue
      }
      for block in changes.put.blocks {
        let source = entity.pendingSource(of: block, isSparse: false)
        source.isValidated = isValidated
        for row in 0..<block.rowCount {
          // SAFETY: The entity retains the source.
          let object = unsafe entity.object(
            try source.number(row), at: Unmanaged.passUnretained(source), row)
          try insert(object, source, row)
          if !events.isEmpty { told.append((object, events.narrowed(to: .undoDeletion))) }
        }
      }
      for block in changes.changed.blocks {
        let source = entity.pendingSource(of: block, isSparse: true)
        source.isValidated = isValidated
        for row in 0..<block.rowCount {
          let object = entity.object(try source.number(row))
          guard workspace.exists(object) else { continue }
          try change(object, source, row)
          if !events.isEmpty { told.append((object, events.narrowed(to: .undoUpdate))) }
        }
      }
      for number in try changes.removed.numbers() {
        let object = entity.object(number)
        workspace.realize(object)
        guard workspace.isAlive(object) else { continue }
        object.state.insert(.deleted)
        workspace.drafts.recordChange(of: object)
        let event = events.narrowed(to: .undoInsertion)
        if event.contains(.undoInsertion) { told.append((object, event)) }
      }
    }
    for (object, event) in told where type(of: object) != ManagedObject.self {
      object.awake(fromSnapshotEvents: event)
    }
  }

  private func insert(_ object: ManagedObject, _ source: RowSource, _ row: Int) throws {
    object.point(to: source, row: row)
    object.state.subtract([.deleted, .missing, .updated, .inserted])
    // If another save has deleted the row, the object counts as changed, not as inserted.
    let isKept = try !state.originals.isEmpty && state.originals.mentions(object.key)
    object.state.formUnion(isKept ? [.updated, .realized] : [.inserted, .realized])
    workspace.drafts.recordChange(of: object)
  }

  private func change(_ object: ManagedObject, _ source: RowSource, _ row: Int) throws {
    if object.source.isPending {
      // At most one row of changes is above the saved row, so the values join the values of the own row.
      let columns = source.givenColumns(row)
      let joined = try object.source.entity.join(object, source, row, columns)
      object.point(to: joined.source, row: joined.row)
    } else {
      source.setBelow(row, object.source, Int(object.row))
      object.point(to: source, row: row)
    }
    object.state.insert(.realized)
    if !object.state.contains(.inserted) { object.state.insert(.updated) }
    workspace.drafts.recordChange(of: object)
  }

  /// Marks both objects of each link as changed. Links change no row of the objects they connect.
  private func touchEnds(of changes: Layer.EntityChanges) throws {
    guard let layout = state.graph.schema[changes.entityNumber] else { return }
    let before = View(state.tables)
    for one in try changes.entries() {
      let key = ObjectKey(entity: changes.entityNumber, number: one.key)
      for column in layout.columns.prefix(2) {
        let end: Value?
        switch one.entry {
        case .put(let location): end = try location.block.value(column, row: location.row)
        case .removed: end = try before.row(of: key)?.value(column)
        case .changed, .absent: end = nil
        }
        guard case .object(let other)? = end, let object = workspace.object(at: other, in: state)
        else { continue }
        workspace.realize(object)
        if workspace.isAlive(object) { workspace.drafts.recordTouched(object) }
      }
    }
  }

  // MARK: Restored objects

  /// Returns the keys of whole rows that restore a saved object after an unsaved deletion.
  private func restoredKeys(_ layer: Layer) throws -> [ObjectKey] {
    let base = View(state.tables)
    return try layer.entities.flatMap { changes -> [ObjectKey] in
      let isDeleting = state.pending.contains {
        !($0[changes.entityNumber]?.removed.isEmpty ?? true)
      }
      guard isDeleting, state.graph[changes.entityNumber] != nil else { return [] }
      return try changes.put.numbers()
        .map { ObjectKey(entity: changes.entityNumber, number: $0) }
        .filter { try base.row(of: $0) != nil }
    }
  }

  /// Points restored objects to the saved row, with only the differing values above it.
  ///
  /// A whole row would count every value as changed.
  private func lift(_ keys: [ObjectKey]) throws {
    if keys.isEmpty { return }
    let base = View(state.tables)
    let shown = state.view
    let builder = LayerBuilder(state.graph.schema)
    for key in keys {
      guard let layout = state.graph.schema[key.entity], let saved = try base.row(of: key),
        let row = try shown.row(of: key)
      else { continue }
      for (index, column) in layout.columns.enumerated() {
        let value = try row.value(column)
        if try saved.value(column).isIdentical(to: value) { continue }
        builder.set(value, column: index, of: key, basis: try saved.version)
      }
    }
    let lifted = builder.freeze()
    let originals = state.originals
    try state.forgetPending(Set(keys))
    try state.push(lifted, originals: originals)
    for key in keys {
      guard let object = workspace.object(at: key, in: state) else { continue }
      try Advance(workspace, state).show(object, lifted)
    }
    workspace.drafts.recordUnchanged()
  }
}

extension Workspace {
  /// Puts a layer of changes of a store on top of the workspace's own changes.
  func take(_ layer: Layer, of store: PersistentStore) throws {
    let state = try state(of: store)
    try Take(self, state).run(Changes(base: state.shown, layer: layer), isAged: true)
  }
}
