import Foundation
import Testing

/// Runs of random work, and what they have in common: the seeds to try, and making a failure smaller.
struct RandomRuns {
  /// How many steps a run has.
  let stepsOfRun: Int
  /// How many steps are done on each kind of store unless the environment says otherwise.
  let defaultSteps: Int

  /// What one run does with the steps of the given numbers.
  typealias Attempt = (_ kind: Kind, _ seed: UInt64, _ steps: [Int]) -> Failure?

  /// What went wrong.
  struct Failure {
    var step: Int
    var error: any Error
    var trace: [String]
  }

  private static let environment = ProcessInfo.processInfo.environment

  /// The kinds of stores to try.
  static let kinds = Kind.allCases.filter {
    $0.rawValue == environment["QUIRE_WORK_STORE"] ?? $0.rawValue
  }

  /// Does so many steps on a kind of store, with new seeds or with the one that the environment names.
  func run(_ kind: Kind, _ attempt: Attempt) {
    if let one = Self.environment["QUIRE_WORK_SEED"].flatMap({ UInt64($0) }) {
      _ = run(kind, one, attempt)
      return
    }
    let steps = Self.environment["QUIRE_STEPS"].flatMap { Int($0) } ?? defaultSteps
    let first = Self.environment["QUIRE_WORK_FIRST"].flatMap { UInt64($0) } ?? 1
    var failures = 0
    for seed in first..<first + UInt64(max(1, steps / stepsOfRun)) where failures < 4 {
      if !run(kind, seed, attempt) { failures += 1 }
    }
  }

  /// Whether all went well.
  private func run(_ kind: Kind, _ seed: UInt64, _ attempt: Attempt) -> Bool {
    let all = Array(0..<stepsOfRun)
    guard let failure = attempt(kind, seed, all) else { return true }
    let least = shrink(kind, seed, Array(all.prefix(failure.step + 1)), attempt)
    let smaller = attempt(kind, seed, least) ?? failure
    Issue.record(
      """
      \(kind), seed \(seed): \(failure.error)
      smaller, steps \(least): \(smaller.error)
      \(smaller.trace.suffix(60).joined(separator: "\n"))
      """)
    return false
  }

  /// Leaves out what the failure does not need.
  private func shrink(
    _ kind: Kind, _ seed: UInt64, _ steps: [Int], _ attempt: Attempt
  ) -> [Int] {
    var steps = steps
    var size = max(1, steps.count / 2)
    while size > 0 {
      var start = 0
      while start < steps.count {
        var fewer = steps
        fewer.removeSubrange(start..<min(start + size, steps.count))
        if let failure = attempt(kind, seed, fewer) {
          steps = Array(fewer.prefix(failure.step + 1))
        } else {
          start += size
        }
      }
      size /= 2
    }
    return steps
  }
}
