import Foundation
import ObjectModel
import Rows
import Testing

@testable import ObjectGraph

/// A table of rebases, one on each line. The first line names the columns.
///
/// | column | cell |
/// |---|---|
/// | `case` | the rule |
/// | `base` | the rows that both sides have read |
/// | `mine` | the changes to replay |
/// | `theirs`, `then` | the changes that another save has made, and that a save after it has made |
/// | `ancestor`, `ancestor now` | published changes of an ancestor beneath the old and above the new commit |
/// | `was` | the originals that an earlier rebase has left |
/// | `last` | the last references of deleted rows |
/// | `seen`, `own save` | the rows that the context has asked to see, and a save on its behalf |
/// | `discarded` | the rows with changes to discard |
/// | `since` | the changes that the context makes after `theirs`: there is a rebase before `then` and one after it |
/// | `aged` | `yes` for the changes of undo |
/// | `policy` | the merge policy |
/// | `view`, `originals`, `changes`, `cascaded`, `conflicts` | the expected result |
///
/// A result without a column is not compared, except originals and conflicts: no column means none.
struct RebaseTable {
  let cases: [RebaseCase]

  init(_ text: String) {
    let lines = text.split(separator: "\n").map { line in
      line.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    cases = lines.dropFirst().map { cells in
      precondition(cells.count == lines[0].count, "A line has other columns: \(cells).")
      return RebaseCase(Dictionary(uniqueKeysWithValues: zip(lines[0], cells)))
    }
  }
}

/// One rebase, and the expected result.
struct RebaseCase: Sendable, CustomTestStringConvertible {
  var cells: [String: String]

  init(_ cells: [String: String]) { self.cells = cells }

  var testDescription: String {
    cells["case"]! + (cells["policy"].map { $0.isEmpty ? "" : " (\($0))" } ?? "")
  }

  static let store = StoreTag(rawValue: 1)
  static let policies: [String: MergePolicy] = [
    "error": .error, "store": .storeWins, "object": .objectWins, "overwrite": .overwrite,
    "rollback": .rollback, "delete": .custom { _ in .delete },
    "x=9": .custom { _ in .save(["x": .integer(9)]) },
  ]

  private func rows(_ column: String) -> [RowText] { RowText.rows(cells[column] ?? "") }

  private func keys(_ column: String) -> Set<ObjectKey> { Set(rows(column).map(\.key)) }

  /// Returns the states that a table describes: the old base, the base after `theirs`, and the base after `then`.
  func bases() throws -> [StoreBase] {
    let all = rows("base").map { RowText(.insert, $0.key, $0.values) }
    var snapshots = [
      LayersSnapshot(commit: 1, layers: [try all.layer(above: View(), version: 1)])
    ]
    for column in ["theirs", "then"] {
      var next = snapshots.last!
      if !rows(column).isEmpty {
        next.commit += 1
        next.layers.append(try rows(column).layer(above: next.view, version: next.commit))
      }
      snapshots.append(next)
    }
    var bases = snapshots.map { StoreBase(snapshot: $0) }
    if !rows("ancestor").isEmpty {
      bases[0].layers = [try rows("ancestor").layer(above: View(bases[0].tables))]
    }
    for index in 1...2 {
      if cells["ancestor now"] == "same" {
        bases[index].layers = bases[0].layers
      } else if !rows("ancestor now").isEmpty {
        bases[index].layers = [try rows("ancestor now").layer(above: View(bases[index].tables))]
      }
    }
    return bases
  }

  /// Returns the changes of `mine` above a base.
  func changes(above base: StoreBase) throws -> Changes {
    var changes = Changes(
      base: base, layer: try rows("mine").layer(above: View(base.tables)),
      originals: try rows("was").layer(above: View(base.tables)))
    changes.lastReferences = try rows("last").map { RowText(.insert, $0.key, $0.values) }
      .layer(above: View())
    return changes
  }

  /// Returns the rebase of changes onto a base. The cells of the table determine its options.
  func rebase(_ changes: Changes, onto base: StoreBase) throws -> Rebase {
    let saved = try rows("own save").layer(above: View(changes.base.tables), version: 2)
    var rebase = Rebase(
      changes, onto: base, graph: SmallModel.graph, store: RebaseCase.store,
      seen: SeenRows(keys: keys("seen"), ownSave: saved),
      policy: cells["policy"].flatMap { RebaseCase.policies[$0] }, isAged: cells["aged"] == "yes")
    rebase.discarded = keys("discarded")
    return rebase
  }

  /// Runs the rebase that the cells describe.
  func rebase() throws -> Rebase {
    let bases = try bases()
    var changes = try changes(above: bases[0])
    if cells["since"] != nil {
      var first = try rebase(changes, onto: bases[1])
      first.policy = nil
      changes = try first().changes
      changes.layer = try changes.layer.merged(
        with: rows("since").layer(above: View(changes.base.tables)),
        schema: SmallModel.graph.schema)
    }
    return try rebase(changes, onto: bases[2])
  }

  /// Runs the rebase and compares each result that the table has a column for.
  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let result = try RebaseResult(rebase())
    let expected = ["originals": "", "conflicts": ""].merging(cells) { $1 }
    for (column, found) in result.columns {
      guard let text = expected[column] else { continue }
      let wanted = column == "conflicts" ? text : RowText.rows(text).text
      #expect(
        found == wanted, "\(column) of \"\(cells["case"]!)\"", sourceLocation: sourceLocation)
    }
  }
}

/// The result of a rebase, as text.
struct RebaseResult: Equatable {
  var view = ""
  var originals = ""
  var changes = ""
  var cascaded = ""
  var conflicts = ""
  var rebased: Rebased?

  init(_ rebase: Rebase) throws {
    do {
      let rebased = try rebase()
      let changes = rebased.changes
      view = try View(changes.base.tables + [changes.layer]).rows().text
      originals = try changes.originals.rows().text
      self.changes = try changes.layer.rows().text
      cascaded = rebased.cascaded.map { RowText(.none, $0) }.text
      self.rebased = rebased
    } catch let error as ContextError where !error.conflicts.isEmpty {
      conflicts = error.conflicts.map(RebaseResult.text).sorted().joined(separator: ", ")
    }
  }

  private static func text(_ conflict: MergeConflict) -> String {
    let name = SmallModel.name(conflict.object.key)
    if conflict.isDeletedHere { return "\(name) deleted here" }
    if conflict.isDeletedThere { return "\(name) deleted there" }
    return ([name] + conflict.contestedKeys).joined(separator: " ")
  }

  var columns: [(name: String, text: String)] {
    if !conflicts.isEmpty { return [("conflicts", conflicts)] }
    return [
      ("view", view), ("originals", originals), ("changes", changes), ("cascaded", cascaded),
      ("conflicts", conflicts),
    ]
  }

  static func == (one: RebaseResult, other: RebaseResult) -> Bool {
    one.view == other.view && one.originals == other.originals && one.conflicts == other.conflicts
  }
}
