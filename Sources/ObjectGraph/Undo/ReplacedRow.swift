import ObjectModel
import Rows

/// The values of one row that a change has replaced.
struct ReplacedRow {
  typealias Replaced = (column: Int, value: Value)

  let key: UInt64
  let values: [Replaced]
}

/// The values that a step has replaced in changed rows, by entity.
struct ReplacedRows {
  private var rows: [(entity: UInt16, rows: [ReplacedRow])] = []

  /// The greatest number of changed rows for which a step keeps the values. A step with more rows keeps the view below it.
  static let most = 256

  /// Adds all changed rows of an entity.
  mutating func add(_ more: [ReplacedRow], of entity: UInt16) { rows.append((entity, more)) }

  /// Whether the rows of an entity were added. The tables of links have changed rows too, and are never added.
  func has(_ entity: UInt16) -> Bool { rows.contains { $0.entity == entity } }

  /// Returns the changes that restore the values, by entity.
  func restoring(_ schema: Schema, _ writer: inout BlockWriter) -> [UInt16: BlockRun] {
    var runs: [UInt16: BlockRun] = [:]
    for (entity, rows) in rows {
      guard !rows.isEmpty, let layout = schema[entity] else { continue }
      let draft = Draft(layout, role: .changes, capacity: rows.count)
      for one in rows {
        let row = draft.append(key: one.key)
        for (column, value) in one.values { draft.set(value, column: column, row: row) }
      }
      runs[entity] = BlockRun(Draft.freeze([draft], &writer))
    }
    return runs
  }
}
