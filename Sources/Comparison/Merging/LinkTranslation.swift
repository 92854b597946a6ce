import ObjectModel
import Rows

/// The links of many-to-many relationships of three copies of a store, with the keys of one of them.
///
/// A link is identified by the objects at its ends, because each copy numbers its links itself.
struct LinkTranslation {
  private let translation: MergeTranslation
  private let lease: MergeTranslation.Lease

  init(_ translation: MergeTranslation, lease: @escaping MergeTranslation.Lease) {
    self.translation = translation
    self.lease = lease
  }

  private struct Ends: Hashable, Comparable {
    let owner: ObjectKey
    let destination: ObjectKey

    static func < (one: Ends, other: Ends) -> Bool {
      (one.owner, one.destination) < (other.owner, other.destination)
    }
  }

  private struct Link {
    let number: UInt64
    let ends: Ends
    /// The place of the destination among the owner's, and the place of the owner; `nil` without an order.
    let places: [Value?]

    func isIdentical(to other: Link) -> Bool {
      number == other.number && ends == other.ends && hasSamePlaces(as: other)
    }

    func hasSamePlaces(as other: Link) -> Bool {
      zip(places, other.places).allSatisfy { one, other in
        guard let one, let other else { return true }
        return one.isIdentical(to: other)
      }
    }
  }

  /// A table of links in all copies, as one relationship sees it.
  private struct Table {
    let ours: LinkTable.Side
    let base: LinkTable.Side
    let theirs: LinkTable.Side
  }

  /// Adds the links that differ from the base.
  func add(to base: LayerBuilder, _ theirs: LayerBuilder) throws {
    for table in tables() { try add(table, to: base, theirs) }
  }

  private func tables() -> [Table] {
    var tables: [UInt16: Table] = [:]
    for entity in translation.ours.model.entities {
      for property in translation.ours.model.properties(of: entity.name) {
        guard case .relationship(let relationship) = property, relationship.isToMany,
          let ours = translation.ours.schema.links(of: entity.name, relationship.name),
          tables[ours.table.layout.entityNumber] == nil,
          let base = translation.base.schema.links(of: entity.name, relationship.name),
          let theirs = translation.theirs.schema.links(of: entity.name, relationship.name)
        else { continue }
        tables[ours.table.layout.entityNumber] = Table(ours: ours, base: base, theirs: theirs)
      }
    }
    return tables.sorted { $0.key < $1.key }.map(\.value)
  }

  private func add(
    _ table: Table, to base: LayerBuilder, _ theirs: LayerBuilder
  ) throws {
    let entity = table.ours.table.layout.entityNumber
    func key(_ number: UInt64) -> ObjectKey { ObjectKey(entity: entity, number: number) }
    let ours = try differences(translation.toOurs, table.base, table.ours) { $0 }
    let other = try differences(translation.toTheirs, table.base, table.theirs) {
      translation.key(of: $0, .new)
    }
    var free = FreeNumbers(entity, lease)
    /// The numbers of links of the base in this copy, where they differ.
    var numbers: [UInt64: UInt64] = [:]
    for (ends, link) in ours.old.sorted(by: { $0.key < $1.key }) {
      guard let own = ours.new[ends] else {
        let isTaken = try translation.ours.view.contains(key(link.number))
        let number = isTaken ? try free.next(ours.old.count) : link.number
        numbers[link.number] = number
        insert(link, key(number), table, base)
        continue
      }
      numbers[link.number] = own.number
      if !link.hasSamePlaces(as: own) { setPlaces(link, key(own.number), table, base) }
    }
    for (ends, link) in ours.new where ours.old[ends] == nil {
      base.remove(
        key(link.number), basis: try translation.ours.view.row(of: key(link.number))?.version ?? 0)
    }
    for (ends, link) in other.old {
      let known = key(numbers[link.number] ?? link.number)
      guard let their = other.new[ends] else {
        theirs.remove(known)
        continue
      }
      if !their.hasSamePlaces(as: link) { setPlaces(their, known, table, theirs) }
    }
    for (ends, link) in other.new.sorted(by: { $0.key < $1.key }) where other.old[ends] == nil {
      let own = ours.old[ends] == nil ? ours.new[ends]?.number : nil
      insert(link, key(try own ?? free.next(other.new.count)), table, theirs)
    }
  }

  /// The links of two sides that are not the same, by their ends.
  private typealias Differences = BothSides<[Ends: Link]>

  private func differences(
    _ comparison: StoreComparison, _ old: LinkTable.Side, _ new: LinkTable.Side,
    _ newKey: (ObjectKey) -> ObjectKey
  ) throws -> Differences {
    var found = Differences(old: [:], new: [:])
    try comparison.forEachPair(old: old.table.layout, new: new.table.layout) { one, other in
      let before = try one.flatMap { try link($0, old) { translation.key(of: $0, .old) } }
      let after = try other.flatMap { try link($0, new, newKey) }
      if let before, let after, before.isIdentical(to: after) { return }
      if let before { found.old[before.ends] = before }
      if let after { found.new[after.ends] = after }
    }
    return found
  }

  private func link(
    _ row: ComparedRow, _ side: LinkTable.Side, _ translated: (ObjectKey) -> ObjectKey
  ) throws -> Link? {
    let layout = side.table.layout
    func value(_ column: LayoutColumn?) throws -> Value? {
      guard let column, let index = layout.index(ofNumber: column.number) else { return nil }
      return try row.value(index)
    }
    guard case .object(let owner)? = try value(side.owner),
      case .object(let destination)? = try value(side.destination)
    else { return nil }
    var ends = Ends(owner: translated(owner), destination: translated(destination))
    var places = [try value(side.order), try value(side.turned.order)]
    // A link of a relationship that is its own inverse is the same link from both ends.
    if side.table.isSymmetric, ends.destination < ends.owner {
      ends = Ends(owner: ends.destination, destination: ends.owner)
      places.reverse()
    }
    return Link(number: row.key.number, ends: ends, places: places)
  }

  // MARK: - Adding

  private func insert(_ link: Link, _ key: ObjectKey, _ table: Table, _ builder: LayerBuilder) {
    let layout = table.ours.table.layout
    builder.insert(key)
    for (column, value) in [
      (table.ours.owner, link.ends.owner), (table.ours.destination, link.ends.destination),
    ] {
      guard let index = layout.index(ofNumber: column.number) else { continue }
      builder.set(.object(value), column: index, of: key)
    }
    setPlaces(link, key, table, builder)
  }

  private func setPlaces(
    _ link: Link, _ key: ObjectKey, _ table: Table, _ builder: LayerBuilder
  ) {
    let layout = table.ours.table.layout
    for (column, place) in zip([table.ours.order, table.ours.turned.order], link.places) {
      guard let column, let place, let index = layout.index(ofNumber: column.number) else {
        continue
      }
      builder.set(place, column: index, of: key)
    }
  }

  /// Numbers of new links, reserved when they are needed.
  private struct FreeNumbers {
    private let entity: UInt16
    private let lease: MergeTranslation.Lease
    private var range: Range<UInt64> = 0..<0

    init(_ entity: UInt16, _ lease: @escaping MergeTranslation.Lease) {
      (self.entity, self.lease) = (entity, lease)
    }

    mutating func next(_ count: Int) throws -> UInt64 {
      if range.isEmpty { range = try lease(entity, max(1, count)) }
      defer { range = range.lowerBound + 1..<range.upperBound }
      return range.lowerBound
    }
  }
}
