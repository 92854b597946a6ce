import DurableFiles

/// The disks that a crash may leave. Each is created on demand.
///
/// **The model.** The model assumes no more than POSIX promises. A program that survives here survives on every file
/// system that keeps these promises.
///
/// - The machine stops at any moment, also in the middle of an operation.
/// - A file's bytes and size are durable after a successful sync of the file, and its permissions after a sync with
///   `SyncScope/everything`. The names in a directory are durable after a sync of that directory.
/// - Of the changes that are not durable, any subset has happened, in any order. Of a write, any of the sectors of
///   512 bytes have arrived, and each sector arrives completely or not at all.
/// - The size is independent of the bytes: a file that grew or was cut may end at any byte between its old and its
///   new size. Where bytes did not arrive, the file contains zeros or the previous contents of the sectors.
/// - Setting a name, removing it, or moving it within a directory is one step, whole or not at all. A name that moved
///   between directories may be in both, but is not in neither.
/// - A failed sync makes nothing durable, and no later sync makes the same changes durable.
/// - Durable contents do not change: media that fail later are not a crash.
///
/// A crash directly before a sync, or at the end, can leave every state that an earlier crash after the previous sync
/// can leave, and more. So only these moments are examined.
///
/// The limit bounds the number of states. If there are few, all are examined. Otherwise each moment gets a share,
/// which the seed chooses among ordered prefixes torn at their end, single losses, single arrivals and random
/// subsets. The same seed gives the same states, so an index identifies a state again.
public struct CrashStates: RandomAccessCollection, Sendable {
  /// Whether the collection contains every state that the model allows.
  public let isExhaustive: Bool
  /// The seed of the choice, if not every state is examined.
  public let seed: UInt64

  private let points: [CrashPoint]
  /// For each point, the index after its last state.
  private let ends: [Int]
  private let operations: [RecordedOperation]

  init(_ state: SimulatedState, limit: Int, seed: UInt64) {
    precondition(limit > 0, "The limit must be at least 1.")
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

  public var startIndex: Int { 0 }

  public var endIndex: Int { ends[ends.count - 1] }

  /// Returns the state of the given number.
  public subscript(index: Int) -> CrashState {
    precondition(
      indices.contains(index), "The number of a state must be below the count of states.")
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

  /// Returns the moments directly before each sync that changes anything, and the end.
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

  /// Returns the number of states to examine at each point. Points with few states leave a larger share to the rest.
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
  /// Returns the disks that a crash may have left at any moment since the last ``settle()``.
  ///
  /// - Parameters:
  ///   - limit: The largest number of states to examine.
  ///   - seed: The seed that chooses the states if there are more.
  public func crashStates(limit: Int, seed: UInt64) -> CrashStates {
    CrashStates(state.withLock { $0 }, limit: limit, seed: seed)
  }
}
