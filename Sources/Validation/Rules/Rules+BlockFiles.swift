import StoreInterface

// The rules of block files: header, commits, records, segments.
extension Rule {
  static let blockFiles = [
    headerChecksum, majorVersion, headerFlags, reservedBytes, slotChecksum, slotCommit,
    wholeCommit, strayBytes, brokenLastCommit, acknowledgedCommit, previousTrailer, recordChecksum,
    commitChecksum,
    unsettledCommit, settledChecksum, commitStart, recordPlace, commitNumber, padding, unownedBytes,
    schemaNumber, modelChange, recordMagic, recordStructure, sectionPlace, sectionChecksum,
    liveByteCount, nextKeyOrder,
    usedKeys, sharedBytes,
    inlineEntries, pageCount, pageFirst, entryOrder, segmentRowCount, segmentByteCount,
    lowestSegment,
    twoRuns, blockPlace, knownRun, knownCodec, blockByteCount, entryRows, rowVersion, expansion,
    entryAndHeader, outsideByteCount, valueChecksum, valueExpansion,
  ]

  static let headerChecksum = Rule(
    "BLCK-001", "The header is whole and matches its checksum", "4.2.1")
  static let majorVersion = Rule("BLCK-002", "The format's version is 1 or above", "4.2.1")
  static let headerFlags = Rule(
    "BLCK-003", "The header has no flags but those that are known", "4.2.2")
  static let reservedBytes = Rule("BLCK-004", "Reserved bytes are zero", "1.3")
  static let slotChecksum = Rule(
    "BLCK-005", "A slot of the header is empty or matches its checksum", "4.2.4")
  static let slotCommit = Rule("BLCK-006", "A slot of the header names a commit", "4.2.4")

  static let wholeCommit = Rule("BLCK-010", "The file holds a whole commit", "4.3.3")
  static let strayBytes = Rule(
    "BLCK-011", .information, "No bytes lie behind the last whole commit", "4.3.3")
  static let brokenLastCommit = Rule(
    "BLCK-012", "No damaged commit lies behind the last whole one", "4.3.3")
  static let acknowledgedCommit = Rule(
    "BLCK-025", "Every commit that a slot of the header names is whole", "4.3.3")
  static let previousTrailer = Rule(
    "BLCK-013", "The commit before ends where the record says", "4.4.1")
  static let recordChecksum = Rule("BLCK-014", "A commit's record matches its checksum", "4.3.2")
  static let commitChecksum = Rule("BLCK-015", "A commit's bytes match their checksum", "4.3.2")
  static let unsettledCommit = Rule("BLCK-016", "A large commit is settled", "4.3.4")
  static let settledChecksum = Rule(
    "BLCK-017", "A settled commit has no checksum of its own", "4.3.1")
  static let commitStart = Rule(
    "BLCK-018", "A commit begins behind the one before, at a multiple of 8", "4.4.1")
  static let recordPlace = Rule(
    "BLCK-019", "A commit's record lies directly before its trailer", "4.3.7")
  static let commitNumber = Rule(
    "BLCK-020", "Commits are numbered from 1, and never downwards", "4.4.1")
  static let padding = Rule("BLCK-021", "Bytes between the parts of a commit are zero", "4.1.1")
  static let unownedBytes = Rule(
    "BLCK-022", .information, "No bytes between commits belong to none", "4.3.5")

  static let schemaNumber = Rule(
    "BLCK-023", "The commit that set the model is none behind the record's own", "4.4.1")
  static let modelChange = Rule(
    "BLCK-024", "A commit that sets another model says so, and no other does", "4.6.4")

  static let recordMagic = Rule("BLCK-030", "A commit's record begins as one", "4.4.1")
  static let recordStructure = Rule(
    "BLCK-031", "A commit's record ends where its last segment does", "4.4.1")
  static let sectionPlace = Rule(
    "BLCK-032", "Sections lie between the header and their record, at multiples of 8", "4.4.2")
  static let sectionChecksum = Rule("BLCK-033", "Sections match their checksums", "4.4.2")
  static let liveByteCount = Rule(
    "BLCK-034", "The record says how many bytes are not dead", "4.4.1")
  static let nextKeyOrder = Rule(
    "BLCK-035", "The next keys are possible, and listed by ascending entities", "4.4.1")
  static let usedKeys = Rule("BLCK-036", "No object has a key from its entity's next on", "4.4.3")
  static let sharedBytes = Rule("BLCK-037", "No two parts of the file share bytes", "4.4.4")

  static let inlineEntries = Rule(
    "BLCK-040", "A segment of more than 16 blocks lists them in pages", "4.5.3")
  static let pageCount = Rule("BLCK-041", "A page has 1 to 64 entries and their bytes", "4.5.3")
  static let pageFirst = Rule(
    "BLCK-042", "A page begins with the block that its reference says", "4.5.3")
  static let entryOrder = Rule(
    "BLCK-043", "A segment's blocks ascend and none reaches into the next", "4.5.2")
  static let segmentRowCount = Rule("BLCK-044", "A segment says how many rows it has", "4.5.1")
  static let segmentByteCount = Rule("BLCK-045", "A segment says how many bytes it has", "4.5.1")
  static let lowestSegment = Rule("BLCK-046", "The lowest segment has rows put alone", "4.5.1")
  static let twoRuns = Rule("BLCK-047", "No key is in two runs of a segment", "3.5.1")

  static let blockPlace = Rule(
    "BLCK-050", "Blocks lie between the header and their record, at multiples of 8", "4.4.2")
  static let knownRun = Rule("BLCK-051", "A block's run is one of the three", "4.5.2")
  static let knownCodec = Rule("BLCK-052", "A block's codec is one that is known", "4.5.2")
  static let blockByteCount = Rule(
    "BLCK-053", "The bytes kept of a block can be as many as the entry says", "4.5.2")
  static let entryRows = Rule(
    "BLCK-054", "An entry's entity, keys and number of rows are possible", "4.5.2")
  static let rowVersion = Rule(
    "BLCK-055", "A row's version is the number of a commit up to its own", "3.3.3")
  static let expansion = Rule(
    "BLCK-056", "Compressed bytes expand to exactly the block", "4.5.2")
  static let entryAndHeader = Rule("BLCK-057", "A block's header says what its entry says", "4.5.2")
  static let outsideByteCount = Rule(
    "BLCK-058", "An entry says how many bytes the block's values outside have", "4.5.2")
  static let valueChecksum = Rule("BLCK-091", "Values outside match their checksums", "3.4.9")
  static let valueExpansion = Rule(
    "BLCK-092", "Compressed values expand to exactly the value", "3.4.9")
}
