public import Foundation
public import Rows

/// The size, the format and the state of a store.
public struct StoreSummary: Sendable, Hashable {
  /// The version of the format; `nil` for a store whose format is not versioned.
  public var formatVersion: String?
  /// The features that the file uses, and that this version of Quire does not know.
  public var features: [FormatFeature] = []
  /// The size of the store in bytes.
  public var byteCount = 0
  /// The number of bytes in use.
  public var liveByteCount = 0
  /// The number of bytes after the last complete save: the remains of a save that a crash interrupted.
  public var strayByteCount = 0
  /// The damage of a store that was opened in spite of it (``StoreOpening/acceptsDamage``), if any.
  public var damage: String?
  /// The time of the last save.
  public var savedAt: Date?
  /// The highest number of a commit, including commits that do not count; 0 for a store without commit numbers.
  public var highestCommit: Int64 = 0

  public init() {}
}
