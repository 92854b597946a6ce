import ObjectModel
import Rows
import StoreInterface

/// The list of a to-many relationship for each object, collected from the to-one inverse or from links.
struct InverseLists {
  /// For each entity, the start of each object's list, and the end of the last list.
  private var starts: [UInt16: [Int]] = [:]
  /// The numbers of all lists, one list after another.
  private var members: [UInt16: [UInt64]] = [:]

  /// Returns the numbers in the list of the object at the given position of its entity.
  func list(_ entity: UInt16, _ place: Int) -> ArraySlice<UInt64> {
    guard let starts = starts[entity], let members = members[entity] else { return [] }
    return members[starts[place]..<starts[place + 1]]
  }

  /// Collects a relationship's lists from its to-one inverse.
  ///
  /// - Parameters:
  ///   - name: The to-one inverse.
  ///   - sources: The objects that have the inverse.
  ///   - targets: All objects, by the numbers of their entities.
  ///
  /// - Throws: ``StoreError`` if a reference refers to a missing object.
  init(
    _ name: String, isOrdered: Bool, from sources: [EntityRows], to targets: [UInt16: EntityRows]
  ) throws {
    var pairs: [UInt16: [Pair]] = [:]
    for source in sources {
      guard let column = source.layout.index(of: name).map({ source.layout.columns[$0] }) else {
        continue
      }
      let order =
        isOrdered
        ? source.layout.index(of: name + "#order").map { source.layout.columns[$0] } : nil
      let columns = try source.blocks.map { try $0.column(column) }
      let orders = try source.blocks.map { block in try order.flatMap { try block.column($0) } }
      for (key, location) in zip(source.keys, source.locations) {
        let (block, row) = (Int(location >> 24), Int(location & 0xFF_FFFF))
        guard let reference = columns[block]?.reference(at: row) else { continue }
        guard let place = targets[reference.entity]?.place(of: reference.number) else {
          throw DatabaseWriter.dangling(key, source.layout.entity, name, reference)
        }
        var position = Int64.max
        if let column = orders[block], !column.isNull(row) { position = column.integer(at: row) }
        pairs[reference.entity, default: []].append(
          Pair(place: place, position: position, member: key))
      }
    }
    collect(pairs, targets, sorts: isOrdered || sources.count > 1)
  }

  /// Collects the lists of a relationship whose links are rows.
  ///
  /// - Throws: ``StoreError`` if a link leads from or to a missing object.
  init(_ side: LinkTable.Side, _ rows: EntityRows, _ targets: [UInt16: EntityRows]) throws {
    var pairs: [UInt16: [Pair]] = [:]
    try InverseLists.add(side, rows, targets, to: &pairs)
    if side.table.isSymmetric { try InverseLists.add(side.turned, rows, targets, to: &pairs) }
    collect(pairs, targets, sorts: true)
    // Both directions of a link may exist as rows, so duplicates are removed.
    for (entity, starts) in starts {
      var (kept, begins): ([UInt64], [Int]) = ([], [0])
      for index in 0..<starts.count - 1 {
        var seen: Set<UInt64> = []
        kept += members[entity]![starts[index]..<starts[index + 1]].filter {
          seen.insert($0).inserted
        }
        begins.append(kept.count)
      }
      (self.starts[entity], members[entity]) = (begins, kept)
    }
  }

  private static func add(
    _ side: LinkTable.Side, _ rows: EntityRows, _ targets: [UInt16: EntityRows],
    to pairs: inout [UInt16: [Pair]]
  ) throws {
    let owners = try rows.blocks.map { try $0.column(side.owner) }
    let others = try rows.blocks.map { try $0.column(side.destination) }
    let orders = try rows.blocks.map { block in try side.order.flatMap { try block.column($0) } }
    for (key, location) in zip(rows.keys, rows.locations) {
      let (block, row) = (Int(location >> 24), Int(location & 0xFF_FFFF))
      guard let owner = owners[block]?.reference(at: row),
        let other = others[block]?.reference(at: row)
      else { continue }
      guard let place = targets[owner.entity]?.place(of: owner.number),
        targets[other.entity]?.place(of: other.number) != nil
      else {
        throw StoreError(
          .badChange,
          "The link \(key) of '\(rows.layout.entity)' connects z\(owner.number) and "
            + "z\(other.number), but one of these objects does not exist. A store of type XML "
            + "can't contain such a link."
        )
      }
      var position = Int64.max
      if let column = orders[block], !column.isNull(row) { position = column.integer(at: row) }
      pairs[owner.entity, default: []].append(
        Pair(place: place, position: position, member: other.number))
    }
  }

  /// Groups the members of each list, by their order, or by ascending number if they have no order.
  private mutating func collect(
    _ pairs: [UInt16: [Pair]], _ targets: [UInt16: EntityRows], sorts: Bool
  ) {
    for (entity, found) in pairs {
      var starts = [Int](repeating: 0, count: (targets[entity]?.keys.count ?? 0) + 1)
      for pair in found { starts[pair.place + 1] += 1 }
      for index in 1..<starts.count { starts[index] += starts[index - 1] }
      var next = starts
      var sorted = [Pair](repeating: Pair(place: 0, position: 0, member: 0), count: found.count)
      for pair in found {
        sorted[next[pair.place]] = pair
        next[pair.place] += 1
      }
      if sorts {
        for index in 0..<starts.count - 1 where starts[index + 1] - starts[index] > 1 {
          sorted[starts[index]..<starts[index + 1]].sort {
            ($0.position, $0.member) < ($1.position, $1.member)
          }
        }
      }
      self.starts[entity] = starts
      members[entity] = sorted.map(\.member)
    }
  }

  private struct Pair {
    var place: Int
    var position: Int64
    var member: UInt64
  }
}
