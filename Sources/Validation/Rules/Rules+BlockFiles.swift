import StoreInterface

// The rules of block files: header, commits, records, segments.
extension Rule {
  static let blockFiles = [
    headerChecksum, majorVersion, headerFlags, reservedBytes, slotChecksum, slotCommit,
    emptySlots, headerFeatures, unknownFeature,
    wholeCommit, strayBytes, brokenLastCommit, acknowledgedCommit, unnamedCommit, acknowledgement,
    previousTrailer, recordChecksum, commitChecksum,
    unsettledCommit, settledChecksum, commitStart, commitNumber, padding, unownedBytes,
    schemaNumber, modelChange, recordMagic, recordStructure, sectionPlace, sectionChecksum,
    liveByteCount, nextKeyOrder,
    usedKeys, sharedBytes,
    inlineEntries, pageCount, pageFirst, entryOrder, segmentRowCount, segmentByteCount,
    lowestSegment,
    twoRuns, blockPlace, knownRun, knownCodec, blockByteCount, entryRows, rowVersion, expansion,
    entryAndHeader, outsideByteCount, valueChecksum, valueExpansion,
  ]

  static let headerChecksum = Rule(
    "BLCK-001", "The header is complete and matches its checksum", "4.2.1")
  static let majorVersion = Rule("BLCK-002", "The format version is 1 or higher", "4.2.1")
  static let headerFlags = Rule(
    "BLCK-003", "All flags of the header are known", "4.2.2")
  static let reservedBytes = Rule("BLCK-004", "Reserved bytes are zero", "1.3")
  static let slotChecksum = Rule(
    "BLCK-005", .warning, "A slot of the header is empty or matches its checksum", "4.2.4")
  static let slotCommit = Rule("BLCK-006", "A slot of the header refers to a commit", "4.2.4")
  static let emptySlots = Rule("BLCK-007", "The slots of the header are not both empty", "4.2.4")
  static let headerFeatures = Rule(
    "BLCK-008", "The features of the header have the required form and match their checksum",
    "4.2.5")
  static let unknownFeature = Rule(
    "BLCK-009", .information, "Each feature of the header is known", "4.2.5")

  static let wholeCommit = Rule("BLCK-010", "The file contains a whole commit", "4.3.3")
  static let strayBytes = Rule(
    "BLCK-011", .information, "No bytes but zeros come after the last whole commit", "4.3.3")
  static let brokenLastCommit = Rule(
    "BLCK-012", "No damaged commit comes after the last whole commit", "4.3.3")
  static let acknowledgedCommit = Rule(
    "BLCK-025", "Each acknowledged commit is whole, and the file is not cut off", "4.3.3")
  static let unnamedCommit = Rule(
    "BLCK-026", .information, "The last commit is acknowledged", "4.3.9")
  static let acknowledgement = Rule(
    "BLCK-027", .warning, "The acknowledgement in a trailer is zeros or matches its checksum",
    "4.3.9")
  static let previousTrailer = Rule(
    "BLCK-013", "The previous commit ends at the offset that the record gives", "4.4.1")
  static let recordChecksum = Rule("BLCK-014", "A commit's record matches its checksum", "4.3.2")
  static let commitChecksum = Rule("BLCK-015", "A commit's bytes match their checksum", "4.3.2")
  static let unsettledCommit = Rule("BLCK-016", "A large commit is settled", "4.3.4")
  static let settledChecksum = Rule(
    "BLCK-017", "A settled commit has no checksum of its own", "4.3.1")
  static let commitStart = Rule(
    "BLCK-018", "A commit begins after the previous commit, at a multiple of 8", "4.4.1")
  static let commitNumber = Rule(
    "BLCK-020", "The numbers of commits begin at 1 or higher, and never descend", "4.4.1")
  static let padding = Rule("BLCK-021", "Bytes between the parts of a commit are zero", "4.1.1")
  static let unownedBytes = Rule(
    "BLCK-022", .information, "Each byte between two commits belongs to one of them", "4.3.5")

  static let schemaNumber = Rule(
    "BLCK-023", "The commit that set the model is the record's commit or an earlier one", "4.4.1")
  static let modelChange = Rule(
    "BLCK-024",
    "A commit's record gives its own number for the model exactly if it changes the model", "4.6.4")

  static let recordMagic = Rule(
    "BLCK-030", "A commit's record begins with its magic number", "4.4.1")
  static let recordStructure = Rule(
    "BLCK-031", "A commit's record ends with its last segment", "4.4.1")
  static let sectionPlace = Rule(
    "BLCK-032", "Sections are between the header and their record, at multiples of 8", "4.4.2")
  static let sectionChecksum = Rule("BLCK-033", "Sections match their checksums", "4.4.2")
  static let liveByteCount = Rule(
    "BLCK-034", "The record gives the correct number of live bytes", "4.4.1")
  static let nextKeyOrder = Rule(
    "BLCK-035", "The next keys are in range, and their entities ascend", "4.4.1")
  static let usedKeys = Rule(
    "BLCK-036", "Each object's key in the lane of the file is below the next key of its entity",
    "4.4.3")
  static let sharedBytes = Rule("BLCK-037", "No two parts of the file share bytes", "4.4.4")

  static let inlineEntries = Rule(
    "BLCK-040", "A segment of more than 16 blocks has pages of entries", "4.5.3")
  static let pageCount = Rule(
    "BLCK-041", "A page has 1 to 64 entries, and exactly the bytes of these entries", "4.5.3")
  static let pageFirst = Rule(
    "BLCK-042", "A page begins with the block that its reference gives", "4.5.3")
  static let entryOrder = Rule(
    "BLCK-043", "A segment's blocks ascend and do not overlap", "4.5.2")
  static let segmentRowCount = Rule(
    "BLCK-044", "A segment gives its correct number of rows", "4.5.1")
  static let segmentByteCount = Rule(
    "BLCK-045", "A segment gives its correct number of bytes", "4.5.1")
  static let lowestSegment = Rule(
    "BLCK-046", "The lowest segment has neither changes nor removals", "4.5.1")
  static let twoRuns = Rule("BLCK-047", "No key is in two runs of a segment", "3.5.1")

  static let blockPlace = Rule(
    "BLCK-050", "Blocks are between the header and their record, at multiples of 8", "4.4.2")
  static let knownRun = Rule("BLCK-051", "A block's run is one of the three known runs", "4.5.2")
  static let knownCodec = Rule("BLCK-052", "A block's codec is known", "4.5.2")
  static let blockByteCount = Rule(
    "BLCK-053", "The stored bytes of a block can expand to the size that the entry gives", "4.5.2")
  static let entryRows = Rule(
    "BLCK-054", "An entry's entity, keys and number of rows are in range", "4.5.2")
  static let rowVersion = Rule(
    "BLCK-055", "A row's version is not above the number of its commit", "4.5.2")
  static let expansion = Rule(
    "BLCK-056", "Compressed bytes of a block expand to exactly the block", "4.5.2")
  static let entryAndHeader = Rule("BLCK-057", "A block's header matches its entry", "4.5.2")
  static let outsideByteCount = Rule(
    "BLCK-058", "An entry gives the correct number of bytes of the block's values outside", "4.5.2")
  static let valueChecksum = Rule(
    "BLCK-091", "Values outside of blocks match their checksums", "3.4.9")
  static let valueExpansion = Rule(
    "BLCK-092", "Compressed values outside of blocks expand to exactly the value", "3.4.9")
}
