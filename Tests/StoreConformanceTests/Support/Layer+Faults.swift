import ObjectModel
import Rows
import StoreInterface

/// Changes that a faulty store makes in place of those that it was asked for.
extension Layer {
  /// Returns the changes without the removals, except for those of the given entities.
  func withoutRemovals(exceptIn isKept: (UInt16) -> Bool = { _ in false }) -> Layer {
    Layer(
      entities.map {
        EntityChanges(
          entityNumber: $0.entityNumber, put: $0.put, changed: $0.changed,
          removed: isKept($0.entityNumber) ? $0.removed : BlockRun())
      })
  }

  /// Returns the changes without the last object of an entity of which more than 16,384 are inserted.
  func withoutLast(above base: any StoreSnapshot) throws -> Layer {
    guard let many = entities.first(where: { $0.put.rowCount > 16_384 }) else { return self }
    let last = try many.entries().map(\.key).max()
    return try rewritten(above: base, onto: base) {
      $0.entity != many.entityNumber || $0.number != last
    }
  }

  /// Returns the changes with all values that rows get from them above a snapshot, as changes of another one.
  ///
  /// - Parameter isKept: Whether the changes of an object are kept.
  func rewritten(
    above base: any StoreSnapshot, onto other: any StoreSnapshot,
    where isKept: (ObjectKey) -> Bool = { _ in true }
  ) throws -> Layer {
    let (builder, view) = (LayerBuilder(base.schema), base.view.pushing(self))
    for changes in entities {
      guard let layout = base.schema[changes.entityNumber] else { continue }
      for one in try changes.entries() {
        let key = ObjectKey(entity: changes.entityNumber, number: one.key)
        guard isKept(key) else { continue }
        let basis = try other.view.row(of: key)?.version
        guard let row = try view.row(of: key) else {
          if let basis { builder.remove(key, basis: basis) }
          continue
        }
        if basis == nil { builder.insert(key) }
        for (index, column) in layout.columns.enumerated() {
          builder.set(try row.value(column), column: index, of: key, basis: basis ?? 0)
        }
      }
    }
    return builder.freeze()
  }
}
