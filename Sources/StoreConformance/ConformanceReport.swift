/// The results of the cases that a store was tested with.
public struct ConformanceReport: Sendable, Hashable, CustomStringConvertible {
  /// A case and its outcome.
  public struct Result: Sendable, Hashable {
    public let testCase: StoreConformance.Case
    /// The outcome of the case.
    public let outcome: StoreConformance.Outcome

    /// Creates the result of a case.
    package init(testCase: StoreConformance.Case, outcome: StoreConformance.Outcome) {
      (self.testCase, self.outcome) = (testCase, outcome)
    }
  }

  /// Creates a report without results.
  package init() {}

  /// The results of the cases, in the order in which they were tried.
  public package(set) var results: [Result] = []

  /// The number of cases that the store passed.
  public var passedCount: Int { results.count { $0.outcome == .passed } }

  /// The number of cases that the store failed or broke off.
  public var failedCount: Int { results.count { !$0.faults.isEmpty } }

  /// The number of cases that were skipped, because the store need not pass them.
  public var skippedCount: Int { results.count - passedCount - failedCount }

  /// Whether the store passed at least one case, and failed none.
  public var passed: Bool { failedCount == 0 && passedCount > 0 }

  /// All findings, each after the name of its case.
  public var failures: [String] {
    results.flatMap { result in result.faults.map { "\(result.testCase.name): \($0)" } }
  }

  /// The cases line by line, with the findings of each below it, and the counts at the end.
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
  /// The findings of the case; empty if the store passed.
  public var faults: [String] {
    switch outcome {
    case .passed, .skipped: []
    case .failed(let findings): findings
    case .brokeOff(let error): ["The store refused a required operation. \(error)"]
    }
  }
}
