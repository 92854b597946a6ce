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

  /// The most rows whose values are kept. More rows are left where they are, beneath the step.
  static let most = 256

  /// Adds the rows of one entity, which are all that were changed.
  mutating func add(_ more: [ReplacedRow], of entity: UInt16) { rows.append((entity, more)) }

  /// Whether the changed rows of an entity are here. The places of links are changed in tables of their own.
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
