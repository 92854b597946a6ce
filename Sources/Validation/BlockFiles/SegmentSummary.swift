import BlockFileFormat

/// Totals over the entries of a page or a segment.
struct PageSummary {
  var first: BlockEntry?
  var last: BlockEntry?
  var rowCount: UInt64 = 0
  var byteCount: UInt64 = 0
  /// The end of the last block in the file, and the highest version.
  var end: UInt64 = 0
  var highestVersion: Int64 = 0
  var hasOnlyPuts = true
  /// Whether every entry can be read on its own.
  var isSound = true

  /// Adds one entry to the totals.
  mutating func add(_ entry: BlockEntry, isIndex: Bool) {
    if first == nil { first = entry }
    last = entry
    if !isIndex { rowCount &+= UInt64(entry.rowCount) }
    byteCount &+= UInt64(entry.byteCount) &+ entry.outsideByteCount
    end = max(end, entry.offset &+ UInt64(entry.byteCount))
    highestVersion = max(highestVersion, entry.version)
    if entry.run != .put { hasOnlyPuts = false }
  }

  /// Adds the next page to the totals.
  mutating func add(_ page: PageSummary) {
    if first == nil { first = page.first }
    last = page.last ?? last
    rowCount &+= page.rowCount
    byteCount &+= page.byteCount
    end = max(end, page.end)
    highestVersion = max(highestVersion, page.highestVersion)
    hasOnlyPuts = hasOnlyPuts && page.hasOnlyPuts
    isSound = isSound && page.isSound
  }
}

/// Totals over the entries of a segment.
typealias SegmentSummary = PageSummary
