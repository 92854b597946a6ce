/// How a context has moved on to what lies beneath by now, with known objects left as they were: which of them are
/// not what they should be nobody knows before whoever has changed them says so.
struct BaseMoves: Sendable {
  /// What is settled when something has been merged.
  struct Settlement: Sendable {
    /// How many moves there were before.
    let count: Int
    /// What was merged.
    let newest: StoreBase
  }

  /// More moves are not told from one another.
  private static let most = 16

  /// The last moves.
  private var moves: [(before: StoreBase, after: StoreBase)] = []
  /// How many moves there ever were.
  private(set) var count = 0
  /// How many of them matter no more.
  private var settledCount = 0

  /// Whether none matters any more.
  var isSettled: Bool { settledCount == count }

  /// The moves that matter; `nil` when they are not all known.
  var known: [(before: StoreBase, after: StoreBase)]? {
    count - settledCount <= moves.count ? moves.suffix(count - settledCount) : nil
  }

  mutating func note(_ before: StoreBase, _ after: StoreBase) {
    moves.append((before, after))
    if moves.count > BaseMoves.most { moves.removeFirst() }
    count += 1
  }

  /// Notes that all known objects are as what was merged has them, and moves since then led there.
  mutating func settle(_ settlement: Settlement) {
    // What a parent has not saved it has told nobody to look at.
    guard settlement.newest.layers.isEmpty, settlement.count <= count else { return }
    var settled = settlement.count
    let since = moves.suffix(min(count - settled, moves.count))
    if since.count == count - settled,
      since.allSatisfy({ $0.after.isSame(as: settlement.newest) })
    {
      settled = count
    }
    settledCount = max(settledCount, settled)
    moves = Array(moves.suffix(count - settledCount))
  }
}
