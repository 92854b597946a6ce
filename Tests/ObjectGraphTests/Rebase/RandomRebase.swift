import Foundation
import SeededRandom
import TestEffort
import Testing

@testable import ObjectGraph

/// A random base and the random changes of both sides.
///
/// `QUIRE_STEPS=100000` sets the number of cases. A failure prints its case, reduced, in the form of the tables.
struct RandomRebase {
  let seed: UInt64
  /// The edits that make the base, my changes, the changes of another save and the changes of a save after it.
  private var edits: [[RandomRows.Edit]]

  static let columns = ["base", "mine", "theirs", "then"]

  init(seed: UInt64) {
    self.seed = seed
    var random = SeededGenerator(seed: seed)
    edits = [12, 4, 4, 3].map { count in
      (0..<Int.random(in: count / 2...count, using: &random)).map { _ in
        RandomRows.Edit(&random)
      }
    }
  }

  /// The case in the form of the tables.
  var row: RebaseCase {
    func edited(_ rows: RandomRows, _ part: Int) -> RandomRows {
      var rows = rows
      for (index, edit) in edits[part].enumerated() {
        rows.apply(edit, newKey: UInt64(part * 100 + 10 + index))
      }
      return rows
    }
    var first = RandomRows()
    for number in 1...3 as ClosedRange<UInt64> { first.insert("page", number) }
    for name in ["line", "note", "cover", "tag"] {
      for number in 1...2 as ClosedRange<UInt64> { first.insert(name, number) }
    }
    let base = edited(first, 0)
    let mine = edited(base, 1)
    let theirs = edited(base, 2)
    let then = edited(theirs, 3)
    return RebaseCase([
      "case": "seed \(seed)",
      "base": RandomRows().changes(to: base).map { RowText(.none, $0.key, $0.values) }.text,
      "mine": base.changes(to: mine).text, "theirs": base.changes(to: theirs).text,
      "then": theirs.changes(to: then).text,
    ])
  }

  /// Tries random cases, and records the first failures, reduced to small cases.
  static func run(_ law: (RebaseCase) throws -> String?) {
    func failure(_ one: RandomRebase) -> String? {
      do { return try law(one.row) } catch { return "\(error)" }
    }
    var count = 0
    for seed in Effort.seeds(200) {
      var least = RandomRebase(seed: seed)
      guard var found = failure(least) else { continue }
      var isSmaller = true
      while isSmaller {
        isSmaller = false
        for part in least.edits.indices {
          for index in least.edits[part].indices.reversed() {
            var next = least
            next.edits[part].remove(at: index)
            guard let text = failure(next) else { continue }
            (least, found, isSmaller) = (next, text, true)
          }
        }
      }
      let cells = least.row.cells
      let text = columns.map { "\($0): \(cells[$0]!)" }.joined(separator: "\n")
      Issue.record("seed \(seed)\n\(text)\n\(found)")
      count += 1
      if count == 5 { return }
    }
  }
}
