/// What one crash left.
public struct CrashState: Sendable {
  /// Its index among the ``CrashStates``.
  public let number: Int
  /// How many operations were done when the machine stopped. What a program had promised by then it
  /// must keep; compare with ``SimulatedDisk/operationCount`` at the time of the promise.
  public var operationCount: Int { point.operationCount }

  private let seed: UInt64
  private let point: CrashPoint
  private let settings: [Int]
  private let operations: [RecordedOperation]

  init(
    number: Int, seed: UInt64, point: CrashPoint, settings: [Int],
    operations: [RecordedOperation]
  ) {
    self.number = number
    self.seed = seed
    self.point = point
    self.settings = settings
    self.operations = operations
  }

  /// The disk as it is found after the crash. Each call makes another, all of it durable, so a
  /// crash during recovery can be tried on it in turn.
  public var disk: SimulatedDisk { SimulatedDisk(SimulatedState(point.nodes(settings))) }
}

extension CrashState: CustomStringConvertible {
  /// The moment, and what was lost, for the message of a test that failed.
  public var description: String {
    let losses = zip(point.dials, settings).compactMap(loss)
    let found = losses.isEmpty ? "nothing was lost" : losses.joined(separator: "; ")
    return "state \(number) of seed \(seed), after \(operationCount) operations: \(found)"
  }

  private func loss(_ dial: CrashPoint.Dial, _ setting: Int) -> String? {
    switch dial.subject {
    case .piece(let change, let range):
      setting == 1
        ? nil : "lost [\(range.lowerBound), \(range.upperBound)) of \(operation(change))"
    case .whole(let change):
      setting == 1 ? nil : "lost \(operation(change))"
    case .byteCount(let node, let lowest):
      "\(path(node)) has \(lowest + setting) bytes of "
        + "\(lowest)...\(lowest + dial.settingCount - 1)"
    case .filling(let node):
      setting == 1 ? "gaps in \(path(node)) hold garbage" : nil
    }
  }

  private func operation(_ change: Int) -> String {
    operations[point.image.changes[change].operation - 1].description
  }

  private func path(_ node: NodeNumber) -> String {
    guard let change = point.image.changes.last(where: { $0.node == node }) else { return "a file" }
    return operations[change.operation - 1].path
  }
}
