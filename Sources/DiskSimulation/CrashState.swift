/// The state that one crash left.
public struct CrashState: Sendable {
  /// The index of the state among the ``CrashStates``.
  public let number: Int
  /// The number of operations that were done when the machine stopped. A program must keep every promise it made by
  /// then. Compare with ``SimulatedDisk/operationCount`` at the time of the promise.
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

  /// The disk after the crash. Each access creates another disk on which everything is durable, so a test can try a
  /// crash during recovery too.
  public var disk: SimulatedDisk { SimulatedDisk(SimulatedState(point.nodes(settings))) }
}

extension CrashState: CustomStringConvertible {
  /// The moment and the losses, for the message of a failed test.
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
      setting == 1 ? "gaps in \(path(node)) contain garbage" : nil
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
