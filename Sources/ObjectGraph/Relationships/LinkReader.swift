import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// A link of the context's view.
struct FoundLink {
  var key: ObjectKey
  /// The object at the other end.
  var other: ObjectKey
  /// The place of that object.
  var order: Int64
  /// The column of the place; `nil` when the relationship has no order.
  var orderColumn: LayoutColumn?
  /// The version of the link's row.
  var version: Int64
}

/// Finds the links of many-to-many relationships.
struct LinkReader {
  /// Returns the links of an object in the view, seen from one side.
  func links(
    of key: ObjectKey, _ side: LinkTable.Side, _ state: StoreState
  ) throws -> [FoundLink] {
    let sides = side.table.isSymmetric ? [side, side.turned] : [side]
    guard let indexed = state.source.indexed else { return [] }
    let range = IndexRange(equalTo: IndexBound([.object(key)]))
    return try sides.flatMap { side in
      try indexed.keys(linkIndex(of: side, state), in: range).compactMap { number -> FoundLink? in
        let link = ObjectKey(entity: side.table.layout.entityNumber, number: number)
        guard !state.links.isRemoved(link), let row = try state.source.view.row(of: link),
          case .object(let other) = try row.value(side.destination)
        else { return nil }
        var order: Int64 = 0
        if let column = side.order, case .integer(let place) = try row.value(column) {
          order = place
        }
        return FoundLink(
          key: link, other: other, order: order, orderColumn: side.order, version: try row.version)
      }
    }
  }

  private func linkIndex(of side: LinkTable.Side, _ state: StoreState) -> IndexLayout {
    let number = side.table.layout.entityNumber
    return state.graph.schema.index(ofEntity: number, by: [side.owner])
      ?? IndexLayout(number: 0, entityNumber: number, columns: [side.owner])
  }

  /// Returns the links between two objects in the view.
  ///
  /// The search begins at the object with fewer links: the other may have very many, and be searched for each.
  func links(
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
}
