import BlockFileFormat
import StoreInterface

/// The bytes behind the last whole commit of a file.
struct BehindNewest {
  /// Commits with a trailer that are not whole, the newest first.
  var broken: [(trailer: Trailer, fault: String)] = []
}

extension BlockFileCheck {
  /// Returns the commit that the file shows: the last whole commit, or the commit that counts; `nil` if there is
  /// none.
  func shownCommit(_ header: FileHeader) throws -> FoundCommit? {
    var behind = BehindNewest()
    guard let counting else {
      let newest = try StandingCommit(self, header).find(&behind)
      try note(behind, newest, header)
      return newest
    }
    let newest = try newestCommit(header, before: byteCount, &behind)
    let before = findings.errorCount
    guard let newest, let found = try countedCommit(counting.number, from: newest, header)
    else {
      try note(behind, newest, header)
      if findings.errorCount == before, findings.counts[.headerChecksum] == nil {
        findings.add(
          .countedCommit, Place(),
          "The file does not contain commit \(counting.number)"
            + (newest?.record.map { "; its newest commit is \($0.number)." } ?? "."))
      }
      return nil
    }
    // In a log the last commits count without the manifest, so a damaged one must not be passed over.
    if counting.isLog, try noteDamage(behind, newest, header) { return found }
    // Bytes behind the commit belong to interrupted saves, unless they are a commit with the same number or a lower
    // one.
    behind.broken.removeAll { one in
      (try? record(of: one.trailer)).flatMap { $0?.number } ?? .max > counting.number
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

  /// Returns the commit with the given number, found backwards from the last whole commit (spec §7.4.4); `nil` if
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
      if let fault = try faultOfWhole(before.trailer) {
        findings.add(.commitChecksum, Place("trailer", at: before.trailer.offset), fault)
        return nil
      }
      commit = before
    }
    return commit.record?.number == number ? commit : nil
  }

  /// Reports the bytes behind the newest whole commit (spec §4.3.3): a damaged commit, or a save that a crash cut
  /// off.
  private func note(
    _ behind: BehindNewest, _ newest: FoundCommit?, _ header: FileHeader
  ) throws {
    guard let newest else { return noteBroken(behind) }
    let end = newest.trailer.end
    guard try !noteDamage(behind, newest, header), byteCount > Int(end) else { return }
    findings.add(
      .strayBytes, Place("bytes", at: end),
      "\(byteCount - Int(end)) bytes come after the last whole commit. A crash interrupted a save, "
        + "and the save was never reported as successful.")
  }

  /// Reports a damaged commit behind the newest whole one.
  ///
  /// - Returns: Whether there is one.
  private func noteDamage(
    _ behind: BehindNewest, _ newest: FoundCommit, _ header: FileHeader
  ) throws -> Bool {
    let end = newest.trailer.end
    if let offset = header.slots.newestTrailer, offset >= end {
      let fault = faultOfCommit(endingAt: offset, behind)
      findings.add(.acknowledgedCommit, Place("trailer", at: offset), fault)
      return true
    }
    if header.slots.areSound { return false }
    noteBroken(behind)
    guard behind.broken.isEmpty else { return true }
    guard let offset = try likelyTrailer(from: end, header) else { return false }
    findings.add(
      .brokenLastCommit, Place("trailer", at: offset), "The trailer does not match its checksum.")
    return true
  }

  private func noteBroken(_ behind: BehindNewest) {
    for (trailer, fault) in behind.broken {
      findings.add(.brokenLastCommit, Place("trailer", at: trailer.offset), fault)
    }
  }

  /// Returns the reason why a commit that a slot names is not whole.
  private func faultOfCommit(endingAt offset: UInt64, _ behind: BehindNewest) -> String {
    if let broken = behind.broken.first(where: { $0.trailer.offset == offset }) {
      return broken.fault
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
    while low + UInt64(BlockFile.trailerByteCount) <= UInt64(byteCount) {
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
    while high > BlockFile.headerByteCount {
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
    try? CommitRecord.unchecked(bytes(of: trailer.record), at: trailer.record.offset).record
  }

  /// Returns the bytes of a section that lies in the file.
  func bytes(of section: SectionReference) throws -> [UInt8] {
    try bytes(section.offset..<section.offset + UInt64(section.byteCount))
  }
}
