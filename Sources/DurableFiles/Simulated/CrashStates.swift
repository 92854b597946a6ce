/// The disks that a crash may leave, each made when it is asked for.
///
/// **The model.** It assumes what POSIX promises and no more; what a program survives here it
/// survives on every file system that keeps its promises.
///
/// - The machine stops at any moment, also in the middle of an operation.
/// - A file's bytes and size are durable after a sync of the file that succeeded, its permissions
///   after one of ``SyncScope/everything``, and the names in a directory after a sync of that
///   directory.
/// - Of what is not durable any subset has happened, in any order. Of a write any of the sectors of
///   512 bytes has arrived, and a sector is whole or not at all.
/// - The size is independent of the bytes: a file that grew or was cut may end at any byte between
///   its old and its new size, and where bytes did not arrive there are zeros or whatever the
///   sectors held.
/// - A name set, removed, or moved within a directory is one step, whole or not at all. A name that
///   moved between directories may be in both, but is not in neither.
/// - A sync that failed makes nothing durable, and no later sync makes durable what it should have.
/// - What is durable stays as it is: media that fail later are not a crash.
///
/// Stopping directly before a sync, or at the end, leaves all the states that stopping earlier
/// since the sync before would, and more; so those are the moments looked at.
///
/// As many states are looked at as the limit allows: all, when they are few enough, and otherwise
/// a share for each moment, chosen by the seed among orderly prefixes torn at their end, single
/// losses, single arrivals and random subsets. One seed gives the same states, so a state is found
/// again by its index.
public struct CrashStates: RandomAccessCollection, Sendable {
  /// Whether these are all the states the model allows.
  public let isExhaustive: Bool
  /// The seed of the choice.
  public let seed: UInt64

  private let points: [CrashPoint]
  /// For each point, the index that follows its last state's.
  private let ends: [Int]
  private let operations: [RecordedOperation]

  init(_ state: SimulatedState, limit: Int, seed: UInt64) {
    precondition(limit > 0, "At least one state must be wanted.")
    self.seed = seed
    operations = state.operations
    let all = Self.points(state)
    points = all.count <= limit ? all : Self.spread(all, limit)
    let counts = Self.shares(points.map(\.stateCount), limit)
    var ends: [Int] = []
    for count in counts { ends.append((ends.last ?? 0) + count) }
    self.ends = ends
    isExhaustive =
      points.count == all.count && zip(points, counts).allSatisfy { $0.stateCount == $1 }
  }

  /// Zero.
  public var startIndex: Int { 0 }

  /// How many states there are.
  public var endIndex: Int { ends[ends.count - 1] }

  /// The state of the given number.
  public subscript(index: Int) -> CrashState {
    precondition(indices.contains(index), "A state's number is below the count of states.")
    var low = 0
    var high = ends.count - 1
    while low < high {
      let middle = (low + high) / 2
      if index < ends[middle] { high = middle } else { low = middle + 1 }
    }
    let point = points[low]
    let start = low == 0 ? 0 : ends[low - 1]
    let isCounted = ends[low] - start == point.stateCount
    let settings =
      isCounted
      ? point.settings(ofState: index - start)
      : point.sampledSettings(index - start, seed: seed)
    return CrashState(
      number: index, seed: seed, point: point, settings: settings, operations: operations)
  }

  /// The moments directly before a sync that matters, and the end.
  private static func points(_ state: SimulatedState) -> [CrashPoint] {
    var image = CrashImage(state.initialNodes)
    var points: [CrashPoint] = []
    for effect in state.effects {
      if case .synced(let node, _) = effect.kind, image.hasPendingChanges(of: node) {
        points.append(CrashPoint(operationCount: effect.operation - 1, image: image))
      }
      image.apply(effect)
    }
    points.append(CrashPoint(operationCount: state.operations.count, image: image))
    return points
  }

  private static func spread(_ points: [CrashPoint], _ count: Int) -> [CrashPoint] {
    (1...count).map { points[$0 * points.count / count - 1] }
  }

  /// How many states of each point are looked at: those with few leave more to the others.
  private static func shares(_ stateCounts: [Int], _ limit: Int) -> [Int] {
    var shares = stateCounts
    var rest = limit
    let fewestFirst = stateCounts.indices.sorted { stateCounts[$0] < stateCounts[$1] }
    for (place, index) in fewestFirst.enumerated() {
      shares[index] = Swift.min(stateCounts[index], rest / (stateCounts.count - place))
      rest -= shares[index]
    }
    return shares
  }
}

extension SimulatedDisk {
  /// The disks that a crash may have left at any moment since the last ``settle()``.
  ///
  /// - Parameters:
  ///   - limit: The most states to look at.
  ///   - seed: Chooses them, when there are more.
  public func crashStates(limit: Int, seed: UInt64) -> CrashStates {
    CrashStates(state.withLock { $0 }, limit: limit, seed: seed)
  }
}
