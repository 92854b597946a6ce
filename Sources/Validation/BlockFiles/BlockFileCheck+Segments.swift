import BlockFileFormat
import Rows
import StoreInterface

extension BlockFileCheck {
  /// Checks the segments of every commit, and records their blocks.
  func checkSegments() throws {
    for commit in commits {
      guard let record = commit.record else { continue }
      for (index, segment) in record.segments.enumerated() {
        try check(segment, at: index, of: record, before: commit.trailer.record.offset)
      }
    }
  }

  /// Checks a segment of a commit (spec §4.5). The segment's own fields are checked once, and its relation to the
  /// commit each time.
  private func check(
    _ segment: SegmentRecord, at index: Int, of record: CommitRecord, before limit: UInt64
  ) throws {
    let place = Place("segment \(index) of the record", at: limit, commit: record.number)
    let summary: SegmentSummary
    if let known = segments[segment] {
      summary = known
    } else {
      summary = try check(segment, place, before: limit, commit: record.number)
      segments[segment] = summary
    }
    if index == 0, !summary.hasOnlyPuts {
      findings.add(
        .lowestSegment, place, "The segment has changes or removals, but no segment is beneath it.")
    }
    if summary.end > limit, segments[segment] != nil, summary.isSound {
      findings.add(
        .blockPlace, place,
        "A block of the segment ends at \(summary.end), after the start of the record.")
    }
    if summary.highestVersion > record.number {
      findings.add(
        .rowVersion, place,
        "The segment has rows with the version \(summary.highestVersion), which is above the commit's number."
      )
    }
  }

  /// Checks the fields of a segment against its blocks.
  private func check(
    _ segment: SegmentRecord, _ place: Place, before limit: UInt64, commit: Int64
  ) throws -> SegmentSummary {
    var summary = SegmentSummary()
    switch segment.contents {
    case .entries(let entries):
      if entries.count > BlockFile.inlineEntryCount {
        findings.add(
          .inlineEntries, place,
          "The segment lists its \(entries.count) blocks in the record itself.")
      }
      summary = check(entries, place, before: limit, commit: commit)
    case .pages(let pages):
      var pageBytes: UInt64 = 0
      for page in pages {
        pageBytes += UInt64(page.section.byteCount)
        let found = try check(page, place, before: limit, commit: commit)
        if let last = summary.last, let first = found.first, summary.isSound, found.isSound,
          !last.precedes(first)
        {
          findings.add(
            .entryOrder, place,
            "The page at \(page.section.offset) begins with a block that must come before this page."
          )
        }
        summary.add(found)
      }
      summary.byteCount &+= pageBytes
    }
    if summary.isSound, summary.rowCount != segment.rowCount {
      findings.add(
        .segmentRowCount, place,
        "The segment gives \(segment.rowCount) rows, but its blocks have \(summary.rowCount).")
    }
    if summary.isSound, summary.byteCount != segment.byteCount {
      findings.add(
        .segmentByteCount, place,
        "The segment gives \(segment.byteCount) bytes, but its blocks and pages have "
          + "\(summary.byteCount).")
    }
    return summary
  }

  /// Checks a page of entries. The contents are checked once, even if several segments share the page.
  private func check(
    _ page: SegmentRecord.PageReference, _ place: Place, before limit: UInt64, commit: Int64
  ) throws -> PageSummary {
    let section = page.section
    var unsound = PageSummary()
    unsound.isSound = false
    guard section.liesInPlace(before: limit) else {
      findings.add(
        .sectionPlace, place,
        "The page of \(section.byteCount) bytes at \(section.offset) is not between the header and the record."
      )
      return unsound
    }
    parts.add(.page, section, commit: commit)
    let pagePlace = Place("page", at: section.offset, commit: commit)
    guard page.hasPossibleCount else {
      findings.add(
        .pageCount, pagePlace,
        "The page of \(section.byteCount) bytes can't have \(page.entryCount) entries.")
      return unsound
    }
    let summary: PageSummary
    if let known = pages[section] {
      summary = known
    } else {
      summary = try read(page, pagePlace, before: limit, commit: commit) ?? unsound
      pages[section] = summary
    }
    if summary.isSound, let first = summary.first, first.place != page.first {
      findings.add(
        .pageFirst, pagePlace,
        "The page begins with key \(first.minimumKey) of entity \(first.entity), but its reference "
          + "gives key \(page.first.key) of entity \(page.first.entity).")
    }
    return summary
  }

  private func read(
    _ page: SegmentRecord.PageReference, _ place: Place, before limit: UInt64, commit: Int64
  ) throws -> PageSummary? {
    // Sound pages do not overlap, so all of them together are at most as large as the file.
    pageByteCount += Int(page.section.byteCount)
    guard pageByteCount <= byteCount else { return nil }
    let bytes = try bytes(of: page.section)
    guard bytes.checksum == page.section.checksum else {
      findings.add(
        .sectionChecksum, place,
        "The stored checksum \(hex(page.section.checksum)) differs from the computed "
          + "\(hex(bytes.checksum)).")
      return nil
    }
    var reader = ByteReader(bytes, at: page.section.offset)
    var entries: [BlockEntry] = []
    for _ in 0..<page.entryCount {
      guard let entry = try? BlockEntry(unchecked: &reader) else { return nil }
      entries.append(entry)
    }
    return check(entries, place, before: limit, commit: commit)
  }

  /// Checks entries one by one and against each other, and records their blocks.
  private func check(
    _ entries: [BlockEntry], _ place: Place, before limit: UInt64, commit: Int64
  ) -> PageSummary {
    var summary = PageSummary()
    for entry in entries {
      if check(entry, before: limit, commit: commit) {
        parts.add(entry, commit: commit)
      } else {
        summary.isSound = false
      }
      if let last = summary.last, summary.isSound, !last.precedes(entry) {
        findings.add(
          .entryOrder, Place("block", at: entry.offset, commit: commit),
          "The block begins with key \(entry.minimumKey), but it comes after a block that ends "
            + "with key \(last.maximumKey) of entity \(last.entity) in run \(last.run.rawValue).")
      }
      summary.add(entry, isIndex: indexNumbers.contains(entry.entity))
    }
    return summary
  }

  /// Checks an entry on its own (spec §4.5.2).
  ///
  /// - Returns: Whether the block can be read.
  private func check(_ entry: BlockEntry, before limit: UInt64, commit: Int64) -> Bool {
    let place = Place("block", at: entry.offset, commit: commit)
    let before = findings.errorCount
    guard entry.liesInPlace(before: limit) else {
      findings.add(
        .blockPlace, place,
        "The block's \(entry.byteCount) bytes are not between the header and the record at \(limit)."
      )
      return false
    }
    if !entry.run.isKnown {
      findings.add(.knownRun, place, "The block has the unknown run \(entry.run.rawValue).")
    }
    if !entry.codec.isKnown {
      findings.add(.knownCodec, place, "The block has the unknown codec \(entry.codec.rawValue).")
    } else if !entry.hasPossibleByteCount {
      findings.add(
        .blockByteCount, place,
        "The \(entry.byteCount) stored bytes can't be a block of \(entry.blockByteCount) bytes.")
    }
    if entry.outsideByteCount > entry.offset {
      findings.add(
        .outsideByteCount, place,
        "The file has no room for values of \(entry.outsideByteCount) bytes before the block.")
    }
    if !entry.hasPossibleRows {
      findings.add(
        .entryRows, place,
        "The entry gives \(entry.rowCount) rows of entity \(entry.entity), from key "
          + "\(entry.minimumKey) to \(entry.maximumKey).")
    }
    if entry.version < 0 {
      findings.add(.rowVersion, place, "The rows of the block have the version \(entry.version).")
    }
    return findings.errorCount == before
  }
}
