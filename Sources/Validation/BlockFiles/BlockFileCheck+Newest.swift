import BlockFileFormat

/// What lies behind the last whole commit of a file.
struct BehindNewest {
  /// Commits that a trailer ends and that are not whole, the newest first.
  var broken: [(trailer: Trailer, fault: String)] = []
  /// Where other bytes begin.
  var strayOffset: UInt64?
}

extension BlockFileCheck {
  /// The commit that the file shows: the last whole one, or the one that counts; `nil` when it can't be found.
  func shownCommit(_ header: FileHeader) throws -> FoundCommit? {
    var behind = BehindNewest()
    let newest = try newestCommit(header, &behind)
    guard let counting else {
      note(behind)
      return newest
    }
    let before = findings.errorCount
    guard let newest, let found = try countedCommit(counting, from: newest, header) else {
      note(behind)
      if findings.errorCount == before, findings.counts[.headerChecksum] == nil {
        findings.add(
          .countedCommit, Place(),
          "There is no commit \(counting)"
            + (newest?.record.map { "; the newest is \($0.number)." } ?? "."))
      }
      return nil
    }
    // What lies behind it is of saves that came to no end, unless it is a commit of that very number.
    behind.broken.removeAll { one in
      (try? record(of: one.trailer)).flatMap { $0?.number } ?? .max > counting
    }
    behind.strayOffset = nil
    note(behind)
    if behind.broken.isEmpty, byteCount > Int(found.trailer.end) {
      findings.add(
        .unconfirmed, Place("bytes", at: found.trailer.end),
        "\(byteCount - Int(found.trailer.end)) bytes lie behind it, which a save left that did not come to "
          + "its end.")
    }
    return found
  }

  /// The commit of a number, from the last whole one on backwards (spec §7.4.4); `nil` when there is none.
  private func countedCommit(
    _ number: Int64, from newest: FoundCommit, _ header: FileHeader
  ) throws -> FoundCommit? {
    var commit = newest
    while let record = commit.record, record.number > number, record.previousTrailer > 0 {
      facts.unconfirmed.append(record.number)
      let place = Place("record", at: commit.trailer.record.offset, commit: record.number)
      guard record.startsInPlace(at: commit.trailer.record.offset) else {
        findings.add(.commitStart, place, "The commit says that it begins at \(record.start).")
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

  private func note(_ behind: BehindNewest) {
    for (trailer, fault) in behind.broken {
      findings.add(.brokenLastCommit, Place("trailer", at: trailer.offset), fault)
    }
    if let offset = behind.strayOffset {
      findings.add(
        .strayBytes, Place("bytes", at: offset),
        "\(byteCount - Int(offset)) bytes lie behind the last whole commit: what a save left that did not "
          + "come to its end, or a commit that was damaged since.")
    }
  }

  /// Looks for the last whole commit from the end of the file on backwards (spec §4.3.3), and for what
  /// lies behind it.
  private func newestCommit(
    _ header: FileHeader, _ behind: inout BehindNewest
  ) throws -> FoundCommit? {
    let window = 64 * 1024
    var high = byteCount
    while high > BlockFile.headerByteCount {
      let low = max(BlockFile.headerByteCount, (high - window) & ~7)
      // A trailer may begin in this window and end in the one behind it.
      let end = min(byteCount, high + BlockFile.trailerByteCount)
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
        if byteCount > Int(trailer.end), behind.broken.isEmpty {
          behind.strayOffset = trailer.end
        }
        return FoundCommit(trailer: trailer, record: try record(of: trailer))
      }
      high = low
    }
    // Without a header that is known to be right, nobody can tell what is a trailer.
    if findings.counts[.headerChecksum] == nil, behind.broken.isEmpty {
      findings.add(.wholeCommit, Place(), "No trailer ends a whole commit.")
    }
    return nil
  }

  /// Why a commit is not whole (spec §4.3.2); `nil` when it is.
  private func faultOfWhole(_ trailer: Trailer) throws -> String? {
    let bytes = try bytes(of: trailer.record)
    guard bytes.checksum == trailer.record.checksum else {
      return "Its record at \(trailer.record.offset) does not match its checksum."
    }
    guard !trailer.isSettled, let start = try record(of: trailer)?.start else { return nil }
    return try faultOfBytes(trailer, from: start)
  }

  /// Why the bytes of a commit that is not settled are not those that its trailer ends; `nil` when they
  /// are, or are too many to be looked at.
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

  /// The record that a trailer refers to; `nil` when it can't be parsed.
  func record(of trailer: Trailer) throws -> CommitRecord? {
    try? CommitRecord.unchecked(bytes(of: trailer.record), at: trailer.record.offset).record
  }

  /// The bytes of a section that lies in the file.
  func bytes(of section: SectionReference) throws -> [UInt8] {
    try bytes(section.offset..<section.offset + UInt64(section.byteCount))
  }
}
