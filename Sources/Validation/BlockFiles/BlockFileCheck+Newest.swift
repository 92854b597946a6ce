import BlockFileFormat
import DurableFiles
import StoreInterface

extension BlockFileCheck {
  /// Returns the search for the commit that the file shows.
  func search(_ header: FileHeader) -> CommitSearch {
    CommitSearch(salt: header.salt, byteCount: byteCount) { [file] range in
      try file.read(byteCount: range.count, at: Int(range.lowerBound))
    }
  }

  /// Returns the commit that the file shows: the newest commit that stands, or the commit that counts; `nil` if there is
  /// none.
  func shownCommit(_ header: FileHeader) throws -> FoundCommit? {
    var search = search(header)
    // Outside of the log, the manifest tells which commit must be there, so the slots are not needed (spec §7.4.11).
    let usesSlots = counting.map(\.isLog) ?? true
    let newest = try search.standing(
      usesSlots ? header.slots : AcknowledgementSlots(), counting: counting?.number)
    guard let newest else {
      noteBroken(search)
      return nil
    }
    let before = findings.errorCount
    if usesSlots { try noteDamage(search, newest, header) }
    guard let counting else {
      if findings.errorCount == before { noteTail(behind: newest, header) }
      return newest
    }
    guard let found = try countedCommit(counting.number, from: newest, header) else {
      if findings.errorCount == before { try noteDamage(search, newest, header) }
      if findings.errorCount == before, findings.counts[.headerChecksum] == nil {
        findings.add(
          .countedCommit, Place(),
          "The file does not contain commit \(counting.number)"
            + (newest.record.map { "; its newest commit is \($0.number)." } ?? "."))
      }
      return nil
    }
    // In a log the last commits count without the manifest, so a damaged one must not be passed over.
    if counting.isLog, try noteDamage(behind, newest, header) { return found }
    // Bytes behind the commit belong to interrupted saves, unless they are a commit with the same number or a lower
    // one.
    try behind.broken.removeAll { one in
      try record(of: one.trailer)?.number ?? .max > counting.number
    }
    noteBroken(behind)
    if behind.broken.isEmpty, byteCount > Int(found.trailer.end) {
      findings.add(
        .unconfirmed, Place("bytes", at: found.trailer.end),
        "\(byteCount - Int(found.trailer.end)) bytes come after the commit. An interrupted save "
          + "left them.")
    }
    return found
  }

  /// Returns the commit with the given number, found backwards from the newest commit that stands (spec §7.4.4); `nil` if
  /// there is none.
  private func countedCommit(
    _ number: Int64, from newest: FoundCommit, _ header: FileHeader
  ) throws -> FoundCommit? {
    var commit = newest
    while let record = commit.record, record.number > number, record.previousTrailer > 0 {
      facts.unconfirmed.append(record.number)
      let place = Place("record", at: commit.trailer.record.offset, commit: record.number)
      guard record.startsInPlace(at: commit.trailer.record.offset) else {
        findings.add(.commitStart, place, "The commit's start, \(record.start), is not valid.")
        return nil
      }
      guard let before = try commitBefore(record, commit.trailer, header) else { return nil }
      if case .failure(let fault) = try search(header).commit(endingWith: before.trailer) {
        findings.add(
          .commitChecksum, Place("trailer", at: before.trailer.offset), fault.description)
        return nil
      }
      commit = before
    }
    return commit.record?.number == number ? commit : nil
  }

  /// Reports the damaged commits behind the newest commit that stands (spec §4.3.3).
  private func noteDamage(
    _ search: CommitSearch, _ newest: FoundCommit, _ header: FileHeader
  ) throws {
    for damage in try search.damages(behind: newest, header.slots) {
      findings.add(
        damage.isAcknowledged ? .acknowledgedCommit : .brokenLastCommit,
        Place("trailer", at: damage.offset), damage.fault)
    }
  }

  /// Reports what has no fault, and what a person should know: the remains of a save that a crash cut off, and a last
  /// commit without a slot.
  private func noteTail(behind newest: FoundCommit, _ header: FileHeader) {
    let end = newest.trailer.end
    if byteCount > Int(end) {
      findings.add(
        .strayBytes, Place("bytes", at: end),
        "\(byteCount - Int(end)) bytes come after the last whole commit. A crash interrupted a save, "
          + "and the save was never reported as successful.")
    }
    if header.slots.areSound, newest.trailer.offset != header.slots.newestTrailer {
      findings.add(
        .unnamedCommit, Place("header", at: 0),
        "No slot refers to the last commit, which ends with the trailer at \(newest.trailer.offset). "
          + "Damage in it would look like a save that a crash interrupted. The next save writes a slot."
      )
    }
  }

  /// Reports the commits of a file in which no commit is whole.
  private func noteBroken(_ search: CommitSearch) {
    for (trailer, fault) in search.broken {
      findings.add(.brokenLastCommit, Place("trailer", at: trailer.offset), fault)
    }
    if search.hasGivenUp {
      findings.add(
        .wholeCommit, Place(), "None of the last \(search.broken.count) commits is whole.")
    } else if findings.counts[.headerChecksum] == nil, search.broken.isEmpty {
      // If the header is damaged, its salt may be wrong, so trailers can't be recognised.
      findings.add(.wholeCommit, Place(), "No trailer ends a whole commit.")
    }
    let end = offset + UInt64(BlockFile.trailerByteCount)
    return end > UInt64(byteCount)
      ? "The file ends at byte \(byteCount), but the commit ends at byte \(end)."
      : "The trailer does not match its checksum."
  }

  /// Returns the offset of bytes behind a commit that look like a former trailer; `nil` if there are none.
  private func likelyTrailer(from end: UInt64, _ header: FileHeader) throws -> UInt64? {
    let window = 64 * 1024
    var low = (end + 7) & ~7
    while let stored = file.startOfStoredBytes(from: Int(low)) {
      // The first bytes of a likely trailer may be zeros.
      low = max(low, UInt64(max(0, stored - BlockFile.trailerByteCount)) & ~7)
      guard low + UInt64(BlockFile.trailerByteCount) <= UInt64(byteCount) else { break }
      let end = min(UInt64(byteCount), low + UInt64(window + BlockFile.trailerByteCount))
      let bytes = try bytes(low..<end)
      for place in stride(from: 0, through: bytes.count - BlockFile.trailerByteCount, by: 8)
      where Trailer.isLikely(bytes[place...], at: low + UInt64(place), salt: header.salt) {
        return low + UInt64(place)
      }
      low += UInt64(window)
    }
    return nil
  }

  /// Checks that the slots name commits, once all commits are known.
  func checkSlots(_ header: FileHeader) {
    // If the walk through the commits ended early, the first commits are not known.
    guard let first = commits.last?.record, first.previousTrailer == 0,
      let newest = commits.first?.trailer.offset
    else { return }
    let offsets = Set(commits.map(\.trailer.offset))
    for (index, slot) in header.slots.slots.enumerated() {
      guard case .trailer(let offset) = slot, offset <= newest, !offsets.contains(offset) else {
        continue
      }
      findings.add(
        .slotCommit, Place("header", at: 0),
        "Slot \(index) refers to a trailer at \(offset), but no commit ends there.")
    }
  }

  /// Searches the last whole commit backwards from an offset (spec §4.3.3), and records the damaged commits behind it.
  func newestCommit(
    _ header: FileHeader, before limit: Int, _ behind: inout BehindNewest
  ) throws -> FoundCommit? {
    let window = 64 * 1024
    var high = limit
    while true {
      // No commit ends in bytes that were never written.
      high = file.endOfStoredBytes(before: high)
      guard high > BlockFile.headerByteCount else { break }
      let low = max(BlockFile.headerByteCount, (high - window) & ~7)
      // A trailer may begin in this window and end in the next one.
      let end = min(limit, high + BlockFile.trailerByteCount)
      let bytes = try bytes(UInt64(low)..<UInt64(end))
      for place in stride(
        from: (bytes.count - BlockFile.trailerByteCount) & ~7, through: 0, by: -8)
      where bytes[place...].starts(with: [0x51, 0x45, 0x4E, 0x44]) {
        let candidate = bytes[place..<place + BlockFile.trailerByteCount]
        guard let trailer = Trailer(candidate, at: UInt64(low + place), salt: header.salt) else {
          continue
        }
        if let fault = try faultOfWhole(trailer) {
          behind.broken.append((trailer, fault))
          if behind.broken.count == BlockFile.mostBrokenCommits {
            findings.add(
              .wholeCommit, Place(), "None of the last \(behind.broken.count) commits is whole.")
            return nil
          }
          continue
        }
        return FoundCommit(trailer: trailer, record: try record(of: trailer))
      }
      high = low
    }
    // If the header is damaged, its salt may be wrong, so trailers can't be recognised.
    if findings.counts[.headerChecksum] == nil, behind.broken.isEmpty {
      findings.add(.wholeCommit, Place(), "No trailer ends a whole commit.")
    }
    return nil
  }

  /// Returns the reason why a commit is not whole (spec §4.3.2); `nil` if the commit is whole.
  func faultOfWhole(_ trailer: Trailer) throws -> String? {
    let bytes = try bytes(of: trailer.record)
    guard bytes.checksum == trailer.record.checksum else {
      return "The commit's record at \(trailer.record.offset) does not match its checksum."
    }
    guard !trailer.isSettled, let start = try record(of: trailer)?.start else { return nil }
    return try faultOfBytes(trailer, from: start)
  }

  /// Returns the reason why the bytes of an unsettled commit do not match its trailer; `nil` if they match, or are
  /// too many to be checked.
  func faultOfBytes(_ trailer: Trailer, from start: UInt64) throws -> String? {
    guard start >= UInt64(BlockFile.headerByteCount), start <= trailer.offset,
      trailer.offset - start <= UInt64(BlockFile.unsettledByteCount)
    else { return nil }
    let computed = try bytes(start..<trailer.offset).checksum
    guard computed != trailer.commitChecksum else { return nil }
    return
      "The stored checksum \(hex(trailer.commitChecksum)) of the bytes from \(start) on differs "
      + "from the computed \(hex(computed))."
  }

  /// Returns the record that a trailer refers to; `nil` if the record can't be parsed.
  func record(of trailer: Trailer) throws -> CommitRecord? {
    let bytes = try bytes(of: trailer.record)
    return try? CommitRecord.unchecked(bytes, at: trailer.record.offset).record
  }

  /// Returns the bytes of a section that lies in the file.
  func bytes(of section: SectionReference) throws -> [UInt8] {
    try bytes(section.offset..<section.offset + UInt64(section.byteCount))
  }
}
