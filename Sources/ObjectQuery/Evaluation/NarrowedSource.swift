package import ObjectModel
package import Rows

/// The objects of another source, where of one family only some are scanned: those that somebody has found already.
///
/// What leads elsewhere leads to everything. Who scans for anything but those objects gets an answer of them alone: a
/// condition on what is related to them, say, or the objects of a request within a request.
package final class NarrowedSource: QuerySource {
  private let source: ViewSource
  private let family: Set<UInt16>
  private let keys: [UInt16: [UInt64]]

  /// A source whose objects of an entity, or of one that inherits from it, are the given ones, none twice.
  package init(_ source: ViewSource, entity: String, to keys: [ObjectKey]) {
    self.source = source
    family = Set(
      source.schema.layouts(ofFamily: entity, in: source.model).map(\.entityNumber))
    self.keys = Dictionary(grouping: keys, by: \.entity).mapValues { $0.map(\.number).sorted() }
  }

  /// The other source's.
  package var model: Model { source.model }
  /// The other source's.
  package var schema: Schema { source.schema }
  /// The other source's.
  package var store: StoreTag? { source.store }

  /// All objects of an entity, or those that were found.
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

  /// Any object of the other source.
  package func row(of key: ObjectKey) throws -> ViewRow? { try source.row(of: key) }

  /// Any objects of the other source.
  package func objects(
    relatedTo key: ObjectKey, through relationship: ToManyRelationship
  ) throws -> [ObjectKey] { try source.objects(relatedTo: key, through: relationship) }
}
