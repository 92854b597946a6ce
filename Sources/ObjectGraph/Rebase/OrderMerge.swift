import ObjectModel
import ObjectQuery
import Rows

/// Merges the places of ordered relationships (spec §6.3.7).
///
/// A context adds an object after the last object that it sees, so two contexts may use the same place. The additions
/// of the changes go behind the additions of another save. If two other members share a place, the later member moves.
struct OrderMerge {
  private let rows: RebasedRows
  /// The rows that the changes were made on.
  private let before: View
  /// The keys of rows with repairs of an earlier rebase, which were reverted.
  private let reverted: Set<ObjectKey>

  /// A member of an ordered relationship, or the link to it, and its place.
  private struct Member {
    let key: ObjectKey
    let place: Int64
    let columns: [Int]
    let origin: Origin

    /// The side that added the member; it orders members that share a place.
    enum Origin: Int {
      /// The member existed when the changes were made.
      case old
      case theirs
      case mine
    }
  }

  init(_ rows: RebasedRows, before: View, reverted: Set<ObjectKey>) {
    self.rows = rows
    self.before = before
    self.reverted = reverted
  }

  /// Gives different places to members that share a place.
  func run() throws {
    for (list, mine) in try placed() {
      let members =
        switch list.members {
        case .references(let name): try referenceMembers(list.owner, name, mine)
        case .links(let side): try linkMembers(list.owner, side, mine)
        }
      try give(changedPlaces(members))
    }
    try rows.seal()
  }

  // MARK: Lists with places that the changes have set

  /// The ordered relationship of one object.
  private struct List: Hashable {
    let owner: ObjectKey
    let members: Members

    enum Members: Hashable {
      /// The objects that refer to the owner, by the name of the owner's relationship.
      case references(String)
      /// The links of the owner on one side of their table.
      case links(LinkTable.Side)
    }
  }

  /// Returns the lists in which the changes have set places, with the members that have received the places. A list may
  /// have members of several entities, or links that refer to its owner from either end.
  private func placed() throws -> [List: Set<ObjectKey>] {
    var placed: [List: Set<ObjectKey>] = [:]
    for changes in rows.layer.entities {
      if let entity = rows.graph[changes.entityNumber] {
        let columns = entity.layout.columns
        for toOne in entity.toOnes {
          guard let order = toOne.order, let inverse = toOne.inverse else { continue }
          try add(changes, owner: columns[toOne.column], order: columns[order], to: &placed) {
            List(owner: $0, members: .references(inverse.name))
          }
        }
      } else if let table = rows.graph.schema.linkTables.first(where: {
        $0.layout.entityNumber == changes.entityNumber
      }) {
        for isForward in [true, false] {
          let side = LinkTable.Side(table: table, isForward: isForward)
          guard let order = side.order else { continue }
          // The links of a relationship that is its own inverse are one list, for an owner at either end.
          let listSide = table.isSymmetric ? LinkTable.Side(table: table, isForward: true) : side
          try add(changes, owner: side.owner, order: order, to: &placed) {
            List(owner: $0, members: .links(listSide))
          }
        }
      }
    }
    return placed
  }

  private func add(
    _ changes: Layer.EntityChanges, owner: LayoutColumn, order: LayoutColumn,
    to placed: inout [List: Set<ObjectKey>], list: (ObjectKey) -> List
  ) throws {
    for one in try changes.entries() {
      // A change of the owner alone sets a place too: the place that the row has below.
      guard let location = one.entry.given,
        try [order, owner].contains(where: { column in
          try !(location.block.value(column, row: location.row) ?? .null).isNull
        })
      else { continue }
      let key = ObjectKey(entity: changes.entityNumber, number: one.key)
      // Only the changes themselves refer to an owner that they insert. Their places differ, except a place that was
      // reverted: a child had chosen the place before it saw the members of its parent.
      guard let found = try rows.row(key)?.reference(owner),
        try reverted.contains(key) || rows.base.row(of: found) != nil
      else { continue }
      placed[list(found), default: []].insert(key)
    }
  }

  // MARK: Members of a list

  private func referenceMembers(
    _ owner: ObjectKey, _ relationship: String, _ mine: Set<ObjectKey>
  ) throws -> [Member] {
    guard case .toMany(let toMany)? = rows.graph[owner.entity]?[relationship]?.place,
      let inverse = toMany.inverse
    else { return [] }
    return try rows.source().objects(relatedTo: owner, through: toMany.query).compactMap { key in
      guard let row = try rows.row(key),
        let backward = rows.graph.toOne(inverse.name, of: key),
        let order = backward.toOne.order, let layout = rows.graph.schema[key.entity],
        case .integer(let place) = try row.value(layout.columns[order])
      else { return nil }
      let wasThere = try before.row(of: key)?.reference(backward.layoutColumn) == owner
      return Member(
        key: key, place: place, columns: [order],
        origin: wasThere ? .old : mine.contains(key) ? .mine : .theirs)
    }
  }

  private func linkMembers(
    _ owner: ObjectKey, _ side: LinkTable.Side, _ mine: Set<ObjectKey>
  ) throws -> [Member] {
    let links = try FoundLink.links(of: owner, side, in: rows.source())
    // A link of an object to itself is found from both sides, and counts once.
    let columns = Dictionary(grouping: links, by: \.key).mapValues { found in
      found.compactMap { link in
        link.orderColumn.flatMap { side.table.layout.index(ofNumber: $0.number) }
      }
    }
    var seen: Set<ObjectKey> = []
    return try links.sorted { $0.order < $1.order }
      .filter { seen.insert($0.key).inserted }
      .map { link in
        let wasThere = try before.row(of: link.key) != nil
        return Member(
          key: link.key, place: link.order, columns: columns[link.key] ?? [],
          origin: wasThere ? .old : mine.contains(link.key) ? .mine : .theirs)
      }
  }

  // MARK: Places of the members

  private func give(_ places: [(member: Member, place: Int64)]) throws {
    for (member, place) in places {
      for column in member.columns {
        try rows.set(.integer(place), column: column, of: member.key)
      }
    }
  }

  /// Returns the members that need new places, with their new places.
  private func changedPlaces(_ members: [Member]) -> [(member: Member, place: Int64)] {
    var members = members.sorted {
      ($0.place, $0.origin.rawValue, $0.key) < ($1.place, $1.origin.rawValue, $1.key)
    }
    guard zip(members, members.dropFirst()).contains(where: { $0.place == $1.place }) else {
      return []
    }
    // If another save has added members at the end too, the additions of this side move behind them.
    let end = members.last { $0.origin == .old }?.place ?? .min
    if let first = members.first(where: { $0.origin == .mine && $0.place > end })?.place,
      members.contains(where: { $0.origin == .theirs && $0.place >= first })
    {
      let isBehind = { (member: Member) in member.origin == .mine && member.place >= first }
      members = members.filter { !isBehind($0) } + members.filter(isBehind)
    }
    var changed: [(member: Member, place: Int64)] = []
    var next = Int64.min
    for member in members {
      let place = max(member.place, next)
      if place != member.place { changed.append((member, place)) }
      next = place + 1
    }
    return changed
  }
}
