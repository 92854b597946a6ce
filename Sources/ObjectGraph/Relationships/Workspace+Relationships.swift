import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// The end of an ordered relationship of one object: where the next one goes.
struct OrderEnd: Hashable {
  var owner: ObjectID
  var relationship: String
}

// A relationship is kept in one place: a reference at the end that leads to one, or links. The other end
// follows, so there is nothing to keep in agreement but the two references of one to one.
extension Workspace {
  /// Whether a reference leads to an object that is there. One that was never looked up is.
  func isThere(_ object: ManagedObject) -> Bool {
    if !deletionsToPropagate.isEmpty { propagateDeletions() }
    return object.state.isDisjoint(with: [.deleted, .missing])
  }

  /// The state of the store that an object is in.
  func state(of object: ManagedObject) -> StoreState? {
    knownState(of: object.source.entity.store)
  }

  // MARK: To one

  /// Leads a relationship to another object, or to none, and its inverse back.
  func setReference(
    of object: ManagedObject, _ toOne: GraphProperty.ToOne, to other: ManagedObject?
  ) {
    if let other {
      requireOwn(other)
      guard other.source.entity.store === object.source.entity.store else {
        misuse(
          "\(ContextError.crossStore(toOne.relationship.name, object, other))")
      }
    }
    // Nothing leads to what is gone, and what is gone leads nowhere.
    realize(object)
    guard isAlive(object) else { return }
    let other = other.flatMap { exists($0) ? $0 : nil }
    if let inverse = toOne.inverse, !inverse.isToMany {
      setBothReferences(of: object, toOne, inverse, to: other)
    } else {
      // Who is there stays in its place.
      if let other, object.reference(column: toOne.column) == other.key { return }
      write(other?.key, of: object, toOne.column)
    }
    guard let order = toOne.order, let inverse = toOne.inverse else { return }
    guard let other else { return write(order: nil, of: object, order) }
    write(order: nextOrder(of: other, inverse.name), of: object, order)
  }

  /// One to one: whoever led here, or to the other, leads there no more.
  private func setBothReferences(
    of object: ManagedObject, _ toOne: GraphProperty.ToOne, _ inverse: Relationship,
    to other: ManagedObject?
  ) {
    let old = object.reference(column: toOne.column)
    if old == other?.key { return }
    let store = object.source.entity.store
    if let old, let before = self.object(at: old, in: store) {
      clear(inverse.name, of: before, ifLeadingTo: object.key)
    }
    write(other?.key, of: object, toOne.column)
    guard let other, let back = other.source.entity.graph[inverse.name],
      case .toOne(let backward) = back.place
    else { return }
    realize(other)
    if let third = other.reference(column: backward.column), third != object.key,
      let former = self.object(at: third, in: store)
    {
      clear(toOne.relationship.name, of: former, ifLeadingTo: other.key)
    }
    write(object.key, of: other, backward.column)
  }

  private func clear(_ name: String, of object: ManagedObject, ifLeadingTo key: ObjectKey) {
    guard case .toOne(let toOne)? = object.source.entity.graph[name]?.place else { return }
    realize(object)
    if object.reference(column: toOne.column) == key { write(nil, of: object, toOne.column) }
  }

  func write(_ key: ObjectKey?, of object: ManagedObject, _ column: Int) {
    guard let source = beginChange(of: object), let draft = source.draft else { return }
    if let key {
      draft.setReference(key, column: column, row: Int(object.row))
    } else {
      draft.setNull(column: column, row: Int(object.row))
    }
  }

  func write(order: Int64?, of object: ManagedObject, _ column: Int) {
    guard let source = beginChange(of: object), let draft = source.draft else { return }
    if let order {
      draft.setInteger(order, column: column, row: Int(object.row))
    } else {
      draft.setNull(column: column, row: Int(object.row))
    }
  }

  /// The place behind the last of an ordered relationship.
  private func nextOrder(of owner: ManagedObject, _ relationship: String) -> Int64 {
    let end = OrderEnd(owner: owner.objectID, relationship: relationship)
    if let known = orderEnds[end] {
      orderEnds[end] = known + 1
      return known
    }
    var next: Int64 = 0
    // Nothing can lead to an owner yet whose first row is still being written.
    if !owner.isInserted || !owner.source.isOpen || owner.source.isSparse,
      case .toMany(let toMany)? = owner.source.entity.graph[relationship]?.place
    {
      next = Int64((places(of: owner, toMany).last ?? -1) + 1)
    }
    orderEnds[end] = next + 1
    return next
  }

  /// The places that the objects of an ordered relationship have, ascending.
  private func places(of owner: ManagedObject, _ toMany: GraphProperty.ToMany) -> [Int64] {
    relatedObjects(of: owner, toMany).compactMap { member in
      guard let inverse = toMany.inverse,
        case .toOne(let toOne)? = member.source.entity.graph[inverse.name]?.place,
        let order = toOne.order
      else { return nil }
      realize(member)
      if case .integer(let place) = member.source.value(order, Int(member.row)) {
        return place
      }
      return nil
    }.sorted()
  }

  // MARK: To many

  /// The keys of the objects that a relationship leads to, in its order.
  func relatedKeys(of object: ManagedObject, _ toMany: GraphProperty.ToMany) -> [ObjectKey] {
    do {
      try propagateDeletionsOrThrow()
      return try relatedKeysOrThrow(of: object, toMany)
    } catch {
      note(error)
      return []
    }
  }

  private func relatedKeysOrThrow(
    of object: ManagedObject, _ toMany: GraphProperty.ToMany
  ) throws -> [ObjectKey] {
    guard let state = state(of: object) else { return [] }
    try sealAll()
    let keys = try state.source.objects(relatedTo: object.key, through: toMany.query)
    guard toMany.mayLeadToDeleted else { return keys }
    return objects(at: keys, in: state).filter { !$0.state.contains(.deleted) }.map(\.key)
  }

  /// What a relationship leads to, each object to be made when it is asked for.
  func related(of object: ManagedObject, _ toMany: GraphProperty.ToMany) -> RelatedStorage {
    do {
      try propagateDeletionsOrThrow()
      try sealAll()
      guard let state = state(of: object) else { return RelatedStorage([]) }
      if let number = toMany.way.onlyEntity, let entity = state.entity(number, self) {
        return try state.related(object.key, toMany, in: entity)
      }
      let keys = try toMany.way.objects(relatedTo: object.key, in: state.source.index)
      let found = objects(at: keys, in: state)
      guard toMany.mayLeadToDeleted else { return RelatedStorage(found) }
      return RelatedStorage(found.filter { !$0.state.contains(.deleted) })
    } catch {
      note(error)
      return RelatedStorage([])
    }
  }

  /// The objects that a relationship leads to, in its order.
  func relatedObjects(
    of object: ManagedObject, _ toMany: GraphProperty.ToMany
  ) -> [ManagedObject] {
    guard let state = state(of: object) else { return [] }
    return objects(at: relatedKeys(of: object, toMany), in: state)
  }

  /// The objects with the given keys, made where they are not known.
  func objects(at keys: [ObjectKey], in state: StoreState) -> [ManagedObject] {
    var objects: [ManagedObject] = []
    objects.reserveCapacity(keys.count)
    var entity: EntityState?
    for key in keys {
      if entity?.graph.number != key.entity { entity = state.entity(key.entity, self) }
      guard let entity else { continue }
      objects.append(entity.object(key.number))
    }
    return objects
  }

  /// Leads a relationship to the given objects and to no others.
  func setRelated(
    of object: ManagedObject, _ toMany: GraphProperty.ToMany, to objects: [ManagedObject]
  ) {
    var wanted: [ManagedObject] = []
    var seen: Set<ManagedObject> = []
    for other in objects where seen.insert(other).inserted { wanted.append(other) }
    if let side = toMany.links {
      do { try setLinks(side, of: object, toMany, to: wanted) } catch { note(error) }
      if toMany.relationship.keepsOrder { setOrder(of: wanted, in: object, toMany) }
      return
    }
    for other in relatedObjects(of: object, toMany) where !seen.contains(other) {
      remove(other, from: object, toMany)
    }
    let present = Set(relatedKeys(of: object, toMany))
    for other in wanted where !present.contains(other.key) { add(other, to: object, toMany) }
    if toMany.relationship.keepsOrder { setOrder(of: wanted, in: object, toMany) }
  }

  /// Adds an object to a relationship.
  func add(_ other: ManagedObject, to object: ManagedObject, _ toMany: GraphProperty.ToMany) {
    requireOwn(object)
    requireOwn(other)
    guard other.source.entity.store === object.source.entity.store else {
      misuse(
        "\(ContextError.crossStore(toMany.relationship.name, object, other))")
    }
    if let toOne = backward(of: toMany, other) {
      realize(other)
      if other.reference(column: toOne.column) == object.key { return }
      return setReference(of: other, toOne, to: object)
    }
    guard let side = toMany.links, let state = state(of: object) else { return }
    do { try addLink(side, object, other, state) } catch { note(error) }
  }

  /// Takes an object out of a relationship.
  func remove(
    _ other: ManagedObject, from object: ManagedObject, _ toMany: GraphProperty.ToMany
  ) {
    requireOwn(object)
    requireOwn(other)
    if let toOne = backward(of: toMany, other) {
      realize(other)
      if other.reference(column: toOne.column) == object.key {
        setReference(of: other, toOne, to: nil)
      }
      return
    }
    guard let side = toMany.links, let state = state(of: object) else { return }
    do { try removeLinks(side, object.key, other.key, state) } catch { note(error) }
  }

  /// The reference of a member that a relationship follows from.
  private func backward(
    of toMany: GraphProperty.ToMany, _ member: ManagedObject
  ) -> GraphProperty.ToOne? {
    guard toMany.links == nil, let inverse = toMany.inverse,
      case .toOne(let toOne)? = member.source.entity.graph[inverse.name]?.place
    else { return nil }
    return toOne
  }

  /// Numbers the objects of an ordered relationship in the given order.
  private func setOrder(
    of objects: [ManagedObject], in owner: ManagedObject, _ toMany: GraphProperty.ToMany
  ) {
    orderEnds[OrderEnd(owner: owner.objectID, relationship: toMany.relationship.name)] =
      Int64(objects.count)
    if let side = toMany.links, let state = state(of: owner) {
      do { try setLinkOrder(side, owner, objects, state) } catch { note(error) }
      return
    }
    for (place, member) in objects.enumerated() {
      guard let toOne = backward(of: toMany, member), let column = toOne.order else { continue }
      realize(member)
      if case .integer(Int64(place)) = member.source.value(column, Int(member.row)) {
        continue
      }
      write(order: Int64(place), of: member, column)
    }
  }
}

// MARK: - Links

extension Workspace {
  /// The links of an object in the view, seen from one side.
  func links(
    of key: ObjectKey, _ side: LinkTable.Side, _ state: StoreState
  ) throws -> [FoundLink] {
    try FoundLink.links(of: key, side, in: state.source).filter { !state.links.isRemoved($0.key) }
  }

  private func linkIndex(of side: LinkTable.Side, _ state: StoreState) -> IndexLayout {
    let number = side.table.layout.entityNumber
    return state.graph.schema.index(ofEntity: number, by: [side.owner])
      ?? IndexLayout(number: 0, entityNumber: number, columns: [side.owner])
  }

  /// The links between two objects in the view, found from the one that has fewer: the other may have very many,
  /// and be asked again for each of them.
  private func links(
    between object: ObjectKey, and other: ObjectKey, _ side: LinkTable.Side, _ state: StoreState
  ) throws -> [FoundLink] {
    guard let indexed = state.source.indexed else { return [] }
    func mostLinks(of key: ObjectKey, _ side: LinkTable.Side) throws -> Int {
      try indexed.mostKeys(
        linkIndex(of: side, state), in: IndexRange(equalTo: IndexBound([.object(key)])))
    }
    // Where links have no direction each object has them on either side.
    let sides = side.table.isSymmetric ? [side, side.turned] : [side]
    let own = try sides.reduce(0) { try $0 + mostLinks(of: object, $1) }
    let others = try sides.reduce(0) { try $0 + mostLinks(of: other, $1.turned) }
    return own <= others
      ? try links(of: object, side, state).filter { $0.other == other }
      : try links(of: other, side.turned, state).filter { $0.other == object }
  }

  private func link(
    _ side: LinkTable.Side, _ object: ObjectKey, _ other: ObjectKey
  ) -> OpenLinks.Link {
    OpenLinks.Link(
      table: side.table.layout.entityNumber, source: side.isForward ? object : other,
      target: side.isForward ? other : object)
  }

  /// Whether two objects were linked since the last sealing.
  private func isOpen(
    _ side: LinkTable.Side, _ object: ObjectKey, _ other: ObjectKey, _ state: StoreState
  ) -> Bool {
    state.links.number(of: link(side, object, other)) != nil
      || (side.table.isSymmetric && state.links.number(of: link(side, other, object)) != nil)
  }

  private func addLink(
    _ side: LinkTable.Side, _ object: ManagedObject, _ other: ManagedObject, _ state: StoreState
  ) throws {
    guard exists(object), exists(other), !isOpen(side, object.key, other.key, state) else {
      return
    }
    guard try links(between: object.key, and: other.key, side, state).isEmpty else { return }
    try putLink(side, object, other, state)
  }

  /// Links two objects that have no link.
  ///
  /// - Parameter remaining: The number of links that the caller is about to put, this link included.
  func putLink(
    _ side: LinkTable.Side, _ object: ManagedObject, _ other: ManagedObject, _ state: StoreState,
    remaining: Int = 1
  ) throws {
    noteTouched(object)
    noteTouched(other)
    let table = side.table.layout.entityNumber
    let number = try nextLinkKey(table, state, remaining)
    let forward = try side.order.map { _ in try nextLinkOrder(of: object, side, state) }
    // An object that leads to itself has one place in its list, and the link has two for it.
    let isLoop = side.table.isSymmetric && object === other
    let backward =
      isLoop
      ? forward
      : try side.turned.order.map { _ in try nextLinkOrder(of: other, side.turned, state) }
    state.links.insert(
      link(side, object.key, other.key), number: number,
      targetOrder: side.isForward ? forward : backward,
      sourceOrder: side.isForward ? backward : forward)
    state.hasOpenChanges = true
  }

  /// Links change no row of the objects they connect; both count as changed all the same.
  func noteTouched(_ object: ManagedObject) {
    noteChange(of: object)
    if !object.state.contains(.inserted) { object.state.insert(.updated) }
  }

  private func nextLinkKey(
    _ table: UInt16, _ state: StoreState, _ remaining: Int
  ) throws -> UInt64 {
    if let range = linkKeys[state.tag]?[table], !range.isEmpty {
      linkKeys[state.tag]![table] = range.dropFirst()
      return range.lowerBound
    }
    let range = try state.persistent.store.leaseKeys(
      ofEntity: table, count: max(256, min(remaining, 65_536)))
    linkKeys[state.tag, default: [:]][table] = range.dropFirst()
    return range.lowerBound
  }

  /// Returns the end of an object's list of links.
  ///
  /// A relationship that is its own inverse has one list, whichever side a link is added from.
  private func linkOrderEnd(of owner: ManagedObject, _ side: LinkTable.Side) -> OrderEnd {
    let isForward = side.isForward || side.table.isSymmetric
    return OrderEnd(
      owner: owner.objectID,
      relationship: "\(side.table.layout.entityNumber)\(isForward ? ">" : "<")")
  }

  private func nextLinkOrder(
    of owner: ManagedObject, _ side: LinkTable.Side, _ state: StoreState
  ) throws -> Int64 {
    let end = linkOrderEnd(of: owner, side)
    if let known = orderEnds[end] {
      orderEnds[end] = known + 1
      return known
    }
    let last = try links(of: owner.key, side, state).map(\.order).max() ?? -1
    orderEnds[end] = last + 2
    return last + 1
  }

  /// Takes out the links between two objects, or all of one.
  private func removeLinks(
    _ side: LinkTable.Side, _ object: ObjectKey, _ other: ObjectKey, _ state: StoreState
  ) throws {
    var isChanged = state.links.remove(link(side, object, other))
    if side.table.isSymmetric, state.links.remove(link(side, other, object)) { isChanged = true }
    for found in try links(between: object, and: other, side, state) {
      state.links.remove(found.key, basis: found.version)
      isChanged = true
    }
    guard isChanged else { return }
    state.hasOpenChanges = true
    for key in [object, other] {
      if let touched = self.object(at: key, in: state) { noteTouched(touched) }
    }
  }

  private func setLinkOrder(
    _ side: LinkTable.Side, _ owner: ManagedObject, _ objects: [ManagedObject],
    _ state: StoreState
  ) throws {
    guard side.order != nil else { return }
    // The links must be rows to be numbered.
    try sealAll()
    let known = try Dictionary(grouping: links(of: owner.key, side, state), by: \.other)
    for (place, object) in objects.enumerated() {
      guard let found = known[object.key] else { continue }
      // A link of an object to itself is found from both sides, and has a place for each.
      for link in found where link.key == found[0].key {
        guard let column = link.orderColumn, link.order != Int64(place) else { continue }
        state.links.setOrder(Int64(place), column: column, of: link.key, basis: link.version)
        state.hasOpenChanges = true
      }
    }
    let end = linkOrderEnd(of: owner, side)
    orderEnds[end] = Int64(objects.count)
    if state.hasOpenChanges { noteTouched(owner) }
  }
}
