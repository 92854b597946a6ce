import Foundation
import ObjectModel
import Rows
import Testing

@testable import ObjectGraph

@Suite("Rebase: laws on random rows")
struct RebaseLawTests {
  private static let policies = [
    "", "error", "store", "object", "rollback", "overwrite", "delete", "x=9",
  ]

  @Test("A rebase onto the same base changes nothing")
  func ownBase() {
    RandomRebase.run { row in
      let base = try row.bases()[0]
      let changes = try row.changes(above: base)
      let before = try View(base.tables + [changes.layer]).rows().text
      for aged in ["", "yes"] {
        var row = row
        row.cells["aged"] = aged
        let result = try RebaseResult(row.rebase(changes, onto: base))
        let found = [result.view, result.originals, result.cascaded]
        if found != [before, "", ""] { return "aged: \(aged)\nbefore: \(before)\nfound: \(found)" }
      }
      return nil
    }
  }

  @Test("A second rebase onto the same base gives the same rows")
  func again() {
    RandomRebase.run { row in
      let bases = try row.bases()
      let rebase = try row.rebase(row.changes(above: bases[0]), onto: bases[1])
      let once = try RebaseResult(rebase)
      let twice = try RebaseResult(row.rebase(rebase().changes, onto: bases[1]))
      if once.view == twice.view { return nil }
      return "once: \(once)\ntwice: \(twice)"
    }
  }

  /// The law excludes changes that the first step drops, because they are not replayed. Examples are a link that both sides
  /// have made, and a reference to an object that the saved changes delete.
  @Test("A rebase in two steps gives the same as a rebase in one")
  func twoSteps() {
    RandomRebase.run { row in
      let bases = try row.bases()
      let rebase = try row.rebase(row.changes(above: bases[0]), onto: bases[1])
      let halfway = try RebaseResult(rebase)
      if !halfway.keepsAll(of: row) { return nil }
      for policy in Self.policies {
        var row = row
        row.cells["policy"] = policy
        let one = try RebaseResult(row.rebase(row.changes(above: bases[0]), onto: bases[2]))
        let two = try RebaseResult(row.rebase(rebase().changes, onto: bases[2]))
        let areConflictsSame = two.conflicts(of: row).isSubset(of: one.conflicts(of: row))
        let isSame = one.view == two.view && one.originals(of: row) == two.originals(of: row)
        if !areConflictsSame || policy != "error" && !isSame {
          return "policy: \(policy)\none: \(one)\ntwo: \(two)\nhalfway: \(halfway)"
        }
      }
      return nil
    }
  }

  @Test("The rows after a rebase agree with each other")
  func agreement() {
    RandomRebase.run { row in
      let bases = try row.bases()
      for policy in Self.policies {
        var row = row
        row.cells["policy"] = policy
        let result = try RebaseResult(row.rebase(row.changes(above: bases[0]), onto: bases[1]))
        guard let rebased = result.rebased else { continue }
        let faults = try Agreement(rebased.changes).faults()
        if !faults.isEmpty { return "policy: \(policy)\nview: \(result.view)\nfaults: \(faults)" }
      }
      return nil
    }
  }
}

extension RebaseResult: CustomStringConvertible {
  var description: String {
    "\(view)\n  originals: \(originals)\n  changes: \(changes)\n  conflicts: \(conflicts)"
  }

  /// Returns the conflicts over rows that a case changes.
  fileprivate func conflicts(of row: RebaseCase) -> Set<String> {
    let names = Set(RowText.rows(row.cells["mine"]!).map { SmallModel.name($0.key) })
    return Set(conflicts.components(separatedBy: ", "))
      .filter { names.contains(String($0.prefix { $0 != " " })) }
  }

  /// Returns the originals of rows that a case changes.
  fileprivate func originals(of row: RebaseCase) -> String {
    let keys = Set(RowText.rows(row.cells["mine"]!).map(\.key))
    return RowText.rows(originals).filter { keys.contains($0.key) }.text
  }

  /// Whether every value that a case changes is still changed.
  fileprivate func keepsAll(of row: RebaseCase) -> Bool {
    let kept = Dictionary(uniqueKeysWithValues: RowText.rows(changes).map { ($0.key, $0) })
    let there = Set(RowText.rows(view).map(\.key))
    return RowText.rows(row.cells["mine"]!).allSatisfy { mine in
      guard let row = kept[mine.key] else { return false }
      if row.sign == .remove { return mine.sign == .remove }
      let isLost = mine.values.values.contains {
        if case .object(let target) = $0 { !there.contains(target) } else { false }
      }
      return !isLost && (row.sign != .none || Set(mine.values.keys).isSubset(of: row.values.keys))
    }
  }
}

/// The rules that hold for the rows of a view together.
struct Agreement {
  private let rows: RandomRows
  private let base: View

  init(_ changes: Changes) throws {
    base = View(changes.base.tables)
    var rows = RandomRows()
    for row in try View(changes.base.tables + [changes.layer]).rows() {
      rows.rows[row.key] = row.values
    }
    self.rows = rows
  }

  /// Returns a description of each broken rule.
  func faults() throws -> [String] {
    var faults: [String] = []
    var pairs: Set<[String]> = []
    for (key, row) in rows.rows.sorted(by: { $0.key < $1.key }) {
      let name = SmallModel.name(key)
      guard let entity = SmallModel.graph[key.entity] else {
        let ends = RandomRows.ends(row)
        if ends.contains(where: { rows.rows[$0] == nil }) { faults.append("\(name) dangles") }
        let kind = String(name.prefix { $0.isLetter })
        let names = ends.map { SmallModel.name($0) }
        if !pairs.insert([kind] + (kind == "peers" ? names.sorted() : names)).inserted {
          faults.append("\(name) is a double")
        }
        continue
      }
      for toOne in entity.toOnes {
        guard case .object(let target)? = row[toOne.relationship.name] else { continue }
        let inverse = toOne.inverse
        guard let other = rows.rows[target] else {
          let isDenied = try inverse?.deleteRule == .deny && base.row(of: target) != nil
          if !isDenied { faults.append("\(name) leads to \(SmallModel.name(target))") }
          continue
        }
        if let inverse, !inverse.isToMany, other[inverse.name] != .object(key) {
          faults.append("\(SmallModel.name(target)) does not lead back to \(name)")
        }
      }
      guard name.hasPrefix("page") else { continue }
      for kind in ["line", "tags", "peers"] {
        let places = rows.places(of: key, kind)
        if Set(places).count < places.count {
          faults.append("\(name) has doubled places of \(kind)")
        }
      }
    }
    return faults
  }
}
