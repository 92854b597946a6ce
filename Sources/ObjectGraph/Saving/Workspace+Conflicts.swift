import ObjectModel
import Rows
import StoreInterface

// Conflicts: what was changed here, and by somebody else meanwhile.
extension Workspace {
  /// Where a store has moved on to while there are changes here, and what is in conflict with it.
  private struct Meeting {
    let state: StoreState
    let head: any StoreSnapshot
    /// The changes that are not saved.
    let mine: Layer
    /// The objects and links in conflict.
    let keys: [ObjectKey]
    /// What becomes of the objects; of those that both sides have deleted, nothing.
    var resolutions: [ObjectKey: MergeResolution] = [:]
  }

  /// Brings changes into agreement with what others have saved since they were made, so that they could be
  /// committed right after it: the merge policy decides about what both have changed, nothing leads to what
  /// is gone, and deletions reach what leads to the deleted by now.
  ///
  /// - Throws: ``ContextError`` when the policy is to fail, or what a custom one throws; nothing is changed
  ///   then.
  func agreeWithOthers() throws {
    try propagateDeletionsOrThrow()
    try sealAll()
    var meetings: [Meeting] = []
    for state in storeStates where state.hasChanges {
      let head = try state.persistent.store.snapshot()
      state.seenCommit = head.commit
      if head.commit == state.oldestCommit { continue }
      let mine = try state.pendingLayer()
      let keys = try request(mine, in: state).conflicts(with: head).map(\.key)
      meetings.append(Meeting(state: state, head: head, mine: mine, keys: keys))
    }
    try decide(&meetings)
    for meeting in meetings { try moveOn(meeting) }
  }

  /// Asks the merge policy about all conflicts.
  private func decide(_ meetings: inout [Meeting]) throws {
    var conflicts: [(meeting: Int, conflict: MergeConflict)] = []
    for (index, meeting) in meetings.enumerated() {
      let view = meeting.head.view
      for key in meeting.keys {
        guard let conflict = try mergeConflict(about: key, view, meeting.state) else { continue }
        if let resolution = conflict.undisputed {
          meetings[index].resolutions[key] = resolution
          if let object = meeting.state.entity(key.entity, self)?.objects[key.number] {
            try noteToOverlook(object, conflict)
          }
        } else {
          conflicts.append((index, conflict))
        }
      }
    }
    // Links, and objects that both sides have deleted, are nothing to decide about.
    guard !conflicts.isEmpty else { return }
    guard let decide = settings.mergePolicy.decide else {
      throw ContextError(
        .conflict,
        "\(conflicts.count) \(conflicts.count == 1 ? "object was" : "objects were") changed by somebody "
          + "else since they were read.", conflicts: conflicts.map(\.conflict))
    }
    for (meeting, conflict) in conflicts {
      let resolution = try decide(conflict)
      if case .save(let values) = resolution {
        try check(values, for: conflict, in: meetings[meeting].state)
      }
      meetings[meeting].resolutions[conflict.object.key] = resolution
    }
  }

  /// Refuses values that a policy made up and that are not of their properties' types.
  private func check(
    _ values: [String: Value], for conflict: MergeConflict, in state: StoreState
  ) throws {
    guard let graph = state.entity(conflict.object.key.entity, self)?.graph else { return }
    for (name, value) in values where !value.isNull {
      let known = [conflict.base, conflict.mine, conflict.theirs].map { $0?[name] }
      if known.contains(value) { continue }
      switch graph[name]?.place {
      case .attribute(let attribute, _)? where !attribute.type.accepts(value):
        throw ContextError.wrongType(value, attribute, of: graph)
      case .toOne?:
        guard case .object = value else { throw ContextError.wrongDestination(name, of: graph) }
      default: continue
      }
    }
  }

  /// Puts the changes above what the store has by now.
  private func moveOn(_ meeting: Meeting) throws {
    let state = meeting.state
    state.setBase(StoreBase(snapshot: meeting.head))
    orderEnds = [:]
    try giveBack(in: state)
    var resolved: [ManagedObject] = []
    if !meeting.keys.isEmpty {
      try state.forgetPending(Set(meeting.keys))
      for key in meeting.keys {
        following?.note(key, in: state.tag)
        guard let entity = state.entity(key.entity, self) else {
          try removeAgain(key, meeting)
          continue
        }
        guard let object = entity.objects[key.number] else { continue }
        let wasThere = !object.state.contains(.deleted)
        try resolve(object, meeting.resolutions[key] ?? .keepStored, in: state)
        unannounced.events.add(
          object.objectID, wasThere: wasThere, isThere: !object.state.contains(.deleted))
        resolved.append(object)
      }
      // What was changed was recorded when it was.
      try remakingChanges { try sealAll() }
      changedObjects.removeAll { !$0.state.contains(.pending) }
    }
    try propagateDeletionsAgain(in: state)
    try clearLost(in: state)
    // Links must be rows to be found, and what is led to is read where it lies.
    try sealAll()
    // Who stays after all may lead to others who go.
    clearDeleted(resolved, in: state)
    try sealAll()
    // What was known of the other end when a relationship was set may have been of another moment.
    agreeOneToOne(
      changedObjects.filter { $0.source.entity.store === state.persistent } + resolved, in: state)
    try agreeOrder(state.pending, known: Set(meeting.keys), in: state)
    for object in resolved where isAlive(object) {
      object.awake(fromSnapshotEvents: .mergePolicy)
    }
  }

  /// What was put in here and taken out again is nothing of this context's. Others may have brought it back.
  private func giveBack(in state: StoreState) throws {
    let view = View(state.tables)
    for object in changedObjects
    where object.source.entity.store === state.persistent
      && object.state.isSuperset(of: [.inserted, .deleted])
    {
      if try view.row(of: object.key) == nil { continue }
      object.state.subtract([.inserted, .updated, .deleted, .missing, .pending])
      object.point(to: object.source.entity.unresolved, row: 0)
      denials.removeAll { $0.object === object }
    }
    changedObjects.removeAll { !$0.state.contains(.pending) }
  }

  /// Leads an object in conflict to what the store has, with what was decided above it.
  private func resolve(
    _ object: ManagedObject, _ resolution: MergeResolution, in state: StoreState
  ) throws {
    let wasDeleted = object.state.contains(.deleted)
    noteReached(object)
    object.point(to: object.source.entity.unresolved, row: 0)
    object.state.subtract([.missing, .inserted])
    try resolve(object, in: state)
    let isMissing = object.state.contains(.missing)
    switch resolution {
    case .save(let values):
      object.state.subtract([.deleted, .deletionToPropagate])
      if isMissing { try insertAgain(object) }
      try save(values, of: object)
    case .delete where !isMissing:
      if wasDeleted {
        propagateAgain(object)
      } else {
        delete(object)
      }
    case .delete, .keepStored:
      object.state.subtract([.updated, .pending, .deletionToPropagate])
      if isMissing { object.state.insert(.deleted) } else { object.state.remove(.deleted) }
      denials.removeAll { $0.object === object }
    }
  }

  /// Puts an object in that somebody else has deleted.
  private func insertAgain(_ object: ManagedObject) throws {
    _ = try object.source.entity.insert(object.key.number)
    object.state.subtract([.missing, .updated])
    object.state.formUnion([.inserted, .realized])
    noteChange(of: object)
  }

  /// Sets those of some values that are not what the store has.
  private func save(_ values: [String: Value], of object: ManagedObject) throws {
    let graph = object.source.entity.graph
    for (name, value) in values {
      guard let column = graph.layout.index(of: name),
        object.source.value(column, Int(object.row)) != value,
        let draft = beginChange(of: object)?.draft
      else { continue }
      draft.set(value, column: column, row: Int(object.row))
    }
  }

  /// Takes out a link that was taken out here and that others have changed. One that they have taken out,
  /// or put, is as it should be.
  private func removeAgain(_ link: ObjectKey, _ meeting: Meeting) throws {
    guard case .removed? = try meeting.mine[link.entity]?.entry(of: link.number),
      let row = try meeting.head.view.row(of: link)
    else { return }
    meeting.state.links.remove(link, basis: try row.version)
    meeting.state.hasOpenChanges = true
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
