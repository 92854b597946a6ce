/// A segment as a commit record has it: its blocks, or the pages that list them (spec §4.5).
struct SegmentRecord: Hashable {
  var rowCount: UInt64
  /// How many bytes its blocks, the values outside of them, and its pages take.
  var byteCount: UInt64
  /// The segment has the entries of all indexes up to this number; 0 when it has none.
  var highestIndex: UInt16
  var contents: Contents

  enum Contents: Hashable {
    case entries([BlockEntry])
    case pages([PageReference])
  }

  /// A page of block entries, and where the first of them stands.
  struct PageReference: Hashable {
    var section: SectionReference
    var entryCount: UInt16
    var first: BlockEntry.Place
  }

  func write(into writer: inout ByteWriter) {
    writer.append(rowCount)
    writer.append(byteCount)
    writer.append(highestIndex)
    writer.append(zeros: 6)
    switch contents {
    case .entries(let entries):
      writer.append(UInt32(entries.count))
      writer.append(UInt32(0))
      for entry in entries { entry.write(into: &writer) }
    case .pages(let pages):
      writer.append(UInt32(0))
      writer.append(UInt32(pages.count))
      for page in pages {
        page.section.write(into: &writer)
        writer.append(page.first.key)
        writer.append(page.first.entity)
        writer.append(page.entryCount)
        writer.append(page.first.run)
        writer.append(zeros: 3)
      }
    }
  }

  init(rowCount: UInt64, byteCount: UInt64, highestIndex: UInt16, contents: Contents) {
    self.rowCount = rowCount
    self.byteCount = byteCount
    self.highestIndex = highestIndex
    self.contents = contents
  }

  init(_ reader: inout ByteReader, before limit: UInt64) throws(FormatFault) {
    rowCount = try reader.next(UInt64.self)
    byteCount = try reader.next(UInt64.self)
    highestIndex = try reader.next(UInt16.self)
    try reader.skip(6)
    let entryCount = Int(try reader.next(UInt32.self))
    let pageCount = Int(try reader.next(UInt32.self))
    guard rowCount <= 1 << 48, byteCount <= limit, (entryCount == 0) != (pageCount == 0) else {
      throw FormatFault("A segment has \(entryCount) blocks and \(pageCount) pages.")
    }
    // The record is in memory: what it claims to hold can't be more than it has bytes.
    guard entryCount <= reader.remaining / BlockFile.entryByteCount,
      pageCount <= reader.remaining / BlockFile.pageReferenceByteCount
    else { throw FormatFault("A segment's blocks do not fit the record.") }
    if entryCount > 0 {
      var entries: [BlockEntry] = []
      for _ in 0..<entryCount { entries.append(try BlockEntry(&reader, before: limit)) }
      try entries.checkOrder()
      contents = .entries(entries)
      try checkValues(of: entries, besides: 0)
      return
    }
    var pages: [PageReference] = []
    for _ in 0..<pageCount {
      let section = try SectionReference(&reader, before: limit)
      let key = try reader.next(UInt64.self)
      let entity = try reader.next(UInt16.self)
      let count = try reader.next(UInt16.self)
      let run = try reader.next(UInt8.self)
      try reader.skip(3)
      guard count >= 1, Int(count) <= BlockFile.pageEntryCount,
        Int(section.byteCount) == Int(count) * BlockFile.entryByteCount
      else { throw FormatFault("A page of \(section.byteCount) bytes has \(count) entries.") }
      pages.append(
        PageReference(
          section: section, entryCount: count, first: .init(entity: entity, run: run, key: key)))
    }
    for (page, next) in zip(pages, pages.dropFirst()) where page.first >= next.first {
      throw FormatFault("The pages of a segment are not in order.")
    }
    contents = .pages(pages)
  }

  /// Checks that the values outside of some blocks, and of others, are not more than the segment has:
  /// otherwise a file could ask for the same bytes again and again.
  func checkValues(of entries: [BlockEntry], besides others: UInt64) throws(FormatFault) {
    let sum = others.addingReportingOverflow(entries.outsideByteCount)
    guard !sum.overflow, sum.partialValue <= byteCount else {
      throw FormatFault("The values outside of a segment's blocks have more bytes than it says.")
    }
  }
}
