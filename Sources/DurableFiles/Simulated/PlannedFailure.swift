/// A failure that a simulated disk is told to have.
///
///     disk.plan(.failing(.noSpace, on: .write, after: 3, lasting: .forGood))
public struct PlannedFailure: Sendable, Hashable {
  /// What happens instead of the operation.
  public var fault: Fault
  /// The operations it can befall, or `nil` for all.
  public var operations: Set<DiskOperation>?
  /// The end of the paths it can befall, or `nil` for all.
  public var pathSuffix: String?
  /// How many such operations go well first.
  public var skipCount: Int
  /// How often it happens.
  public var lasting: Lasting

  /// What happens instead of an operation.
  public enum Fault: Sendable, Hashable {
    /// Nothing is done, and the error is thrown.
    ///
    /// A failed sync in addition forgets that it had anything to do, as systems do: a later one
    /// succeeds and makes only what was written in between durable. A failed close closes.
    case error(ErrorNumber)
    /// A read or a write does at most so many bytes.
    case short(byteCount: Int)
  }

  /// How often a failure happens.
  public enum Lasting: Sendable, Hashable {
    /// The first time.
    case once
    /// So many times.
    case times(Int)
    /// Each time from then on.
    case forGood
  }

  /// A failure as described.
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

  /// An error on one operation, the first after `skipCount` that go well.
  public static func failing(
    _ error: ErrorNumber, on operation: DiskOperation? = nil, path pathSuffix: String? = nil,
    after skipCount: Int = 0, lasting: Lasting = .once
  ) -> PlannedFailure {
    PlannedFailure(
      .error(error), on: operation.map { [$0] }, path: pathSuffix, after: skipCount,
      lasting: lasting)
  }
}

/// A planned failure, and how far it is.
struct ActiveFailure: Sendable {
  var plan: PlannedFailure
  var matchCount = 0

  /// Counts the operation if it matches, and returns what befalls it.
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
