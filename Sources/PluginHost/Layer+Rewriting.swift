import ObjectModel
import Rows
import StoreInterface

extension Layer {
  /// The same changes and, as whole rows, all objects of entities whose columns are others in a newer schema.
  ///
  /// Blocks know columns by their numbers and stay readable; who is given Arrow arrays knows them by their names
  /// and formats, and would hand rows out that no longer have these.
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
