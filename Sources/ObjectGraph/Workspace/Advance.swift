import ObjectModel
import Rows
import StoreInterface
import Tracing

/// Advances one store of a workspace to another base: replays the changes on it, and updates the registered objects.
///
/// An object without changes shows the new row. An object with changes keeps them on top of the new row. It stays in
/// conflict if another save has changed the row that its changes were made on.
struct Advance {
  private let workspace: Workspace
  private let state: StoreState

  init(_ workspace: Workspace, _ state: StoreState) {
    self.workspace = workspace
    self.state = state
  }

  /// Advances to a base.
  ///
  /// - Parameters:
  ///   - seen: The rows that the context has asked to see.
  ///   - discarded: The keys of objects whose changes are dropped.
  ///   - policy: The policy that resolves conflicts; `nil` to keep the conflicts.
  /// - Returns: Whether another save has changed rows that may concern the changes.
  /// - Throws: ``ContextError`` if the policy is to fail; the error of a custom policy; the error of a damaged store.
  @discardableResult
  func run(
    to base: StoreBase, seen: SeenRows = SeenRows(), discarded: Set<ObjectKey> = [],
    policy: MergePolicy? = nil
  ) throws -> Bool {
    try Trace.measure(.merge, at: state.persistent.path, workspace.settings.name ?? "") {
      try advance(to: base, seen, discarded, policy)
    }
  }

  private func advance(
    to base: StoreBase, _ seen: SeenRows, _ discarded: Set<ObjectKey>, _ policy: MergePolicy?
  ) throws -> Bool {
    let wasWorking = workspace.progress.beginWork()
    defer { workspace.progress.endWork(wasWorking) }
    try workspace.sealForUndo()
    var rebased = try rebase(to: base, seen, discarded, policy)
    // An object that is about to be deleted may change other objects in its hook. Then all changes are replayed once
    // more.
    for _ in 0..<Workspace.mostRounds {
      let before = FrozenChanges(workspace.drafts.states)
      for key in rebased.cascaded { workspace.announceDeletion(of: key, in: state) }
      try workspace.sealForUndo()
      if before.areSame(in: workspace.drafts.states) {
        try show(rebased, policy == nil ? .refresh : .mergePolicy)
        return rebased.isConcerned
      }
      rebased = try rebase(to: base, seen, discarded, policy)
    }
    throw ContextError(
      .validation,
      "Objects still change other objects in prepareForDeletion after \(Workspace.mostRounds) rounds."
    )
  }

  private func rebase(
    to base: StoreBase, _ seen: SeenRows, _ discarded: Set<ObjectKey>, _ policy: MergePolicy?
  ) throws -> Rebased {
    var rebase = Rebase(
      try state.changes(), onto: base, graph: state.graph, store: state.tag, seen: seen,
      policy: policy)
    rebase.discarded = discarded
    return try rebase()
  }

  // MARK: Updating the objects

  /// Shows the objects as of the new base.
  private func show(_ rebased: Rebased, _ events: SnapshotEvents) throws {
    let refaulted = try differingObjects(rebased)
    state.setRebased(rebased.changes)
    workspace.relationships.forgetPlaces()
    if rebased.isOvertaken { workspace.undoStack?.recordOvertaken() }
    var told: [ManagedObject] = []
    for one in refaulted {
      one.object.point(to: one.object.source.entity.unresolved, row: 0)
      // An object that was inserted and deleted here is no longer a change of this context, even if another save
      // restores it.
      if one.object.state.contains(.deleted) { one.object.state.subtract([.inserted, .pending]) }
      one.object.state.subtract([.missing, .deleted])
      if !one.isThere {
        one.object.state.formUnion([.missing, .deleted])
        one.object.state.subtract([.updated, .pending])
      }
      // The object counts as changed because of its links only. The row is looked up here, because the save reads
      // values without checking for a fault.
      if one.object.state.contains(.pending) { try workspace.resolve(one.object, in: state) }
      guard one.isDifferent else { continue }
      workspace.observation.recordEvent(
        one.object.objectID, wasThere: one.wasThere, isThere: one.isThere)
      if one.isThere, one.object.state.contains(.realized) { told.append(one.object) }
    }
    for key in rebased.touched.sorted() {
      workspace.observation.following?.record(key, in: state.tag)
      guard let entity = state.entity(key.entity, workspace) else { continue }
      let object = entity.object(key.number)
      let wasThere = workspace.exists(object)
      try show(object, rebased.changes.layer)
      let isThere = workspace.isAlive(object)
      workspace.observation.recordEvent(object.objectID, wasThere: wasThere, isThere: isThere)
      if isThere, object.state.contains(.realized), rebased.met.contains(key) {
        told.append(object)
      }
    }
    workspace.drafts.recordUnchanged()
    for object in told where type(of: object) != ManagedObject.self {
      object.awake(fromSnapshotEvents: events)
    }
    // Observers are notified when changes are next processed. If no turn is under way, a turn is scheduled.
    if !workspace.observation.unannounced.isEmpty {
      ContextExecutor(workspace).endTurnSoon(isOwed: false)
    }
  }

  /// Points an object to its newest row: the changed row if `changes` contains one, or else the row of the base.
  func show(_ object: ManagedObject, _ changes: Layer) throws {
    let entity = object.source.entity
    let entry = try changes.entry(of: object.key)
    if case .put(let location) = entry {
      object.point(to: entity.pendingSource(of: location.block, isSparse: false), row: location.row)
      object.state.subtract([.deleted, .missing, .deletionToPropagate])
      let isInserted = try !state.originals.mentions(object.key)
      if isInserted {
        object.state.insert(.inserted)
        object.state.remove(.updated)
      } else {
        object.state.insert(.updated)
      }
      object.state.insert(.realized)
      return workspace.drafts.recordChange(of: object)
    }
    let wasDeleted = object.state.contains(.deleted)
    object.point(to: entity.unresolved, row: 0)
    object.state.subtract([.inserted, .updated, .deleted, .missing])
    try workspace.resolve(object, in: state)
    switch entry {
    case .put, .absent:
      object.state.subtract([.pending, .deletionToPropagate])
      if object.state.contains(.missing) { object.state.insert(.deleted) }
    case .changed(let location):
      let source = entity.pendingSource(of: location.block, isSparse: true)
      source.setBelow(location.row, object.source, Int(object.row))
      object.point(to: source, row: location.row)
      object.state.remove(.deletionToPropagate)
      object.state.insert(.updated)
      workspace.drafts.recordChange(of: object)
    case .removed:
      object.state.insert(.deleted)
      if !wasDeleted { object.state.insert(.realized) }
      workspace.drafts.recordChange(of: object)
    }
  }

  /// A registered object without changed values that may have another row in the new base.
  private struct Refault {
    let object: ManagedObject
    let wasThere: Bool
    let isThere: Bool
    let isDifferent: Bool
  }

  /// Returns the registered objects without changed values that may have another row in the new base.
  private func differingObjects(_ rebased: Rebased) throws -> [Refault] {
    var found: [Refault] = []
    var seen: Set<ObjectKey> = []
    let (before, now) = (View(state.tables), View(rebased.changes.base.tables))
    for changes in rebased.differences.flatMap(\.entities) {
      guard let entity = state.knownEntity(changes.entityNumber) else { continue }
      for part in [changes.put, changes.changed, changes.removed] {
        for number in try part.numbers() {
          guard let object = entity.known(number) else { continue }
          let key = object.key
          if rebased.touched.contains(key) { continue }
          // Links change no row of the objects that they connect.
          if object.state.contains(.pending), try rebased.changes.layer.mentions(key) { continue }
          guard seen.insert(key).inserted else { continue }
          let (old, new) = (try before.row(of: key), try now.row(of: key))
          found.append(
            Refault(
              object: object, wasThere: old != nil, isThere: new != nil,
              isDifferent: try ViewRow.differ(old, new, in: entity.graph.layout.columns)))
        }
      }
    }
    return found
  }
}

extension Workspace {
  /// The maximum number of rounds in which hooks and observers may change objects again. After that an error reports
  /// the endless changes.
  static let mostRounds = 1000
}
