public import ObjectModel
import Synchronization

/// The commit that an observer of a store's history has reached, in this process.
///
/// A store that drops earlier commits by itself keeps those that an observer has not taken yet, up to
/// a bound of its own (decision 0017). The hold ends when it is deallocated.
public final class HistoryHold: Sendable {
  // A file may be open as several stores in one process, and each of them may drop commits. So the
  // holds are of the process, by store tag, and not of one open store.
  private static let reached = Mutex<[StoreTag: [ObjectIdentifier: Int64]]>([:])

  private let tag: StoreTag

  /// Holds the commits of a store from the given one on.
  public init(_ tag: StoreTag, at commit: Int64) {
    self.tag = tag
    move(to: commit)
  }

  /// Gives up the commits before another one.
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
