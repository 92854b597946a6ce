import ObjectModel
import Rows

/// The links of one table, collected from the lists of both its relationships.
struct LinkCollection {
  private let table: LinkTable
  private var places: [Pair: Int] = [:]
  private var links: [(pair: Pair, targetOrder: Int?, sourceOrder: Int?)] = []

  private struct Pair: Hashable {
    let source: ObjectKey
    let target: ObjectKey
  }

  init(_ table: LinkTable) { self.table = table }

  /// Records that the list of one object contains another object (spec §5.3.7). If each of two objects lists the other
  /// one, they have one link and not two.
  mutating func add(_ owner: ObjectKey, _ other: ObjectKey, _ side: LinkTable.Side, order: Int) {
    var isForward = side.isForward
    var pair = isForward ? Pair(source: owner, target: other) : Pair(source: other, target: owner)
    if table.isSymmetric, pair.target < pair.source {
      // A symmetric link counts in both directions, so one row is enough, whichever object lists it first.
      pair = Pair(source: pair.target, target: pair.source)
      isForward.toggle()
    }
    let index = places[pair] ?? links.count
    if index == links.count {
      places[pair] = index
      links.append((pair, nil, nil))
    }
    // An object that refers to itself appears once in its list, but its link has two orders.
    let isLoop = table.isSymmetric && owner == other
    if isForward || isLoop { links[index].targetOrder = order }
    if !isForward || isLoop { links[index].sourceOrder = order }
  }

  /// Returns the links as rows. The rows take the highest possible numbers, which objects do not have.
  func drafts() -> [Draft] {
    let layout = table.layout
    var drafts: [Draft] = []
    let columns = [
      LinkTable.Column.source, LinkTable.Column.target, LinkTable.Column.targetOrder,
      LinkTable.Column.sourceOrder,
    ].map { layout.index(ofNumber: $0) }
    let lowest = ObjectKey.highestNumber + 1 - UInt64(links.count)
    for (index, link) in links.enumerated() {
      if drafts.last?.isFull ?? true { drafts.append(Draft(layout, role: .insertions)) }
      let draft = drafts[drafts.count - 1]
      let row = draft.append(key: lowest + UInt64(index))
      draft.setReference(link.pair.source, column: columns[0]!, row: row)
      draft.setReference(link.pair.target, column: columns[1]!, row: row)
      for (order, column) in [(link.targetOrder, columns[2]), (link.sourceOrder, columns[3])] {
        if let order, let column { draft.setInteger(Int64(order), column: column, row: row) }
      }
    }
    return drafts
  }
}
