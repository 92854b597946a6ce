import Foundation
public import StoreInterface

/// A rule for which earlier commits a file keeps when it is written again. Until then the file keeps all of them.
public enum HistoryPolicy: Sendable, Hashable {
  case none
  /// The newest commit and the given number before it.
  case last(Int)
  /// The newest commit and all that are at most the given number of seconds old.
  case newerThan(seconds: Double)
  /// All commits, so the file never shrinks.
  case all

  /// Returns the numbers of the commits to keep, for a store that applies the policy on its own.
  ///
  /// - Parameter commits: The commits, the newest first. The newest commit is always kept.
  public func kept(of commits: [CommitSummary]) -> Set<Int64> {
    let now = Date()
    return Set(
      commits.enumerated().filter { place, commit in
        place == 0 || keeps(place, madeAt: commit.time, now)
      }.map(\.element.number))
  }

  /// Returns whether a commit is kept.
  ///
  /// - Parameter place: The number of newer commits that are kept, including the newest; at least 1.
  func keeps(_ place: Int, madeAt date: Date, _ now: Date) -> Bool {
    switch self {
    case .none: false
    case .last(let count): place <= count
    case .newerThan(let seconds): now.timeIntervalSince(date) <= seconds
    case .all: true
    }
  }
}
