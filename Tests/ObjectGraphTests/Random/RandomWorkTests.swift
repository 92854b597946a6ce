import Foundation
import SeededRandom
import Testing

/// Random work in contexts, held against dictionaries.
///
/// `QUIRE_STEPS=1000000` does so many steps on each kind of store, and `QUIRE_WORK_SEED=17` what one seed
/// did, with `QUIRE_WORK_STORE=xml` on that kind of store alone. A failure is made smaller by leaving steps out, as long as something fails.
@Suite("Contexts beside a naive model")
struct RandomWorkTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let stepsOfRun = 150

  private static let kinds = Kind.allCases.filter {
    $0.rawValue == environment["QUIRE_WORK_STORE"] ?? $0.rawValue
  }

  private static let runs: Int = {
    let steps = environment["QUIRE_STEPS"].flatMap { Int($0) } ?? 900
    return max(1, steps / stepsOfRun)
  }()

  @Test("Hold what they should, whatever is done in whatever order", arguments: kinds)
  func work(_ kind: Kind) throws {
    if let one = Self.environment["QUIRE_WORK_SEED"].flatMap({ UInt64($0) }) {
      try run(kind, one)
      return
    }
    var failures = 0
    for seed in 1...UInt64(Self.runs) where failures < 4 {
      if try !run(kind, seed) { failures += 1 }
    }
  }

  /// Whether all went well.
  @discardableResult
  private func run(_ kind: Kind, _ seed: UInt64) throws -> Bool {
    let all = Array(0..<Self.stepsOfRun)
    guard let failure = attempt(kind, seed, all) else { return true }
    let least = shrink(kind, seed, Array(all.prefix(failure.step + 1)))
    let smaller = attempt(kind, seed, least) ?? failure
    Issue.record(
      """
      \(kind), seed \(seed): \(failure.error)
      smaller, steps \(least): \(smaller.error)
      \(smaller.trace.suffix(60).joined(separator: "\n"))
      """)
    return false
  }

  private struct Failure {
    var step: Int
    var error: any Error
    var trace: [String]
  }

  private func attempt(_ kind: Kind, _ seed: UInt64, _ steps: [Int]) -> Failure? {
    do {
      let work = try RandomWork(kind, seed: seed)
      for (index, step) in steps.enumerated() {
        do { try work.step(step) } catch {
          return Failure(step: index, error: error, trace: work.trace)
        }
      }
      do { try work.compareAll() } catch {
        return Failure(step: steps.count - 1, error: error, trace: work.trace)
      }
    } catch { return Failure(step: 0, error: error, trace: []) }
    return nil
  }

  /// Leaves out what the failure does not need.
  private func shrink(_ kind: Kind, _ seed: UInt64, _ steps: [Int]) -> [Int] {
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
