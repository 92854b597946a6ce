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
  ///   - number: The number of the newest commit that a manifest tells to be durable, in a document.
  /// - Throws: `StoreError` with code `damaged` if the file had a newer commit than the one that
  ///   can be read (spec §4.3.3).
  func acknowledgedCommit(
    before end: Int, slots: AcknowledgementSlots? = nil, counting number: Int64? = nil
  ) throws -> (Trailer, CommitRecord) {
    let slots = try slots ?? readSlots()
    let (newest, damage) = try judgedCommit(before: end, slots, counting: number)
    guard damage != nil else { return newest }
    // Another process may have saved, or removed a failed save, since `end` was read. Only a fault that a second check
    // also finds is damage.
    let now = try reading { try file.byteCount() }
    let again = try judgedCommit(before: now, readSlots(), counting: number)
    if let damage = again.damage { throw damage }
    return again.newest
  }

  /// Returns the newest commit that stands, and the error for a damaged commit behind it; `nil` if there is none.
  ///
  /// - Parameter number: The number of the newest commit that a manifest tells to be durable, in a document.
  func judgedCommit(
    before end: Int, _ slots: AcknowledgementSlots, counting number: Int64? = nil
  ) throws -> (newest: (Trailer, CommitRecord), damage: StoreError?) {
    try searching(before: end) { search in
      let found = try search.standing(slots, counting: number)
      let newest = try checked(found, search)
      guard let damage = try search.damages(behind: found!, slots).first else {
        return (newest, nil)
      }
      return (
        newest,
        StoreError(
          .damaged,
          "\(damage.isAcknowledged ? "The last" : "A") save is damaged: \(damage.fault) The newest "
            + "commit that can be read is \(newest.1.number).", path: path)
      )
    }
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
      while true {
        high = min(high, file.endOfStoredBytes(before: high + BlockFile.trailerByteCount))
        guard high >= start else { return nil }
        let low = max(BlockFile.align(start), (high - window) & ~7)
        guard low <= high else { return nil }
        let bytes = try file.read(byteCount: high + BlockFile.trailerByteCount - low, at: low)
        for place in stride(from: (high - low) & ~7, through: 0, by: -8)
        where Trailer.isLikely(bytes[place...], at: UInt64(low + place), salt: header.salt) {
          return low + place
        }
        high = low - 8
      }
    }
  }
}
