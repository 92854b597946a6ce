import ObjectModel
import Rows
import StoreInterface

extension StoreSnapshot {
  /// Calls `body` for every row of a layout, with the row's key, the given columns of its block, and its index in the
  /// block.
  func forEachRow(
    of layout: Layout, _ columns: [LayoutColumn],
    _ body: (ObjectKey, [Column?], Int) throws -> Void
  ) throws {
    for batch in try view.batches(of: layout) {
      let keys = try batch.block.keys
      let found = try columns.map { try batch.block.column($0) }
      for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
        let key = ObjectKey(
          entity: layout.entityNumber, number: UInt64(bitPattern: keys.integer(at: row)))
        try body(key, found, row)
      }
    }
  }
}
