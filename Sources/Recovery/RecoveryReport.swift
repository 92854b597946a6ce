/// A report of the recovered and the lost contents of a damaged file.
public struct RecoveryReport: Sendable, Hashable {
  /// The number of bytes of the file.
  public var byteCount = 0
  /// Ranges of bytes that could not be read or belong to no known structure. At most the first thousand.
  public var unreadRanges: [Range<Int>] = []
  /// The number of bytes of all such ranges, including ranges that are not listed.
  public var unreadByteCount = 0
  /// The commit that was recovered, as far as its objects could be read. `nil` if no commit could be read, so
  /// that the blocks were recovered one by one.
  public var commit: Int64?
  /// Whether the recovered commit is the last one that the file ever had, as far as can be seen.
  public var isNewest = false
  /// The number of rows found behind the recovered commit and added above it.
  public var laterRowCount = 0
  /// The number of rows taken from older blocks as substitutes for blocks that could not be read.
  public var olderRowCount = 0
  /// The number of recovered objects, by entity.
  public var objectCounts: [String: Int] = [:]
  /// The number of lost objects, by entity. A lower bound.
  public var lostCounts: [String: Int] = [:]
  /// The number of lost rows of unknown entities, and of lost links.
  public var lostRowCount = 0
  /// The number of objects that may be out of date or were deleted later, by entity. An upper bound.
  public var uncertainCounts: [String: Int] = [:]
  /// The number of large values that could not be read. Their objects lack these values now.
  public var lostValueCount = 0
  /// The number of values that are lost, by entity and property, because their column is damaged. A required
  /// property has its default value now, and an optional one is null.
  public var lostValueCounts: [String: Int] = [:]
  /// The number of removed references to lost objects, by entity and relationship.
  public var cutCounts: [String: Int] = [:]
  /// The number of objects left out because they lack a required value or object, by entity.
  public var droppedCounts: [String: Int] = [:]
  public var notes: [String] = []

  public init() {}

  public var isComplete: Bool {
    unreadByteCount == 0 && isNewest && lostCounts.isEmpty && lostRowCount == 0
      && uncertainCounts.isEmpty && lostValueCount == 0 && lostValueCounts.isEmpty
      && cutCounts.isEmpty
      && droppedCounts.isEmpty
  }

  /// The number of recovered objects.
  public var objectCount: Int { objectCounts.values.reduce(0, +) }
}

/// The reason why nothing can be recovered from a file.
public struct RecoveryError: Error, Sendable, CustomStringConvertible {
  /// The missing part of the file, in a sentence.
  public let description: String
  /// Whether a model from the caller would help.
  public let lacksModel: Bool

  init(_ description: String, lacksModel: Bool = false) {
    self.description = description
    self.lacksModel = lacksModel
  }
}
