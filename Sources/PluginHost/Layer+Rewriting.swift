import ObjectModel
import Rows
import StoreInterface

extension Layer {
  /// Returns the same changes and, for each entity with different columns in a newer schema, all its objects as whole
  /// rows.
  ///
  /// Blocks identify columns by numbers, so they stay readable. A plug-in that receives Arrow arrays identifies columns
  /// by names and formats, and would return rows that do not match the newer schema.
  func rewriting(rowsOf head: any StoreSnapshot, for schema: Schema) throws -> Layer {
    let view = head.view
    let changed = view.pushing(self)
    let builder = LayerBuilder(schema)
    var others: [EntityChanges] = []
    for layout in schema.layouts + schema.linkTables.map(\.layout) {
      let number = layout.entityNumber
      guard let before = head.schema[number], before.columns != layout.columns else {
        if let changes = self[number] { others.append(changes) }
        continue
      }
      for key in Set(try view.keys(ofEntity: number)).union(try changed.keys(ofEntity: number)) {
        let key = ObjectKey(entity: number, number: key)
        if let basis = try view.row(of: key)?.version { builder.remove(key, basis: basis) }
        guard let row = try changed.row(of: key) else { continue }
        try builder.insert(key, copying: row, layout)
      }
    }
    return Layer(others + builder.freeze().entities)
  }
}
