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

  /// Returns the newest commit that stands (spec §4.3.8), or `nil` if there is none. Also returns an error if a damaged
  /// commit lies behind it.
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
      let slots = AcknowledgementSlots(
        inHeader: try file.read(byteCount: BlockFile.headerByteCount, at: 0), salt: header.salt)
      if let fault = slots.fault { throw fault }
      return slots
    }
  }

  /// Records a commit as acknowledged in the header (spec §4.2.4).
  ///
  /// The commit is durable already, so an error while writing the slot does not make the save fail; the slots are out
  /// of date then. The next sync makes the slot durable.
  func acknowledge(_ trailer: Trailer) {
    guard trailer.offset <= AcknowledgementSlots.highestOffset,
      let header = try? file.read(byteCount: BlockFile.headerByteCount, at: 0)
    else { return }
    let salt = self.header.salt
    let place = AcknowledgementSlots(inHeader: header, salt: salt).offsetOfNext
    let slot = AcknowledgementSlots.bytes(namingTrailerAt: trailer.offset, salt: salt)
    let former = Array(header[place..<place + slot.count])
    // A write that fails may leave half a slot, which a reader would take for damage. So the slot is written again; if
    // that fails too, it gets its former bytes back.
    for bytes in [slot, slot, former, former] {
      if (try? file.write(bytes, at: place)) != nil { return }
    }
  }
}
