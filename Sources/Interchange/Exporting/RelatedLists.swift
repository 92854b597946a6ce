import ObjectModel
import Rows

/// The members of a to-many relationship, for all objects of one entity in the order of their keys.
struct RelatedLists {
  private struct Entry {
    var owner: UInt64
    var place: Int64
    var other: ObjectKey
  }
  private var entries: [Entry] = []
  private var next = 0

  /// Collects the lists from the to-one references of the inverse relationship.
  init(
    _ relationship: Relationship, back inverse: Relationship, of owner: Layout, model: Model,
    schema: Schema, view: View
  ) throws {
    for entity in model.family(of: relationship.destination) where !entity.isAbstract {
      guard let layout = schema[entity.name], let column = layout.index(of: inverse.name) else {
        continue
      }
      let order = relationship.keepsOrder ? layout.index(of: inverse.name + "#order") : nil
      for batch in try view.batches(of: layout) {
        try add(
          batch, owner: layout.columns[column], other: nil,
          order: order.map { layout.columns[$0] }, of: owner, to: layout)
      }
    }
    sort()
  }

  /// Collects the lists from links.
  init(_ side: LinkTable.Side, isOrdered: Bool, of owner: Layout, view: View, known: KnownObjects)
    throws
  {
    for side in side.table.isSymmetric ? [side, side.turned] : [side] {
      for batch in try view.batches(of: side.table.layout) {
        try add(
          batch, owner: side.owner, other: side.destination,
          order: isOrdered ? side.order : nil, of: owner, to: side.table.layout)
      }
    }
    // Drop links to objects that do not exist. A symmetric link of an object to itself appears twice and counts once.
    let all = entries
    entries = []
    for entry in all where try known.contains(entry.other) { entries.append(entry) }
    sort()
    var seen: Set<ObjectKey> = []
    var last: UInt64?
    entries.removeAll { entry in
      if entry.owner != last { seen = [] }
      last = entry.owner
      return !seen.insert(entry.other).inserted
    }
  }

  private mutating func add(
    _ batch: RowBatch, owner: LayoutColumn, other: LayoutColumn?, order: LayoutColumn?,
    of ownerLayout: Layout, to layout: Layout
  ) throws {
    guard let owners = try batch.block.column(owner) else { return }
    let others = try other.flatMap { try batch.block.column($0) }
    let orders = try order.flatMap { try batch.block.column($0) }
    let keys = try batch.block.keys
    for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
      guard let key = owners.reference(at: row), key.entity == ownerLayout.entityNumber else {
        continue
      }
      var destination: ObjectKey?
      if let others {
        destination = others.reference(at: row)
      } else {
        destination = ObjectKey(
          entity: layout.entityNumber, number: UInt64(bitPattern: keys.integer(at: row)))
      }
      guard let destination else { continue }
      // Members without a place come first.
      var place = Int64.min
      if let orders, !orders.isNull(row) { place = orders.integer(at: row) }
      entries.append(Entry(owner: key.number, place: place, other: destination))
    }
  }

  private mutating func sort() {
    entries.sort { ($0.owner, $0.place, $0.other) < ($1.owner, $1.place, $1.other) }
  }

  /// Returns the members of an object's list. Objects must be requested in the order of their keys.
  mutating func others(of owner: UInt64) -> [ObjectKey] {
    while next < entries.count, entries[next].owner < owner { next += 1 }
    let start = next
    while next < entries.count, entries[next].owner == owner { next += 1 }
    return entries[start..<next].map(\.other)
  }
}

/// The objects that exist. Each takes eight bytes once an object of its entity has been requested.
final class KnownObjects {
  private let view: View
  private var keys: [UInt16: [UInt64]] = [:]

  init(_ view: View) { self.view = view }

  func contains(_ key: ObjectKey) throws -> Bool {
    let keys: [UInt64]
    if let known = self.keys[key.entity] {
      keys = known
    } else {
      keys = try view.keys(ofEntity: key.entity)
      self.keys[key.entity] = keys
    }
    guard let first = keys.first, let last = keys.last, key.number >= first, key.number <= last
    else { return false }
    if last - first == UInt64(keys.count - 1) { return true }
    let place = keys.firstPosition { $0 >= key.number }
    return keys[place] == key.number
  }
}
