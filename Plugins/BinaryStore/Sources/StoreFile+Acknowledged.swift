import BlockFileFormat
import DurableFiles
import StoreInterface

extension StoreFile {
  /// Returns the newest commit that stands, and checks that no acknowledged commit behind it is damaged.
  ///
  /// A save that a crash cut off is skipped: no caller was told that it had succeeded.
  ///
  /// - Parameters:
  ///   - end: The length of the file.
  ///   - slots: The slots of the header; `nil` to read them from the file.
  /// - Throws: `StoreError` with code `damaged` if the file had a newer commit than the one that
  ///   can be read (spec §4.3.3).
  func acknowledgedCommit(
    before end: Int, slots: AcknowledgementSlots? = nil
  ) throws -> (Trailer, CommitRecord) {
    let slots = try slots ?? readSlots()
    let newest = try standingCommit(before: end, slots)
    guard try damage(behind: newest, before: end, slots) != nil else { return newest }
    // Another process may have saved, or removed a failed save, since `end` was read. Only a fault that a second check
    // also finds is damage.
    let slotsNow = try readSlots()
    let now = try reading { try file.byteCount() }
    let again = try standingCommit(before: now, slotsNow)
    if let damage = try damage(behind: again, before: now, slotsNow) { throw damage }
    return again
  }

  /// Returns the newest commit that stands: the commit is whole, and so is each commit before it that the same sync may
  /// have made durable (spec §4.3.8). A power cut may have kept the last of several such commits, but not the first.
  func standingCommit(
    before end: Int, _ slots: AcknowledgementSlots
  ) throws -> (Trailer, CommitRecord) {
    var newest = try newestCommit(before: end)
    var (trailer, record) = newest
    while !isSurelyDurable(trailer, slots), record.previousTrailer > 0 {
      let offset = Int(record.previousTrailer)
      guard
        UInt64(offset + BlockFile.trailerByteCount + BlockFile.unsettledByteCount) > newest.0.end
      else { break }
      let before = try reading {
        try commit(
          endingWith: file.read(byteCount: BlockFile.trailerByteCount, at: offset), at: offset)
      }
      if let before {
        (trailer, record) = before
      } else {
        newest = try newestCommit(before: offset)
        (trailer, record) = newest
      }
    }
    return newest
  }

  /// Whether all commits before a whole commit were durable before it was written, or it was acknowledged.
  private func isSurelyDurable(_ trailer: Trailer, _ slots: AcknowledgementSlots) -> Bool {
    trailer.isSettled || slots.newestTrailer.map { trailer.offset <= $0 } ?? false
  }

  /// Returns the error for a damaged commit behind the newest whole one; `nil` if there is none.
  func damage(
    behind newest: (Trailer, CommitRecord), before end: Int, _ slots: AcknowledgementSlots
  ) throws -> StoreError? {
    let found = "The newest commit that can be read is \(newest.1.number)."
    if let offset = slots.newestTrailer, offset > newest.0.offset {
      let fault = try fault(ofCommitEndingAt: offset, before: end)
      return StoreError(.damaged, "The last save is damaged: \(fault) \(found)", path: path)
    }
    // Sound slots show that only a save that was never acknowledged lies behind the newest commit.
    if slots.areSound { return nil }
    guard let offset = try likelyTrailer(from: Int(newest.0.end), to: end) else { return nil }
    let fault = try fault(ofCommitEndingAt: UInt64(offset), before: end)
    return StoreError(.damaged, "A save is damaged: \(fault) \(found)", path: path)
  }

  /// Reads the slots of the header as they are now.
  func readSlots() throws -> AcknowledgementSlots {
    try reading {
      AcknowledgementSlots(
        inHeader: try file.read(byteCount: BlockFile.headerByteCount, at: 0), salt: header.salt)
    }
  }

  /// Records a commit as acknowledged in the header (spec §4.2.4).
  ///
  /// The commit is durable already, so an error while writing the slot does not make the save fail; the slots are out
  /// of date then. The next sync makes the slot durable.
  func acknowledge(_ trailer: Trailer) {
    guard trailer.offset <= AcknowledgementSlots.highestOffset, let slots = try? readSlots() else {
      return
    }
    let slot = AcknowledgementSlots.bytes(namingTrailerAt: trailer.offset, salt: header.salt)
    try? file.write(slot, at: slots.offsetOfNext)
  }

  /// Returns a sentence with the reason why a commit that ends with a trailer at `offset` is not whole.
  private func fault(ofCommitEndingAt offset: UInt64, before end: Int) throws -> String {
    try reading {
      guard offset + UInt64(BlockFile.trailerByteCount) <= UInt64(end) else {
        return "the commit ends at byte \(offset + UInt64(BlockFile.trailerByteCount)), but the "
          + "file ends at byte \(end)."
      }
      let bytes = try file.read(byteCount: BlockFile.trailerByteCount, at: Int(offset))
      guard let trailer = Trailer(bytes, at: offset, salt: header.salt) else {
        return "the trailer at \(offset) does not match its checksum."
      }
      let section = trailer.record
      let record = try file.read(byteCount: Int(section.byteCount), at: Int(section.offset))
      guard record.checksum == section.checksum,
        let commit = try? CommitRecord(record, at: section.offset)
      else { return "the record at \(section.offset) does not match its checksum." }
      return "the \(offset - commit.start) bytes of commit \(commit.number), from \(commit.start) "
        + "on, do not match their checksum."
    }
  }

  /// Returns the offset of the last bytes between two offsets that look like a former trailer; `nil` if there are none.
  private func likelyTrailer(from start: Int, to end: Int) throws -> Int? {
    try reading {
      let window = 64 * 1024
      var high = end - BlockFile.trailerByteCount
      while high >= start {
        let low = max(BlockFile.align(start), (high - window) & ~7)
        guard low <= high else { return nil }
        let bytes = try file.read(byteCount: high + BlockFile.trailerByteCount - low, at: low)
        for place in stride(from: (high - low) & ~7, through: 0, by: -8)
        where Trailer.isLikely(bytes[place...], at: UInt64(low + place), salt: header.salt) {
          return low + place
        }
        high = low - 8
      }
      return nil
    }
  }
}
