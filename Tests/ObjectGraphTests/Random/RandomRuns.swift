import Foundation
import TestEffort
import Testing

/// The common parts of random runs: the choice of seeds, and the reduction of a failure to a small case.
struct RandomRuns: Sendable {
  /// The name of the work.
  let name: String
  /// The number of steps of a run.
  let stepsOfRun: Int
  /// The number of runs on each kind of store in the full work.
  let runCount: Int

  /// A run with the steps of the given numbers. Returns the failure, or `nil` if the run succeeds.
  typealias Attempt = @Sendable (_ kind: Kind, _ seed: UInt64, _ steps: [Int]) -> Failure?

  /// The failure of a run.
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

  /// Does the runs on a kind of store. The usual run has the same seeds each time, so a change of the code is compared
  /// with the same cases.
  ///
  /// The work runs on a thread of its own, because it waits for searches. The few threads that tasks share must be free for the
  /// searches.
  func run(_ kind: Kind, _ attempt: @escaping Attempt) async {
    let failures = await Self.onThread { tried(kind, attempt) }
    for failure in failures { Issue.record("\(failure)") }
  }

  /// Runs work that waits on a thread of its own.
  static func onThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  private func tried(_ kind: Kind, _ attempt: Attempt) -> [String] {
    let seeds = Effort.seeds(runCount)
    print("\(name) on \(kind): seeds \(seeds[0]) to \(seeds[seeds.count - 1])")
    var failures: [String] = []
    for seed in seeds where failures.count < 4 {
      if let failure = failure(kind, seed, attempt) { failures.append(failure) }
    }
    return failures
  }

  /// Returns the failure of a seed with the fewest steps that reproduce it, or `nil` if the seed succeeds.
  private func failure(_ kind: Kind, _ seed: UInt64, _ attempt: Attempt) -> String? {
    let all = Array(0..<stepsOfRun)
    guard let failure = attempt(kind, seed, all) else { return nil }
    // The reduction takes long, and may end with another failure.
    print("\(name) on \(kind): seed \(seed) fails: \(failure.error)")
    let least = shrink(failure, Array(all.prefix(failure.step + 1))) { attempt(kind, seed, $0) }
    let smaller = attempt(kind, seed, least) ?? failure
    return """
      \(kind), seed \(seed): \(failure.error)
      smaller, steps \(least): \(smaller.error)
      \(smaller.trace.suffix(60).joined(separator: "\n"))
      """
  }

  /// Leaves out steps that the failure does not need, as long as a failure of the same kind remains.
  private func shrink(
    _ failure: Failure, _ steps: [Int], _ attempt: ([Int]) -> Failure?
  ) -> [Int] {
    var steps = steps
    var size = max(1, steps.count / 2)
    while size > 0 {
      var start = 0
      while start < steps.count {
        var fewer = steps
        fewer.removeSubrange(start..<min(start + size, steps.count))
        if let other = attempt(fewer), other.kind == failure.kind {
          steps = Array(fewer.prefix(other.step + 1))
        } else {
          start += size
        }
      }
      size /= 2
    }
    return steps
  }
}

extension RandomRuns.Failure {
  /// The text of the error, without the names of objects and contexts.
  fileprivate var kind: String {
    "\(error)".replacing(/x-quire:\S+/, with: "").filter(\.isLetter)
      .replacing("root", with: "").replacing("child", with: "")
  }
}
