import ObjectModel
import ObjectQuery
import Rows

extension EntityPair {
  /// A to-many relationship of both sides.
  struct Lists {
    let old: ToManyRelationship
    let new: ToManyRelationship
    /// Whether both relationships are ordered.
    let areOrdered: Bool
  }

  /// Returns the to-many relationships of a shared property; `nil` for a property of another kind.
  func lists(_ shared: BothSides<Int>) -> Lists? {
    guard case .list(let one, let isOrdered)? = old?.properties[shared.old].content,
      case .list(let other, let keepsOrder)? = new?.properties[shared.new].content
    else { return nil }
    return Lists(old: one, new: other, areOrdered: isOrdered && keepsOrder)
  }

  /// Returns the to-one relationships of a shared property whose inverse relationships are to-many; `nil` for any
  /// other property.
  fileprivate func memberships(
    _ shared: BothSides<Int>
  ) -> BothSides<ComparedProperty.Reference>? {
    guard case .reference(let one)? = old?.properties[shared.old].content,
      case .reference(let other)? = new?.properties[shared.new].content,
      one.isMembership, other.isMembership
    else { return nil }
    return BothSides(old: one, new: other)
  }
}

extension StoreComparison {
  /// Finds the objects whose to-many relationships may differ, from the references and links that differ.
  func changedOwners() throws -> ListMarks {
    var marks = ListMarks()
    for (index, pair) in pairs.enumerated() {
      let memberships = pair.shared.compactMap { pair.memberships($0) }
      guard !memberships.isEmpty else { continue }
      try forEachPair(index) { old, new in
        for membership in memberships {
          try mark(
            owners(membership.old, old), owners(membership.new, new), &marks)
        }
      }
    }
    try forEachLinkTable { tables, isTurned in
      func compare(_ old: ComparedRow?, _ new: ComparedRow?) throws {
        let ends = [LinkTable.Column.source, LinkTable.Column.target]
        let orders = [LinkTable.Column.sourceOrder, LinkTable.Column.targetOrder]
        func columns(_ numbers: [UInt16], _ side: ComparedSide) -> [Int?] {
          let layout = tables[side].layout
          let found = numbers.map { layout.index(ofNumber: $0) }
          return side == .old && isTurned ? found.reversed() : found
        }
        func values(_ row: ComparedRow?, _ side: ComparedSide) throws -> [Value]? {
          try row.map { row in
            try columns(ends, side).map { try $0.map { try row.value($0) } ?? .null }
          }
        }
        let (before, after) = (try values(old, .old), try values(new, .new))
        if let old, let new, let before, let after,
          try zip(before, after).allSatisfy({ try isSame($0, $1) }),
          try zip(columns(orders, .old), columns(orders, .new)).allSatisfy({ one, other in
            guard let one, let other else { return true }
            return try old.value(one).isIdentical(to: new.value(other))
          })
        {
          return
        }
        for value in before ?? [] { marks.insert(value, .old) }
        for value in after ?? [] { marks.insert(value, .new) }
      }
      let layouts = BothSides(old: tables.old.layout, new: tables.new.layout)
      try forEachLinkPair(layouts, compare)
    }
    return marks
  }

  /// The owner that a member's reference refers to, and the member's place in the owner's list.
  private typealias Membership = (owner: Value, order: Value?)

  private func owners(
    _ reference: ComparedProperty.Reference, _ row: ComparedRow?
  ) throws -> Membership? {
    try row.map { row in
      (try row.value(reference.column), try reference.order.map { try row.value($0) })
    }
  }

  private func mark(_ old: Membership?, _ new: Membership?, _ marks: inout ListMarks) throws {
    if let old, let new, try isSame(old.owner, new.owner) {
      guard let before = old.order, let after = new.order, !before.isIdentical(to: after) else {
        return
      }
    }
    if let old { marks.insert(old.owner, .old) }
    if let new { marks.insert(new.owner, .new) }
  }

  /// Returns whether two references refer to matching objects, or both to none.
  func isSame(_ old: Value, _ new: Value) throws -> Bool {
    try matching.token(of: old, .old) == matching.token(of: new, .new)
  }

  /// Calls `body` with the link tables of the to-many relationships that both sides have.
  private func forEachLinkTable(
    _ body: (BothSides<LinkTable>, _ isTurned: Bool) throws -> Void
  ) throws {
    var known: Set<UInt16> = []
    for pair in pairs {
      for shared in pair.shared {
        guard let lists = pair.lists(shared),
          let old = stores.old.schema.links(of: lists.old.entity, lists.old.name),
          let new = stores.new.schema.links(of: lists.new.entity, lists.new.name),
          known.insert(new.table.layout.entityNumber).inserted
        else { continue }
        try body(BothSides(old: old.table, new: new.table), old.isForward != new.isForward)
      }
    }
  }

  private func forEachLinkPair(
    _ layouts: BothSides<Layout>, _ body: (ComparedRow?, ComparedRow?) throws -> Void
  ) throws {
    if let layer { return try forEachPair(in: layer, layouts, body) }
    try forEachPair(old: layouts.old, new: layouts.new, body)
  }
}
