import BlockFileFormat

extension BlockFileCheck {
  /// Looks for the last whole commit from the end of the file on backwards (spec §4.3.3), and says what
  /// lies behind it.
  func newestCommit(_ header: FileHeader) throws -> FoundCommit? {
    let window = 64 * 1024
    var high = byteCount
    var brokenCount = 0
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
          brokenCount += 1
          findings.add(.brokenLastCommit, Place("trailer", at: trailer.offset), fault)
          if brokenCount == BlockFile.mostBrokenCommits {
            findings.add(.wholeCommit, Place(), "None of the last \(brokenCount) commits is whole.")
            return nil
          }
          continue
        }
        let stray = byteCount - Int(trailer.end)
        if stray > 0, brokenCount == 0 {
          findings.add(
            .strayBytes, Place("bytes", at: trailer.end),
            "\(stray) bytes lie behind the last whole commit: what a save left that did not come to "
              + "its end, or a commit that was damaged since.")
        }
        return FoundCommit(trailer: trailer, record: try record(of: trailer))
      }
      high = low
    }
    // Without a header that is known to be right, nobody can tell what is a trailer.
    if findings.counts[.headerChecksum] == nil, brokenCount == 0 {
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
