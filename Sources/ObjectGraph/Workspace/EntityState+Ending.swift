import ObjectModel
import Rows

extension EntityState {
  /// Looks up the faults that the program still holds, because nothing can look them up once the context has ended.
  ///
  /// A fetch that a database answers returns keys, and its objects are faults until their first read. An object that is
  /// in none of the tables, or in a damaged table, reads as empty.
  ///
  /// - Parameter tables: The tables of the store that the context shows, from bottom to top.
  func resolveHeldFaults(in tables: [any RowTable]) {
    guard hasFaults else { return }
    var faults: [ManagedObject] = []
    objects.visitHeld { object in
      if object.source.isUnresolved, !object.state.contains(.missing) { faults.append(object) }
    }
    guard !faults.isEmpty,
      let found = try? View(tables).rows(of: faults.map(\.key.number), graph.layout)
    else { return }
    for place in found.rows {
      faults[place.key].point(to: source(of: found.blocks[place.block]), row: place.row)
    }
  }
}
