import ObjectModel
import ObjectQuery
import Rows

/// The ordered relationships whose members or places both sides have changed.
///
/// A place is a number in the row of a member. The numbers of two sides do not fit together, so the merge compares and
/// merges the lists.
struct OrderDisputes {
  private let merge: ThreeWayMerge

  init(_ merge: ThreeWayMerge) { self.merge = merge }

  private struct List: Hashable {
    let owner: ObjectKey
    let relationship: String
  }

  /// Returns the lists that both sides have changed, in the order of their owners.
  func lists() throws -> [MergedList] {
    let ours = try changedLists(merge.base, merge.views.ours)
    if ours.isEmpty { return [] }
    let theirs = try changedLists(merge.theirs, merge.views.theirs)
    let both = ours.intersection(theirs).sorted {
      ($0.owner, $0.relationship) < ($1.owner, $1.relationship)
    }
    if both.isEmpty { return [] }
    let sources = [merge.views.base, merge.views.ours, merge.views.theirs].map {
      ViewSource($0, model: merge.graph.model, schema: merge.graph.schema)
    }
    return try both.compactMap { list in
      guard case .toMany(let toMany)? = merge.graph[list.owner.entity]?[list.relationship]?.place,
        try sources[1].view.row(of: list.owner) != nil,
        try sources[2].view.row(of: list.owner) != nil
      else { return nil }
      let members = try sources.map { try $0.objects(relatedTo: list.owner, through: toMany.query) }
      return MergedList(
        owner: list.owner, entity: merge.graph[list.owner.entity]?.name ?? "",
        relationship: list.relationship, base: members[0], ours: members[1], theirs: members[2])
    }
  }

  /// Returns the ordered relationships with a member, or a place, that differs from the base.
  private func changedLists(_ layer: Layer, _ view: View) throws -> Set<List> {
    var lists: Set<List> = []
    for key in try layer.allKeys() {
      for row in [try merge.views.base.row(of: key), try view.row(of: key)] {
        guard let row else { continue }
        if let entity = merge.graph[key.entity] {
          for toOne in entity.toOnes where toOne.order != nil {
            guard let inverse = toOne.inverse,
              let owner = try row.reference(entity.layout.columns[toOne.column])
            else { continue }
            lists.insert(List(owner: owner, relationship: inverse.name))
          }
        } else if let columns = merge.graph.schema[key.entity]?.columns, columns.count > 2 {
          for end in columns.prefix(2) {
            guard let owner = try row.reference(end) else { continue }
            for name in orderedLinks(of: owner, key.entity) {
              lists.insert(List(owner: owner, relationship: name))
            }
          }
        }
      }
    }
    return lists
  }

  /// Returns the names of the ordered relationships that an object has in a table of links.
  private func orderedLinks(of key: ObjectKey, _ table: UInt16) -> [String] {
    (merge.graph[key.entity]?.properties ?? []).compactMap { property in
      guard case .toMany(let toMany) = property.place, toMany.relationship.keepsOrder,
        toMany.links?.table.layout.entityNumber == table
      else { return nil }
      return property.name
    }
  }
}

/// An ordered relationship of one object that both sides have changed.
struct MergedList {
  let owner: ObjectKey
  let entity: String
  let relationship: String
  let base: [ObjectKey]
  let ours: [ObjectKey]
  let theirs: [ObjectKey]
  /// The side that wins, if both sides have ordered the members differently.
  var side = MergeSide.ours
  /// Whether members that the other copy has added precede members that this copy has added at the same place.
  var theirsComeFirst = false

  init(
    owner: ObjectKey, entity: String, relationship: String, base: [ObjectKey], ours: [ObjectKey],
    theirs: [ObjectKey]
  ) {
    self.owner = owner
    self.entity = entity
    self.relationship = relationship
    self.base = base
    self.ours = ours
    self.theirs = theirs
  }

  /// The same list as the other copy sees it.
  private var turned: MergedList {
    var list = MergedList(
      owner: owner, entity: entity, relationship: relationship, base: base, ours: theirs,
      theirs: ours)
    list.side = side == .ours ? .theirs : side == .theirs ? .ours : .base
    return list
  }

  /// The dispute about the order; `nil` if at most one side has changed the order of the common members.
  var dispute: MergeDispute? {
    guard case nil = leadingSide else { return nil }
    let common = Set(base).intersection(ours).intersection(theirs)
    return MergeDispute(
      kind: .order, object: owner, entity: entity, property: relationship,
      base: .order(base.filter(common.contains)), ours: .order(ours.filter(common.contains)),
      theirs: .order(theirs.filter(common.contains)))
  }

  /// The side that has changed the order of the common members; `nil` if both have.
  private var leadingSide: MergeSide? {
    let common = Set(ours).intersection(theirs)
    if ours.filter(common.contains) == theirs.filter(common.contains) { return .ours }
    let known = common.intersection(base)
    let (before, here) = (base.filter(known.contains), ours.filter(known.contains))
    let there = theirs.filter(known.contains)
    if here == there || there == before { return .ours }
    return here == before ? .theirs : nil
  }

  /// Returns the members in the merged order.
  ///
  /// The members that both sides have follow the side that has changed their order. Every other member follows the
  /// member that precedes it on its own side. Members that this copy has added precede members that the other copy has
  /// added at the same place, unless ``theirsComeFirst``.
  func arranged(_ members: [ObjectKey]) -> [ObjectKey] {
    if theirsComeFirst { return turned.arranged(members) }
    let all = Set(members)
    let lead = leadingSide ?? side
    var result: [ObjectKey]
    switch lead {
    case .ours: result = ours
    case .theirs: result = theirs
    case .base: result = base.filter { ours.contains($0) && theirs.contains($0) }
    }
    result = result.filter(all.contains)
    for (list, other) in [(ours, theirs), (theirs, ours)] {
      insert(list.filter(all.contains), into: &result, behindOthers: list == theirs, other)
    }
    let placed = Set(result)
    return result + members.filter { !placed.contains($0) }
  }

  /// Inserts the members of one side's list that the result does not contain yet.
  ///
  /// - Parameters:
  ///   - list: The list of the one side.
  ///   - behindOthers: Whether these members come after the members that the second side has added at the same place.
  ///   - other: The list of the second side.
  private func insert(
    _ list: [ObjectKey], into result: inout [ObjectKey], behindOthers: Bool, _ other: [ObjectKey]
  ) {
    var placed = Set(result)
    let added = Set(other).subtracting(base).subtracting(list)
    let last = list.lastIndex(where: placed.contains) ?? -1
    // Members at the end of their list stay at the end, even if the other side has moved the member before them.
    let tail = list[(last + 1)...]
    var place = 0
    for member in list.prefix(last + 1) {
      if placed.contains(member) {
        place = result.firstIndex(of: member)! + 1
        continue
      }
      while behindOthers, place < result.count, added.contains(result[place]) { place += 1 }
      result.insert(member, at: place)
      placed.insert(member)
      place += 1
    }
    let end =
      behindOthers
      ? result.count : result.count - result.reversed().prefix(while: added.contains).count
    result.insert(contentsOf: tail, at: end)
  }
}
