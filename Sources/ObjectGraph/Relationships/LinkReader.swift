import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// Finds the links of many-to-many relationships.
struct LinkReader {
  /// Returns the links of an object on one side of a link table: the links of the view without the links removed since.
  func links(
    of key: ObjectKey, _ side: LinkTable.Side, _ state: StoreState
  ) throws -> [FoundLink] {
    try FoundLink.links(of: key, side, in: state.source).filter { !state.links.isRemoved($0.key) }
  }

  /// Returns the links between two objects: the links of the view without the links removed since.
  ///
  /// The search begins at the object with fewer links. The other object may have very many links, and every search for
  /// a pair would read them all.
  func links(
    between object: ObjectKey, and other: ObjectKey, _ side: LinkTable.Side, _ state: StoreState
  ) throws -> [FoundLink] {
    guard let indexed = state.source.indexed else { return [] }
    func mostLinks(of key: ObjectKey, _ side: LinkTable.Side) throws -> Int {
      try indexed.mostKeys(
        side.ownerIndex(in: state.graph.schema), in: IndexRange(equalTo: IndexBound([.object(key)]))
      )
    }
    // In a relationship that is its own inverse, an object's links may be on either side.
    let sides = side.table.isSymmetric ? [side, side.turned] : [side]
    let own = try sides.reduce(0) { try $0 + mostLinks(of: object, $1) }
    let others = try sides.reduce(0) { try $0 + mostLinks(of: other, $1.turned) }
    return own <= others
      ? try links(of: object, side, state).filter { $0.other == other }
      : try links(of: other, side.turned, state).filter { $0.other == object }
  }
}
