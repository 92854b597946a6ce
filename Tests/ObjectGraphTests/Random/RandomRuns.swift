import Foundation
import Testing

/// Runs of random work, and what they have in common: the seeds to try, and making a failure smaller.
struct RandomRuns: Sendable {
  /// What is done.
  let name: String
  /// How many steps a run has.
  let stepsOfRun: Int
  /// How many steps are done on each kind of store unless the environment says otherwise.
  let defaultSteps: Int

  /// What one run does with the steps of the given numbers.
  typealias Attempt = @Sendable (_ kind: Kind, _ seed: UInt64, _ steps: [Int]) -> Failure?

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

  /// Does so many steps on a kind of store, with the first seeds, with new ones where the
  /// environment asks for many steps, or with those that it names.
  ///
  /// On a thread of its own: work waits for searches, which the few threads that tasks share must run.
  func run(_ kind: Kind, _ attempt: @escaping Attempt) async {
    let failures = await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: tried(kind, attempt)) }
      thread.stackSize = 8 << 20
      thread.start()
    }
    for failure in failures { Issue.record("\(failure)") }
  }

  private func tried(_ kind: Kind, _ attempt: Attempt) -> [String] {
    let seeds: ClosedRange<UInt64>
    if let one = Self.environment["QUIRE_WORK_SEED"].flatMap({ UInt64($0) }) {
      seeds = one...one
    } else {
      let wanted = Self.environment["QUIRE_STEPS"].flatMap { Int($0) }
      let steps = wanted ?? defaultSteps
      // Whoever asks for many steps looks for what nobody has seen; a change is held against the same ones.
      let first =
        Self.environment["QUIRE_WORK_FIRST"].flatMap { UInt64($0) }
        ?? (wanted == nil ? 1 : .random(in: 1...1_000_000_000))
      seeds = first...first + UInt64(max(1, steps / stepsOfRun) - 1)
    }
    print("\(name) on \(kind): seeds \(seeds.lowerBound) to \(seeds.upperBound)")
    var failures: [String] = []
    for seed in seeds where failures.count < 4 {
      if let failure = failure(kind, seed, attempt) { failures.append(failure) }
    }
    return failures
  }

  /// What went wrong with a seed, and the least that it takes.
  private func failure(_ kind: Kind, _ seed: UInt64, _ attempt: Attempt) -> String? {
    let all = Array(0..<stepsOfRun)
    guard let failure = attempt(kind, seed, all) else { return nil }
    // Making it smaller takes long, and may end in another failure.
    print("\(name) on \(kind): seed \(seed) fails: \(failure.error)")
    let least = shrink(failure, Array(all.prefix(failure.step + 1))) { attempt(kind, seed, $0) }
    let smaller = attempt(kind, seed, least) ?? failure
    return """
      \(kind), seed \(seed): \(failure.error)
      smaller, steps \(least): \(smaller.error)
      \(smaller.trace.suffix(60).joined(separator: "\n"))
      """
  }

  /// Leaves out what the failure does not need, as long as what fails is of its kind.
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
  /// The words of the error, whichever objects and contexts it is about.
  fileprivate var kind: String {
    "\(error)".replacing(/x-quire:\S+/, with: "").filter(\.isLetter)
      .replacing("root", with: "").replacing("child", with: "")
  }
}
