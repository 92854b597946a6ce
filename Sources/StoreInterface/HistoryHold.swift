public import ObjectModel
import Synchronization

/// The commit from which an observer in this process keeps the history of a store.
///
/// A store that drops earlier commits on its own keeps the commits that an observer has not taken yet, within a bound
/// (decision 0017). The hold ends when it is deallocated.
public final class HistoryHold: Sendable {
  // Several stores in one process may have the same file open, and each of them may drop commits. So the holds belong
  // to the process, by store tag, and not to one open store.
  private static let reached = Mutex<[StoreTag: [ObjectIdentifier: Int64]]>([:])

  private let tag: StoreTag

  /// Creates a hold on the commits of a store from the given commit on.
  public init(_ tag: StoreTag, at commit: Int64) {
    self.tag = tag
    move(to: commit)
  }

  /// Releases the commits before the given commit.
  public func move(to commit: Int64) {
    Self.reached.withLock { $0[tag, default: [:]][ObjectIdentifier(self)] = commit }
  }

  deinit {
    let (tag, key) = (tag, ObjectIdentifier(self))
    Self.reached.withLock { reached in
      reached[tag]?[key] = nil
      if reached[tag]?.isEmpty ?? false { reached[tag] = nil }
    }
  }

  /// Returns the lowest commit that an observer of a store has reached, or `nil` if none holds a commit
  /// from `bound` on. An observer below the bound holds nothing.
  public static func lowestCommit(of tag: StoreTag, from bound: Int64) -> Int64? {
    reached.withLock { $0[tag]?.values.filter { $0 >= bound }.min() }
  }
}
