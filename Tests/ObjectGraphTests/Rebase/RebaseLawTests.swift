import ObjectModel
import Rows
import Testing

@testable import ObjectGraph

@Suite("Rebase: laws on random rows")
struct RebaseLawTests {
  private static let policies = ["", "error", "store", "object", "rollback"]

  @Test("A rebase onto the own base changes nothing")
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

  @Test("A second rebase onto the same base changes nothing")
  func again() {
    RandomRebase.run { row in
      let bases = try row.bases()
      let once = try row.rebase(row.changes(above: bases[0]), onto: bases[1])()
      let first = try RebaseResult(row.rebase(row.changes(above: bases[0]), onto: bases[1]))
      let second = try RebaseResult(row.rebase(once.changes, onto: bases[1]))
      return first == second
        ? nil
        : "once: \(first.view) (\(first.originals))\ntwice: \(second.view) (\(second.originals))"
    }
  }

  @Test("A rebase in two steps gives the same as a rebase in one")
  func twoSteps() {
    RandomRebase.run { row in
      let bases = try row.bases()
      let halfway = try row.rebase(row.changes(above: bases[0]), onto: bases[1])()
      for policy in Self.policies {
        var row = row
        row.cells["policy"] = policy
        let one = try RebaseResult(row.rebase(row.changes(above: bases[0]), onto: bases[2]))
        let two = try RebaseResult(row.rebase(halfway.changes, onto: bases[2]))
        if one == two { continue }
        return """
          policy: \(policy)
          one step: \(one.view) (originals: \(one.originals)) \(one.conflicts)
          two steps: \(two.view) (originals: \(two.originals)) \(two.conflicts)
          halfway: \(try halfway.changes.layer.rows().text) (originals: \(try halfway.changes.originals.rows().text))
          """
      }
      return nil
    }
  }

  @Test("The rows after a rebase agree with each other")
  func agreement() {
    RandomRebase.run { row in
      let bases = try row.bases()
      for policy in Self.policies + ["overwrite", "delete", "x=9"] {
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

/// The rules that the rows of a view obey together.
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

  /// Returns each broken rule.
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
