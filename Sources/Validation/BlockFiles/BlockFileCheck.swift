import BlockFileFormat
import DurableFiles
import ObjectModel
import Rows
import StoreInterface

/// The check of a block file (spec §4): its header, every kept commit, and all parts that commits refer to.
///
/// The check shares the layout of structures with the store, but not the code that reads them. A structure is checked
/// once, no matter how many references refer to it, and bytes that parts share are read once. A file with any contents
/// therefore takes time in proportion to its size.
final class BlockFileCheck {
  let file: DurableFile
  let byteCount: Int
  let givenModel: Model?
  /// The commit that counts according to the document; `nil` for a file without a document.
  let counting: CountedCommit?
  let progress: (Double) -> Void
  let findings = Findings()

  var format = ValidationReport.Format.blockFile
  var checked = ValidationReport.Checked()
  var passedOver: [String] = []
  var unchecked: [String] = []
  var facts = StoreFacts()

  /// The commits, the newest first.
  var commits: [FoundCommit] = []
  /// The parts that commits refer to, each once.
  var parts = FileParts()
  /// The results for the segments that commits list.
  var segments: [SegmentRecord: SegmentSummary] = [:]
  /// The results for the pages.
  var pages: [SectionReference: PageSummary] = [:]
  /// The number of bytes of pages that were read.
  var pageByteCount = 0
  /// The numbers of indexes in all schemas that commits refer to.
  var indexNumbers: Set<UInt16> = []
  var soundBlocks: Set<BlockEntry> = []

  init(
    _ file: DurableFile, byteCount: Int, model: Model?, counting: CountedCommit? = nil,
    progress: @escaping (Double) -> Void
  ) {
    self.file = file
    self.byteCount = byteCount
    givenModel = model
    self.counting = counting
    self.progress = progress
  }

  /// Checks the whole file.
  func run() throws {
    checked.byteCount = byteCount
    guard let header = try header() else { return }
    if findings.errorCount == 0 {
      facts.uuid = header.uuid
      facts.type = header.isCompressed ? .compressed : .binary
    }
    guard let newest = try shownCommit(header) else { return }
    try walk(from: newest, header)
    checkSlots(header)
    // A part that begins within another part is not read. Whenever parts are added, they are sorted again.
    parts.sort()
    let contents = try checkSections(header, newest.record)
    facts.model = contents.model
    facts.commits = commits.compactMap(\.record?.number)
    try checkSegments()
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

  /// Returns the bytes of a range that lies in the file.
  func bytes(_ range: Range<UInt64>) throws -> [UInt8] {
    try file.read(byteCount: Int(range.upperBound - range.lowerBound), at: Int(range.lowerBound))
  }
}

/// The commit that counts according to a document.
struct CountedCommit {
  var number: Int64
  /// Whether the file is the log of the document, so that its last commits count without the manifest.
  var isLog = false
}
