/// What was got out of a damaged file, and what was not.
public struct RecoveryReport: Sendable, Hashable {
  /// The bytes of the file.
  public var byteCount = 0
  /// Bytes that could not be read, or of which nobody can tell what they are; the first thousand ranges.
  public var unreadRanges: [Range<Int>] = []
  /// How many bytes that are in all.
  public var unreadByteCount = 0
  /// The commit whose objects these are, as far as they could be read; `nil` when none could be, and blocks were
  /// taken one by one.
  public var commit: Int64?
  /// Whether that is the last commit that the file ever had, as far as can be seen.
  public var isNewest = false
  /// How many rows were found behind that commit and laid above it.
  public var laterRowCount = 0
  /// How many rows came from older blocks in the place of ones that could not be read.
  public var olderRowCount = 0
  /// How many objects of each entity the result has.
  public var objectCounts: [String: Int] = [:]
  /// How many objects of each entity are lost at least.
  public var lostCounts: [String: Int] = [:]
  /// How many rows are lost of which not even the entity is known.
  public var lostRowCount = 0
  /// How many objects of each entity may be as an earlier save left them, or were deleted since, at most.
  public var uncertainCounts: [String: Int] = [:]
  /// How many large values could not be read. Their objects have none now.
  public var lostValueCount = 0
  /// The number of values that are lost, by entity and property, because their column is damaged. A required
  /// property has its default value now, and other properties have no value.
  public var lostValueCounts: [String: Int] = [:]
  /// How often each relationship led to an object that is lost, by entity and name. They were cut.
  public var cutCounts: [String: Int] = [:]
  /// How many objects of each entity were left out because they lack what they must have.
  public var droppedCounts: [String: Int] = [:]
  /// What else there is to say, in sentences.
  public var notes: [String] = []

  /// Nothing.
  public init() {}

  /// Whether all there was is there.
  public var isComplete: Bool {
    unreadByteCount == 0 && isNewest && lostCounts.isEmpty && lostRowCount == 0
      && uncertainCounts.isEmpty && lostValueCount == 0 && lostValueCounts.isEmpty
      && cutCounts.isEmpty
      && droppedCounts.isEmpty
  }

  /// How many objects the result has.
  public var objectCount: Int { objectCounts.values.reduce(0, +) }
}

/// Why nothing can be got out of a file.
public struct RecoveryError: Error, Sendable, CustomStringConvertible {
  /// What was looked for and not found, in a sentence.
  public let description: String
  /// Whether a model given from outside would help.
  public let lacksModel: Bool

  init(_ description: String, lacksModel: Bool = false) {
    self.description = description
    self.lacksModel = lacksModel
  }
}
