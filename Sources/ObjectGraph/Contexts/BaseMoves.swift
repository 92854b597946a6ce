import StoreInterface

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

  /// Of more moves than these it is only known that there were some: each holds what lay beneath before.
  private static let most = 4

  /// The last moves.
  private var moves: [(before: StoreBase, after: StoreBase)] = []
  /// How many moves there ever were.
  private(set) var count = 0
  /// The oldest commit that one of those which matter began at.
  private var oldestCommit: Int64 = 0
  /// How many of them matter no more.
  private var settledCount = 0

  /// Whether none matters any more.
  var isSettled: Bool { settledCount == count }

  /// The moves that matter; `nil` when they are not all known.
  var known: [(before: StoreBase, after: StoreBase)]? {
    count - settledCount <= moves.count ? moves.suffix(count - settledCount) : nil
  }

  /// - Parameter isKept: Whether it may be asked for again what the move has changed.
  mutating func note(_ before: StoreBase, _ after: StoreBase, isKept: Bool) {
    if before.isSame(as: after) { return }
    if isSettled { oldestCommit = before.snapshot.commit }
    oldestCommit = min(oldestCommit, before.snapshot.commit)
    count += 1
    moves.append((before, after))
    if !isKept { moves = [] }
    if moves.count > BaseMoves.most { moves.removeFirst() }
  }

  /// The oldest commit that known objects may be as of, where the context is at `base` now.
  func oldestCommit(at base: StoreBase) -> Int64 {
    isSettled ? base.snapshot.commit : min(oldestCommit, base.snapshot.commit)
  }

  /// Notes that all known objects were looked at again.
  mutating func settleAll() {
    settledCount = count
    moves = []
  }

  /// Notes that all known objects are as what was merged has them, and moves since then led there.
  mutating func settle(_ settlement: Settlement) {
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
