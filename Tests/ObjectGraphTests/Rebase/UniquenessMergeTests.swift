import ObjectModel
import ObjectQuery
import Rows
import Testing

@testable import ObjectGraph

@Suite("Rebase: unique values")
struct UniquenessMergeTests {
  /// The decisions about the inserted lines of `mine`, in the order of their keys: the inserted row, the row that it
  /// matches, and the names of the values to save.
  @Test(
    "An inserted row matches a row with the same unique values",
    arguments: RebaseTable(
      """
      case                                      | base                                 | mine                    | was        | policy   | decisions
      No row has the value                      | line1 x=1                            | +line2 x=2              |            | object   |
      A saved row has it                        | page1, page2, line1 x=1 page=page1@1 | +line2 x=1 page=page2@1 |            | object   | line2>line1 page page#order x
      The store's values stay                   | page1, page2, line1 x=1 page=page1@1 | +line2 x=1 page=page2@1 |            | store    | line2>line1 keep
      Nothing of the inserted row is kept       | line1 x=1                            | +line2 x=1              |            | rollback | line2>line1 keep
      The matching row is deleted               | line1 x=1                            | +line2 x=1              |            | delete   | line2>line1 delete
      No value is never the same                | line1                                | +line2                  |            | object   |
      A row of a subentity has it               | verse1 x=1                           | +line2 x=1              |            | rollback | line2>verse1 keep
      A saved row with a later number has it    | line9 x=1                            | +line2 x=1              |            | rollback | line2>line9 keep
      Of two inserted rows the first one stays  |                                      | +line2 x=1, +line3 x=1  |            | rollback | line3>line2 keep
      A changed row gave the value up           | line1 x=1                            | line1 x=2, +line2 x=1   |            | object   |
      A changed row took the value              | line1 x=1                            | line1 x=2, +line2 x=2   |            | rollback | line2>line1 keep
      A deleted row had it                      | line1 x=1                            | -line1, +line2 x=1      |            | object   |
      A row that another save has deleted stays |                                      | +line2 x=1, +line9 x=1  | +line9 x=1 | rollback | line2>line9 keep
      """
    ).cases)
  func decisions(_ row: RebaseCase) throws {
    let changes = try row.changes(above: row.bases()[0])
    let base = View(changes.base.tables)
    let graph = SmallModel.graph
    let merge = UniquenessMerge(
      graph: graph, store: RebaseCase.store,
      source: ViewSource(
        base.pushing(changes.layer), model: graph.model, schema: graph.schema,
        store: RebaseCase.store),
      base: base, originals: changes.originals, deleted: [])
    let policy = try #require(RebaseCase.policies[row.cells["policy"]!]?.decide)
    let inserted = try changes.layer.allKeys([\.put]).sorted().filter {
      try !changes.originals.mentions($0)
    }
    let found = try inserted.compactMap { key -> String? in
      let constraints = graph.uniqueness(of: try #require(graph[key.entity]))
      guard let decision = try merge.decision(about: key, constraints, policy) else { return nil }
      let words =
        switch decision.resolution {
        case .keepStored: ["keep"]
        case .delete: ["delete"]
        case .save(let values): values.keys.sorted()
        }
      let rows = "\(SmallModel.name(key))>\(SmallModel.name(decision.match))"
      return ([rows] + words).joined(separator: " ")
    }
    #expect(found.joined(separator: ", ") == row.cells["decisions"])
  }
}
