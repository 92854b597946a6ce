import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// Links and unlinks the objects of many-to-many relationships.
struct LinkWriter {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  private func link(
    _ side: LinkTable.Side, _ object: ObjectKey, _ other: ObjectKey
  ) -> OpenLinks.Link {
    OpenLinks.Link(
      table: side.table.layout.entityNumber, source: side.isForward ? object : other,
      target: side.isForward ? other : object)
  }

  /// Returns whether two objects were linked since drafts were last frozen.
  private func isOpen(
    _ side: LinkTable.Side, _ object: ObjectKey, _ other: ObjectKey, _ state: StoreState
  ) -> Bool {
    state.links.number(of: link(side, object, other)) != nil
      || (side.table.isSymmetric && state.links.number(of: link(side, other, object)) != nil)
  }

  /// Links two objects, unless they are linked.
  func add(
    _ side: LinkTable.Side, _ object: ManagedObject, _ other: ManagedObject, _ state: StoreState
  ) throws {
    guard workspace.exists(object), workspace.exists(other),
      !isOpen(side, object.key, other.key, state)
    else {
      return
    }
    guard try LinkReader().links(between: object.key, and: other.key, side, state).isEmpty else {
      return
    }
    try put(side, object, other, state)
  }

  /// Links two objects that have no link.
  ///
  /// - Parameter remaining: The number of links that the caller is about to add, this link included.
  private func put(
    _ side: LinkTable.Side, _ object: ManagedObject, _ other: ManagedObject, _ state: StoreState,
    remaining: Int = 1
  ) throws {
    workspace.drafts.recordTouched(object)
    workspace.drafts.recordTouched(other)
    let table = side.table.layout.entityNumber
    let number = try state.nextLinkKey(table, remaining)
    let forward = try side.order.map { _ in
      try OrderedPlaces(workspace).nextLink(of: object, side, state)
    }
    // An object that is linked to itself has one position in its list, and the link has two columns for it.
    let isLoop = side.table.isSymmetric && object === other
    let backward =
      isLoop
      ? forward
      : try side.turned.order.map { _ in
        try OrderedPlaces(workspace).nextLink(of: other, side.turned, state)
      }
    state.links.insert(
      link(side, object.key, other.key), number: number,
      targetOrder: side.isForward ? forward : backward,
      sourceOrder: side.isForward ? backward : forward)
    state.hasOpenChanges = true
  }

  /// Removes the links between two objects.
  func remove(
    _ side: LinkTable.Side, _ object: ObjectKey, _ other: ObjectKey, _ state: StoreState
  ) throws {
    var isChanged = state.links.remove(link(side, object, other))
    if side.table.isSymmetric, state.links.remove(link(side, other, object)) { isChanged = true }
    for found in try LinkReader().links(between: object, and: other, side, state) {
      state.links.remove(found.key, basis: found.version)
      isChanged = true
    }
    guard isChanged else { return }
    state.hasOpenChanges = true
    for key in [object, other] {
      if let touched = workspace.object(at: key, in: state) {
        workspace.drafts.recordTouched(touched)
      }
    }
  }

  /// Links an object to exactly the given objects.
  ///
  /// The links of the object are read once, and only the differences are written. A look-up for each pair takes ten
  /// times as long.
  ///
  /// - Parameter wanted: The objects to link, each of them once.
  func set(
    _ side: LinkTable.Side, of object: ManagedObject, _ toMany: GraphProperty.ToMany,
    to wanted: [ManagedObject]
  ) throws {
    let present = Set(RelationshipReader(workspace).keys(of: object, toMany))
    let added = wanted.filter { !present.contains($0.key) }
    workspace.requireOwn(object)
    for other in added {
      workspace.requireOwn(other)
      if other.source.entity.store !== object.source.entity.store {
        misuse("\(ContextError.crossStore(toMany.relationship.name, object, other))")
      }
    }
    guard let state = workspace.state(of: object), workspace.exists(object) else { return }
    // Each object that stays is both present and wanted.
    if present.count > wanted.count - added.count {
      try remove(side, of: object, except: Set(wanted.map(\.key)), state)
    }
    try Prefetcher(workspace).locate(added)
    for (index, other) in added.enumerated() where workspace.exists(other) {
      try put(side, object, other, state, remaining: added.count - index)
    }
  }

  /// Removes the links of an object that refer to none of the given objects.
  ///
  /// - Precondition: Every link of the object is in the view.
  private func remove(
    _ side: LinkTable.Side, of object: ManagedObject, except kept: Set<ObjectKey>,
    _ state: StoreState
  ) throws {
    for found in try LinkReader().links(of: object.key, side, state)
    where !kept.contains(found.other) {
      state.links.remove(found.key, basis: found.version)
      state.hasOpenChanges = true
      workspace.drafts.recordTouched(object)
      if let other = workspace.object(at: found.other, in: state) {
        workspace.drafts.recordTouched(other)
      }
    }
  }

  /// Numbers the links of an object in the order of the objects at their other ends.
  func setOrder(
    _ side: LinkTable.Side, _ owner: ManagedObject, _ objects: [ManagedObject],
    _ state: StoreState
  ) throws {
    guard side.order != nil else { return }
    // Only links in rows can be numbered, so open links are frozen first.
    try workspace.sealAll()
    let known = try Dictionary(
      grouping: LinkReader().links(of: owner.key, side, state), by: \.other)
    let end = OrderedPlaces(workspace).linkEnd(of: owner, side)
    if let last = OrderedPlaces.last(of: objects.lazy.map({ known[$0.key]?[0].order })) {
      workspace.relationships.setNextPlace(last + 1, at: end)
      return
    }
    for (place, object) in objects.enumerated() {
      guard let found = known[object.key] else { continue }
      // A link of an object to itself is found from both sides, and has a position for each side.
      for link in found where link.key == found[0].key {
        guard let column = link.orderColumn, link.order != Int64(place) else { continue }
        state.links.setOrder(Int64(place), column: column, of: link.key, basis: link.version)
        state.hasOpenChanges = true
      }
    }
    workspace.relationships.setNextPlace(Int64(objects.count), at: end)
    if state.hasOpenChanges { workspace.drafts.recordTouched(owner) }
  }
}
