import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// Numbers the members of ordered relationships.
struct OrderedPlaces {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Returns the number behind the last member of an ordered relationship, and reserves it.
  func next(of owner: ManagedObject, _ relationship: String) -> Int64 {
    let end = OrderEnd(owner: owner.objectID, relationship: relationship)
    if let known = workspace.relationships.reservePlace(at: end) { return known }
    var next: Int64 = 0
    // No member can refer to an owner that was inserted since the last freeze, so the search is skipped.
    if !owner.isInserted || !owner.source.isOpen || owner.source.isSparse,
      case .toMany(let toMany)? = owner.source.entity.graph[relationship]?.place
    {
      let members = RelationshipReader(workspace).objects(of: owner, toMany)
      next = (members.compactMap { place(of: $0, toMany) }.max() ?? -1) + 1
    }
    workspace.relationships.setNextPlace(next + 1, at: end)
    return next
  }

  /// Numbers the members of an ordered relationship in the given order. Members in this order keep their numbers.
  func number(
    _ objects: [ManagedObject], in owner: ManagedObject, _ toMany: GraphProperty.ToMany
  ) {
    if let side = toMany.links, let state = workspace.state(of: owner) {
      do { try LinkWriter(workspace).setOrder(side, owner, objects, state) } catch {
        workspace.record(error)
      }
      return
    }
    let end = OrderEnd(owner: owner.objectID, relationship: toMany.relationship.name)
    if let last = OrderedPlaces.last(of: objects.lazy.map { place(of: $0, toMany) }) {
      workspace.relationships.setNextPlace(last + 1, at: end)
      return
    }
    workspace.relationships.setNextPlace(Int64(objects.count), at: end)
    for (place, member) in objects.enumerated() {
      guard let toOne = toMany.backward(from: member), let column = toOne.order else { continue }
      if self.place(of: member, toMany) == Int64(place) { continue }
      ReferenceWriter(workspace).write(order: Int64(place), of: member, column)
    }
  }

  /// Returns the number of a member; `nil` if it has none.
  private func place(of member: ManagedObject, _ toMany: GraphProperty.ToMany) -> Int64? {
    guard let column = toMany.backward(from: member)?.order else { return nil }
    workspace.realize(member)
    guard case .integer(let place) = member.source.value(column, Int(member.row)) else {
      return nil
    }
    return place
  }

  /// Returns the last of the numbers if they ascend; `nil` otherwise.
  static func last(of places: some Sequence<Int64?>) -> Int64? {
    var last: Int64?
    for place in places {
      guard let place, place > last ?? .min else { return nil }
      last = place
    }
    return last
  }

  /// Returns the identifier of an object's list of links on one side of a table.
  ///
  /// A relationship that is its own inverse has one list for both sides of a link.
  func linkEnd(of owner: ManagedObject, _ side: LinkTable.Side) -> OrderEnd {
    let isForward = side.isForward || side.table.isSymmetric
    return OrderEnd(
      owner: owner.objectID,
      relationship: "\(side.table.layout.entityNumber)\(isForward ? ">" : "<")")
  }

  /// Returns the number behind the last link of an object, and reserves it.
  func nextLink(
    of owner: ManagedObject, _ side: LinkTable.Side, _ state: StoreState
  ) throws -> Int64 {
    let end = linkEnd(of: owner, side)
    if let known = workspace.relationships.reservePlace(at: end) { return known }
    let last = try LinkReader().links(of: owner.key, side, state).map(\.order).max() ?? -1
    workspace.relationships.setNextPlace(last + 2, at: end)
    return last + 1
  }
}
