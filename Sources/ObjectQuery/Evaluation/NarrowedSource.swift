package import ObjectModel
package import Rows

/// The objects of another source, with a scan of one family restricted to objects that were found before.
///
/// Related objects are not restricted: every relationship refers to all its objects. But every scan of the family sees
/// only the restricted objects. This includes scans for a condition on related objects, or for a request within a
/// request.
package final class NarrowedSource: QuerySource {
  private let source: ViewSource
  private let family: Set<UInt16>
  private let keys: [UInt16: [UInt64]]

  /// Creates a source with a restricted family: a scan of the entity, or of one that inherits from it, returns only
  /// the objects with the given keys. No key may occur twice.
  package init(_ source: ViewSource, entity: String, to keys: [ObjectKey]) {
    self.source = source
    family = Set(
      source.schema.layouts(ofFamily: entity, in: source.model).map(\.entityNumber))
    self.keys = Dictionary(grouping: keys, by: \.entity).mapValues { $0.map(\.number).sorted() }
  }

  /// The model of the other source.
  package var model: Model { source.model }
  /// The schema of the other source.
  package var schema: Schema { source.schema }
  /// The store tag of the other source.
  package var store: StoreTag? { source.store }

  /// Returns all objects of an entity, or only the objects found before if the entity belongs to the restricted
  /// family.
  package func batches(of layout: Layout) throws -> [RowBatch] {
    guard family.contains(layout.entityNumber) else { return try source.batches(of: layout) }
    guard let keys = keys[layout.entityNumber] else { return [] }
    let found = try source.view.rows(of: keys, layout)
    var shown = found.blocks.map { RowMask(rowCount: $0.rowCount) }
    for one in found.rows { shown[one.block].insert(one.row) }
    return zip(found.blocks, shown).map { block, shown in
      var hidden = RowMask(rowCount: block.rowCount)
      for row in 0..<block.rowCount where !shown.contains(row) { hidden.insert(row) }
      return RowBatch(block, hidden: hidden.count == 0 ? nil : hidden)
    }
  }

  /// Returns an object of the other source, without the restriction.
  package func row(of key: ObjectKey) throws -> ViewRow? { try source.row(of: key) }

  /// Returns related objects of the other source, without the restriction.
  package func objects(
    relatedTo key: ObjectKey, through relationship: ToManyRelationship
  ) throws -> [ObjectKey] { try source.objects(relatedTo: key, through: relationship) }
}
