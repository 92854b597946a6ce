/// What became of the cases that a store was held against.
public struct ConformanceReport: Sendable, Hashable, CustomStringConvertible {
  /// A case, and what became of it.
  public struct Result: Sendable, Hashable {
    /// The case.
    public let testCase: StoreConformance.Case
    /// What became of it.
    public let outcome: StoreConformance.Outcome
  }

  /// The cases that were tried, in their order.
  public internal(set) var results: [Result] = []

  /// How many cases the store passed.
  public var passedCount: Int { results.count { $0.outcome == .passed } }

  /// How many cases the store failed, or broke off.
  public var failedCount: Int { results.count { !$0.faults.isEmpty } }

  /// How many cases the store need not pass.
  public var skippedCount: Int { results.count - passedCount - failedCount }

  /// Whether there was something to pass, and nothing failed.
  public var passed: Bool { failedCount == 0 && passedCount > 0 }

  /// Each thing that was wrong, behind the name of its case.
  public var failures: [String] {
    results.flatMap { result in result.faults.map { "\(result.testCase.name): \($0)" } }
  }

  /// The cases, line by line, what was wrong beneath each, and the counts.
  public var description: String {
    var lines: [String] = []
    for result in results {
      let name = result.testCase.name
      switch result.outcome {
      case .passed: lines.append("passed   \(name)")
      case .skipped(let reason): lines.append("skipped  \(name): \(reason)")
      case .failed, .brokeOff:
        lines.append("FAILED   \(name): \(result.testCase.promise)")
        lines += result.faults.map { "           \($0)" }
      }
    }
    lines.append("\(passedCount) passed, \(failedCount) failed, \(skippedCount) skipped")
    return lines.joined(separator: "\n")
  }
}

extension ConformanceReport.Result {
  /// What was wrong; empty when nothing was.
  public var faults: [String] {
    switch outcome {
    case .passed, .skipped: []
    case .failed(let findings): findings
    case .brokeOff(let error): ["The store refused what it must do. \(error)"]
    }
  }
}
