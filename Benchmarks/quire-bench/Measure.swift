import Foundation
import Synchronization

/// Runs pieces of work in turn, several rounds of each, and prints medians and ratios.
///
/// Rounds are interleaved, so that a slow minute of the machine affects every piece of work alike. A ratio is the median of the
/// ratios of rounds, not the ratio of medians.
struct Measurement {
  /// The pieces of work, in the order in which they are printed.
  private var works:
    [(name: String, unitCount: Int, unit: String, prepare: () -> Void, work: () -> Int)] = []
  private let rounds: Int
  /// Whether a piece of work is to be measured. All are, unless the command line selects some of them.
  nonisolated(unsafe) static var isWanted: (String) -> Bool = { _ in true }

  init(rounds: Int = 7) { self.rounds = rounds }

  /// The names of the pieces of work, in the order in which they were added.
  var names: [String] { works.map(\.name) }

  /// Adds a piece of work that handles `unitCount` units. The work returns a number, so that the optimizer can't remove it.
  mutating func add(_ name: String, _ unitCount: Int, _ unit: String, _ work: @escaping () -> Int) {
    works.append((name, unitCount, unit, {}, work))
  }

  /// Sets the preparation of the work that was added last. The preparation runs before each round and is not measured.
  mutating func prepare(_ prepare: @escaping () -> Void) {
    works[works.count - 1].prepare = prepare
  }

  /// Runs all rounds and returns nanoseconds by name, one for each round.
  func run() -> [String: [Double]] {
    var times: [String: [Double]] = [:]
    var sink = 0
    for round in 0...rounds {
      for one in works where unsafe Measurement.isWanted(one.name) {
        one.prepare()
        let start = DispatchTime.now().uptimeNanoseconds
        sink &+= one.work()
        let end = DispatchTime.now().uptimeNanoseconds
        // The first round warms memory and caches, and is not counted.
        if round > 0 { times[one.name, default: []].append(Double(end - start)) }
      }
    }
    if sink == .min { print(sink) }
    return times
  }

  /// Runs all rounds and prints a line for each piece of work, with the time of one unit.
  @discardableResult
  func report(_ title: String) -> [String: [Double]] {
    let times = run()
    if !times.isEmpty { print("\n\(title)") }
    for one in works {
      guard let all = times[one.name] else { continue }
      let median = Measurement.median(all)
      let each = median / Double(one.unitCount)
      let perUnit =
        one.unit == "byte" ? format(1 / each) + " GB/s" : format(each) + " ns/\(one.unit)"
      print("  \(pad(one.name, 44)) \(pad(format(median / 1e6) + " ms", 12)) \(perUnit)")
    }
    return times
  }

  /// Returns the median of the ratios of two pieces of work, round by round. Returns NaN if one of them was not measured.
  static func ratio(_ times: [String: [Double]], _ name: String, to other: String) -> Double {
    guard let own = times[name], let others = times[other] else { return .nan }
    return median(zip(own, others).map { $0 / $1 })
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted[sorted.count / 2]
  }
}

func format(_ value: Double) -> String {
  if value >= 100 { return String(Int(value)) }
  let scale = value < 0.2 ? 10_000.0 : 100
  return String((value * scale).rounded() / scale)
}

func pad(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

/// Prints the ratio of two pieces of work that has no target.
func showRatio(_ times: [String: [Double]], _ name: String, to other: String) {
  let value = Measurement.ratio(times, name, to: other)
  if !value.isNaN { print("         \(pad("\(name) / \(other)", 52)) \(format(value))") }
}

/// Prints a target and whether the value meets it. A missed target is not a failure, because machines differ and people read the
/// output.
func target(_ name: String, _ value: Double, atMost limit: Double, _ unit: String = "") {
  if value.isNaN { return }
  print(
    "  \(value <= limit ? "met   " : "MISSED") \(pad(name, 52)) \(format(value))\(unit) (at most \(format(limit))\(unit))"
  )
}

func target(_ name: String, _ value: Double, atLeast limit: Double, _ unit: String = "") {
  if value.isNaN { return }
  print(
    "  \(value >= limit ? "met   " : "MISSED") \(pad(name, 52)) \(format(value))\(unit) (at least \(format(limit))\(unit))"
  )
}

/// Starts this program again with the given arguments, and returns the number that it prints.
func numberFromNewProcess(_ arguments: [String]) throws -> Double {
  let process = Process()
  process.executableURL = URL(filePath: CommandLine.arguments[0])
  process.arguments = arguments
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  process.waitUntilExit()
  let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
  guard process.terminationStatus == 0,
    let number = Double(text.trimmingCharacters(in: .newlines))
  else {
    throw CocoaError(.executableRuntimeMismatch)
  }
  return number
}

private final class Results<R: Sendable>: Sendable {
  let all = Mutex<[R]>([])
}

/// Calls `body` on a thread of its own for each number below `count`, waits for all threads, and returns the results in any
/// order. Dispatch would start no more threads than the machine has processors.
func onThreads<R: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> R) -> [R] {
  let results = Results<R>()
  let group = DispatchGroup()
  for number in 0..<count {
    group.enter()
    Thread.detachNewThread {
      let result = body(number)
      results.all.withLock { $0.append(result) }
      group.leave()
    }
  }
  group.wait()
  return results.all.withLock { $0 }
}
