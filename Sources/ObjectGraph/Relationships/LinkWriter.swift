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

  /// Whether two objects were linked since drafts were last frozen.
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
    workspace.noteTouched(object)
    workspace.noteTouched(other)
    let table = side.table.layout.entityNumber
    let number = try workspace.insertion.nextLinkKey(table, state)
    let forward = try side.order.map { _ in
      try OrderedPlaces(workspace).nextLink(of: object, side, state)
    }
    // An object that leads to itself has one place in its list, and the link has two for it.
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
      if let touched = workspace.object(at: key, in: state) { workspace.noteTouched(touched) }
    }
  }

  /// Gives the links of an object places in the order of the objects at their other ends.
  func setOrder(
    _ side: LinkTable.Side, _ owner: ManagedObject, _ objects: [ManagedObject],
    _ state: StoreState
  ) throws {
    guard side.order != nil else { return }
    // The links must be rows to be numbered.
    try workspace.sealAll()
    let known = try Dictionary(
      grouping: LinkReader().links(of: owner.key, side, state), by: \.other)
    for (place, object) in objects.enumerated() {
      guard let found = known[object.key] else { continue }
      // A link of an object to itself is found from both sides, and has a place for each.
      for link in found where link.key == found[0].key {
        guard let column = link.orderColumn, link.order != Int64(place) else { continue }
        state.links.setOrder(Int64(place), column: column, of: link.key, basis: link.version)
        state.hasOpenChanges = true
      }
    }
    let end = OrderedPlaces(workspace).linkEnd(of: owner, side)
    workspace.orderEnds[end] = Int64(objects.count)
    if state.hasOpenChanges { workspace.noteTouched(owner) }
  }
}
