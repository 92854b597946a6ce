package import Rows

/// A segment in a commit record: its blocks, or the pages that list them (spec §4.5).
package struct SegmentRecord: Hashable {
  package var rowCount: UInt64
  /// The number of bytes of its blocks, of their outside values, and of its pages.
  package var byteCount: UInt64
  /// The highest number of an index with entries in the segment; 0 without entries. The segment contains the entries of
  /// every index up to this number.
  package var highestIndex: UInt16
  package var contents: Contents

  package enum Contents: Hashable {
    case entries([BlockEntry])
    case pages([PageReference])
  }

  /// A reference to a page of block entries, with the place of the first entry.
  package struct PageReference: Hashable {
    package var section: SectionReference
    package var entryCount: UInt16
    package var first: BlockEntry.Place

    package init(section: SectionReference, entryCount: UInt16, first: BlockEntry.Place) {
      self.section = section
      self.entryCount = entryCount
      self.first = first
    }
  }

  /// The number of bytes that the segment has in a commit record.
  package var byteCountOfRecord: Int {
    switch contents {
    case .entries(let entries):
      SegmentRecord.fixedByteCount + entries.count * BlockFile.entryByteCount
    case .pages(let pages):
      SegmentRecord.fixedByteCount + pages.count * BlockFile.pageReferenceByteCount
    }
  }

  /// The number of bytes of a segment in a commit record, without its entries and pages.
  static let fixedByteCount = 32

  /// The offset of the segment's first block or page. Two segments of a commit never begin with the same one.
  package var firstOffset: UInt64 {
    switch contents {
    case .entries(let entries): entries.first?.offset ?? 0
    case .pages(let pages): pages.first?.section.offset ?? 0
    }
  }

  package func write(into writer: inout ByteWriter) {
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

  package init(rowCount: UInt64, byteCount: UInt64, highestIndex: UInt16, contents: Contents) {
    self.rowCount = rowCount
    self.byteCount = byteCount
    self.highestIndex = highestIndex
    self.contents = contents
  }

  /// Reads the fields without checking them.
  package init(unchecked reader: inout ByteReader) throws(FormatFault) {
    rowCount = try reader.next(UInt64.self)
    byteCount = try reader.next(UInt64.self)
    highestIndex = try reader.next(UInt16.self)
    try reader.skip(6)
    let entryCount = Int(try reader.next(UInt32.self))
    let pageCount = Int(try reader.next(UInt32.self))
    guard (entryCount == 0) != (pageCount == 0) else {
      throw FormatFault(
        "A segment gives \(entryCount) blocks and \(pageCount) pages, which is not possible.")
    }
    // The record is in memory, so its entries can't have more bytes than the record.
    guard entryCount <= reader.remaining / BlockFile.entryByteCount,
      pageCount <= reader.remaining / BlockFile.pageReferenceByteCount
    else { throw FormatFault("A segment's blocks do not fit into the record.") }
    if entryCount > 0 {
      var entries: [BlockEntry] = []
      for _ in 0..<entryCount { entries.append(try BlockEntry(unchecked: &reader)) }
      contents = .entries(entries)
      return
    }
    var pages: [PageReference] = []
    pages.reserveCapacity(pageCount)
    for _ in 0..<pageCount { pages.append(try PageReference(unchecked: &reader)) }
    contents = .pages(pages)
  }

  /// Checks a segment of a record at `limit`.
  package func check(before limit: UInt64) throws(FormatFault) {
    guard rowCount <= 1 << 48, byteCount <= limit else {
      throw FormatFault(
        "A segment gives \(rowCount) rows in \(byteCount) bytes, which is not possible.")
    }
    switch contents {
    case .entries(let entries):
      for entry in entries { try entry.check(before: limit) }
      try entries.checkOrder()
      try checkValues(of: entries, besides: 0)
    case .pages(let pages):
      for page in pages {
        guard page.section.liesInPlace(before: limit), page.hasPossibleCount else {
          throw FormatFault(
            "A page of \(page.section.byteCount) bytes at \(page.section.offset) can't have "
              + "\(page.entryCount) entries.")
        }
      }
      for index in pages.indices.dropFirst() where pages[index - 1].first >= pages[index].first {
        throw FormatFault("The pages of a segment are not in order.")
      }
    }
  }
}

extension SegmentRecord {
  /// Checks that the outside values of the given entries, together with `others` more bytes, do not exceed the size of
  /// the segment. Otherwise a file could refer to the same bytes again and again.
  package func checkValues(
    of entries: [BlockEntry], besides others: UInt64
  ) throws(FormatFault) {
    let sum = others.addingReportingOverflow(entries.outsideByteCount)
    guard !sum.overflow, sum.partialValue <= byteCount else {
      throw FormatFault(
        "The values outside of a segment's blocks have more bytes than the segment gives.")
    }
  }
}

extension SegmentRecord.PageReference {
  /// Reads the fields without checking them.
  fileprivate init(unchecked reader: inout ByteReader) throws(FormatFault) {
    try reader.require(BlockFile.pageReferenceByteCount)
    section = SectionReference(
      offset: reader.number(UInt64.self, at: 0), byteCount: reader.number(UInt32.self, at: 8),
      checksum: reader.number(UInt32.self, at: 12))
    first = BlockEntry.Place(
      entity: reader.number(UInt16.self, at: 24), run: reader.number(UInt8.self, at: 28),
      key: reader.number(UInt64.self, at: 16))
    entryCount = reader.number(UInt16.self, at: 26)
    // Offsets 29–31 are reserved. Readers ignore them (spec §4.5.3).
    try reader.skip(BlockFile.pageReferenceByteCount)
  }

  /// Whether the number of entries is possible, and agrees with the page's size.
  package var hasPossibleCount: Bool {
    entryCount >= 1 && Int(entryCount) <= BlockFile.pageEntryCount
      && Int(section.byteCount) == Int(entryCount) * BlockFile.entryByteCount
  }
}
