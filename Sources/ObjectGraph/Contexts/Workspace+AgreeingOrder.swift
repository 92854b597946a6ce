import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

// Places that others have given meanwhile. Whoever adds to an ordered relationship goes behind the last one there
// is, and two who do not know of each other give the same place (spec §6.3.7).
extension Workspace {
  /// What an ordered relationship leads to, or the link to it, and its place.
  private struct Placed {
    let key: ObjectKey
    let place: Int64
    let version: Int64
    let kind: Kind

    /// Who has put it there, in the order of those with the same place.
    enum Kind: Int {
      /// It was there when this context began its changes, as far as that is known.
      case old
      case theirs
      case mine
    }
  }

  /// Gives the members of ordered relationships that some layers have put somewhere other places, where somebody
  /// else's have these.
  ///
  /// What both have added at the end stands one after the other, others' first. Otherwise whoever comes later in
  /// the order makes room.
  ///
  /// - Parameter known: Objects and links that were there before, though others have changed them since.
  func agreeOrder(_ layers: [Layer], known: Set<ObjectKey> = [], in state: StoreState) throws {
    try sealAll()
    for number in Set(layers.flatMap { $0.entities.map(\.entityNumber) }).sorted() {
      let changes = layers.compactMap { $0[number] }
      if let entity = state.entity(number, self) {
        for index in entity.graph.relationships {
          guard case .toOne(let toOne) = entity.graph.properties[index].place,
            let order = toOne.order, let inverse = toOne.inverse
          else { continue }
          let columns = entity.graph.layout.columns
          let placed = try placed(by: changes, columns[toOne.column], columns[order], in: state)
          try agreeOrder(placed, column: order, of: inverse, known, in: state)
        }
      } else if let table = state.graph.schema.linkTables.first(where: {
        $0.layout.entityNumber == number
      }) {
        for isForward in [true, false] {
          let side = LinkTable.Side(table: table, isForward: isForward)
          guard let order = side.order else { continue }
          try agreeOrder(
            try placed(by: changes, side.owner, order, in: state), side, known, in: state)
        }
      }
    }
    try sealAll()
  }

  /// What some changes have given a place, by whose relationship it is in.
  private func placed(
    by changes: [Layer.EntityChanges], _ owner: LayoutColumn, _ order: LayoutColumn,
    in state: StoreState
  ) throws -> [ObjectKey: Set<ObjectKey>] {
    let view = state.source.view
    var placed: [ObjectKey: Set<ObjectKey>] = [:]
    for changes in changes {
      for one in try changes.entries() {
        let location: RowLocation
        switch one.entry {
        case .put(let put): location = put
        case .changed(let changed): location = changed
        case .removed, .absent: continue
        }
        guard case .integer? = try location.block.value(order, row: location.row) else { continue }
        let key = ObjectKey(entity: changes.entityNumber, number: one.key)
        guard let row = try view.row(of: key), case .object(let whose) = try row.value(owner)
        else { continue }
        placed[whose, default: []].insert(key)
      }
    }
    return placed
  }

  /// Gives objects places of their own among those that lead to the same one.
  private func agreeOrder(
    _ placed: [ObjectKey: Set<ObjectKey>], column: Int, of relationship: Relationship,
    _ known: Set<ObjectKey>, in state: StoreState
  ) throws {
    for (owner, mine) in placed {
      guard
        case .toMany(let toMany)? = state.entity(owner.entity, self)?
          .graph[relationship.name]?.place
      else { continue }
      let view = state.source.view
      var members: [Placed] = []
      for key in try state.source.objects(relatedTo: owner, through: toMany.query) {
        guard let row = try view.row(of: key),
          let entity = state.entity(key.entity, self),
          case .integer(let place) = try row.value(entity.graph.layout.columns[column])
        else { continue }
        let version = try row.version
        let isOld =
          state.isOld(version) || entity.objects[key.number].map { !$0.isInserted } ?? false
          || known.contains(key)
        members.append(
          Placed(
            key: key, place: place, version: version,
            kind: isOld ? .old : mine.contains(key) ? .mine : .theirs))
      }
      for (member, place) in changedPlaces(&members) {
        guard let object = object(at: member.key, in: state) else { continue }
        realize(object)
        write(order: place, of: object, column)
      }
    }
  }

  /// Gives links places of their own among those of the same object.
  private func agreeOrder(
    _ placed: [ObjectKey: Set<ObjectKey>], _ side: LinkTable.Side, _ known: Set<ObjectKey>,
    in state: StoreState
  ) throws {
    for (owner, mine) in placed {
      let links = try self.links(of: owner, side, state).sorted { $0.order < $1.order }
      let columns = Dictionary(grouping: links, by: \.key)
        .mapValues { $0.compactMap(\.orderColumn) }
      // A link of an object to itself is found from both sides, and counts once.
      var seen: Set<ObjectKey> = []
      var members = links.filter { seen.insert($0.key).inserted }.map { link in
        let isOld = state.isOld(link.version) || known.contains(link.key)
        return Placed(
          key: link.key, place: link.order, version: link.version,
          kind: isOld ? .old : mine.contains(link.key) ? .mine : .theirs)
      }
      for (member, place) in changedPlaces(&members) {
        for column in columns[member.key] ?? [] {
          state.links.setOrder(place, column: column, of: member.key, basis: member.version)
          state.hasOpenChanges = true
        }
      }
    }
  }

  /// The members that need other places, and which.
  private func changedPlaces(_ members: inout [Placed]) -> [(member: Placed, place: Int64)] {
    members.sort { ($0.place, $0.kind.rawValue, $0.key) < ($1.place, $1.kind.rawValue, $1.key) }
    guard zip(members, members.dropFirst()).contains(where: { $0.place == $1.place }) else {
      return []
    }
    // What was added at the end, where others have added too.
    let end = members.last { $0.kind == .old }?.place ?? .min
    if let first = members.first(where: { $0.kind == .mine && $0.place > end })?.place,
      members.contains(where: { $0.kind == .theirs && $0.place >= first })
    {
      let isBehind = { (member: Placed) in member.kind == .mine && member.place >= first }
      members = members.filter { !isBehind($0) } + members.filter(isBehind)
    }
    var changed: [(member: Placed, place: Int64)] = []
    var next = Int64.min
    for member in members {
      let place = max(member.place, next)
      if place != member.place { changed.append((member, place)) }
      next = place + 1
    }
    if !changed.isEmpty { orderEnds = [:] }
    return changed
  }
}

extension StoreState {
  /// Whether a row of such a version was saved before anything that changes here may not know of.
  fileprivate func isOld(_ version: Int64) -> Bool { version > 0 && version <= oldestCommit }
}
