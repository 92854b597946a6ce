import Foundation
public import StoreInterface

/// Which earlier commits a file keeps when it is written anew. Until then it keeps all of them.
public enum HistoryPolicy: Sendable, Hashable {
  /// None: only the newest.
  case none
  /// The newest and so many before it.
  case last(Int)
  /// The newest and those that are not older than so many seconds.
  case newerThan(seconds: Double)
  /// All of them, and so the file never shrinks.
  case all

  /// The numbers of the commits that are kept of a store that keeps them by itself.
  ///
  /// - Parameter commits: The newest first, which stays in any case.
  public func kept(of commits: [CommitSummary]) -> Set<Int64> {
    let now = Date()
    return Set(
      commits.enumerated().filter { place, commit in
        place == 0 || keeps(place, madeAt: commit.time, now)
      }.map(\.element.number))
  }

  /// Whether a commit is kept.
  ///
  /// - Parameter place: How many commits above the newest kept one it is, from 1.
  func keeps(_ place: Int, madeAt date: Date, _ now: Date) -> Bool {
    switch self {
    case .none: false
    case .last(let count): place <= count
    case .newerThan(let seconds): now.timeIntervalSince(date) <= seconds
    case .all: true
    }
  }
}
