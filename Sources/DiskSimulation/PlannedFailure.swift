public import DurableFiles

/// A failure that a test plans on a simulated disk.
///
///     disk.plan(.failing(.noSpace, on: .write, after: 3, lasting: .forGood))
public struct PlannedFailure: Sendable, Hashable {
  /// The fault that replaces the operation.
  public var fault: Fault
  /// The operations that can fail, or `nil` for all.
  public var operations: Set<DiskOperation>?
  /// The end of the paths whose operations can fail, or `nil` for all.
  public var pathSuffix: String?
  /// The number of matching operations that succeed first.
  public var skipCount: Int
  /// The number of times that the failure happens.
  public var lasting: Lasting

  /// The fault that replaces an operation.
  public enum Fault: Sendable, Hashable {
    /// The operation does nothing and throws the error.
    ///
    /// A failed sync also discards its pending work, as real systems do: a later sync succeeds, and makes only the
    /// writes after the failure durable. A sync that a signal interrupts discards nothing. A failed close still closes
    /// the descriptor.
    case error(ErrorNumber)
    /// A read or a write transfers at most the given number of bytes.
    case short(byteCount: Int)
  }

  /// The number of times that a failure happens.
  public enum Lasting: Sendable, Hashable {
    case once
    /// The given number of times.
    case times(Int)
    /// Every time from then on.
    case forGood
  }

  /// Creates a failure with the given properties.
  public init(
    _ fault: Fault, on operations: Set<DiskOperation>? = nil, path pathSuffix: String? = nil,
    after skipCount: Int = 0, lasting: Lasting = .once
  ) {
    self.fault = fault
    self.operations = operations
    self.pathSuffix = pathSuffix
    self.skipCount = skipCount
    self.lasting = lasting
  }

  /// Returns an error for one operation, after `skipCount` operations that succeed.
  public static func failing(
    _ error: ErrorNumber, on operation: DiskOperation? = nil, path pathSuffix: String? = nil,
    after skipCount: Int = 0, lasting: Lasting = .once
  ) -> PlannedFailure {
    PlannedFailure(
      .error(error), on: operation.map { [$0] }, path: pathSuffix, after: skipCount,
      lasting: lasting)
  }
}

/// A planned failure and its progress.
struct ActiveFailure: Sendable {
  var plan: PlannedFailure
  var matchCount = 0

  /// Counts the operation if it matches, and returns the fault for it, if any.
  mutating func fault(
    for operation: DiskOperation, _ path: String
  ) -> PlannedFailure.Fault? {
    if case .short = plan.fault, operation != .read, operation != .write { return nil }
    guard plan.operations?.contains(operation) ?? true,
      plan.pathSuffix.map(path.hasSuffix) ?? true
    else { return nil }
    matchCount += 1
    let turn = matchCount - plan.skipCount
    let limit =
      switch plan.lasting {
      case .once: 1
      case .times(let count): count
      case .forGood: Int.max
      }
    return turn >= 1 && turn <= limit ? plan.fault : nil
  }
}
