import BlockFileFormat
import DurableFiles
import ObjectModel
import Rows
import StoreInterface

/// The check of a block file (spec §4): its header, every commit that is kept, and all they refer to.
///
/// Shares the layout of structures with the store, and none of how the store reads them. What a
/// structure says of others is looked at once, wherever it is referred to from, and parts that share
/// bytes are read once: so a file of any bytes takes time in proportion to its size.
final class BlockFileCheck {
  let file: DurableFile
  let byteCount: Int
  let givenModel: Model?
  /// The commit that counts, where a document says which one does.
  let counting: Int64?
  let progress: (Double) -> Void
  let findings = Findings()

  var format = Report.Format.blockFile
  var checked = Report.Checked()
  var passedOver: [String] = []
  var unchecked: [String] = []
  var facts = StoreFacts()

  /// The commits, the newest first.
  var commits: [FoundCommit] = []
  /// What the commits refer to, each once.
  var parts = FileParts()
  /// What was found of each segment that a commit lists.
  var segments: [SegmentRecord: SegmentSummary] = [:]
  /// What was found of each page.
  var pages: [SectionReference: PageSummary] = [:]
  /// How many bytes of pages were read.
  var pageByteCount = 0
  /// The numbers of indexes, in any schema that a commit refers to.
  var indexNumbers: Set<UInt16> = []
  /// The blocks that are what they should be.
  var soundBlocks: Set<BlockEntry> = []

  init(
    _ file: DurableFile, byteCount: Int, model: Model?, counting: Int64? = nil,
    progress: @escaping (Double) -> Void
  ) {
    self.file = file
    self.byteCount = byteCount
    givenModel = model
    self.counting = counting
    self.progress = progress
  }

  /// Checks everything.
  func run() throws {
    checked.byteCount = byteCount
    guard let header = try header() else { return }
    if findings.counts.isEmpty {
      facts.uuid = header.uuid
      facts.type = header.isCompressed ? .compressed : .binary
    }
    guard let newest = try shownCommit(header) else { return }
    try walk(from: newest, header)
    checkSlots(header)
    // What shares bytes with another part is not read: each time that more parts are known, they are
    // put in order anew.
    parts.sort()
    let contents = try checkSections(header, newest.record)
    facts.model = contents.model
    facts.commits = commits.compactMap(\.record?.number)
    checkSegments()
    parts.sort()
    try checkBlocks(contents, newest: newest.record?.number ?? .max)
    parts.sort()
    try checkValues()
    checkSharedBytes()
    try checkPadding()
    if let record = newest.record {
      checked.liveByteCount = Int(clamping: record.liveByteCount)
      checkContents(contents, record)
      try checkObjects(contents, record)
      checkEarlierSchemas(contents)
    }
    progress(1)
  }

  /// The bytes of a range that lies in the file.
  func bytes(_ range: Range<UInt64>) throws -> [UInt8] {
    try file.read(byteCount: Int(range.upperBound - range.lowerBound), at: Int(range.lowerBound))
  }
}

/// A commit of the file.
struct FoundCommit {
  let trailer: Trailer
  /// The commit's record; `nil` when it can't be parsed.
  let record: CommitRecord?
}
