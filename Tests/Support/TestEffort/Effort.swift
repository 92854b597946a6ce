import Foundation

/// How much random work the tests do, and how many of all places they damage.
///
///     for seed in 1...Effort.count(12) { … }
///     for place in stride(from: 0, to: bytes.count, by: Effort.distance(13)) { … }
///
/// `./run test` does a part of it, so that it and `.ci/run` are quick. `./run check` sets `QUIRE_EFFORT=1`, which does all
/// of it. `QUIRE_EFFORT=100` does a hundred times as much, and is for hours in which new failures are looked for.
public enum Effort {
  private static let environment = ProcessInfo.processInfo.environment

  /// The part of the full work that is done.
  public static let factor = environment["QUIRE_EFFORT"].flatMap(Double.init) ?? 0.25

  /// Whether more than the full work is done. Then random work begins at other seeds each time.
  public static var isSearch: Bool { factor > 1 }

  /// The seed at which random work begins, if the environment names one. `QUIRE_SEED=17 QUIRE_EFFORT=0` repeats the work
  /// of one seed.
  public static let seed = environment["QUIRE_SEED"].flatMap { UInt64($0) }

  /// Returns the number of cases to try, which is at least 1, where the full work has `full` cases.
  public static func count(_ full: Int) -> Int { max(1, Int((Double(full) * factor).rounded(.up))) }

  /// Returns the distance between two places to try, where the full work has places at the distance `full`.
  public static func distance(_ full: Int) -> Int {
    Int((Double(full) / max(factor, 0.01)).rounded(.up))
  }

  /// Returns every fourth case, or all cases in the full work, for cases that are much alike.
  public static func part<T>(of cases: [T]) -> [T] {
    stride(from: 0, to: cases.count, by: distance(1)).map { cases[$0] }
  }

  /// Prints what a test has tried, for the ledger of `./run campaigns`.
  public static func report(_ count: Int, _ cases: String) { print("tried: \(count) \(cases)") }

  /// Returns the seeds of random work, where the full work has `full` seeds. They begin at 1, so that a change of the code
  /// is compared with the same cases.
  public static func seeds(_ full: Int) -> [UInt64] {
    let first = seed ?? (isSearch ? .random(in: 1...1_000_000_000) : 1)
    return Array(first..<first + UInt64(count(full)))
  }
}
