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
  ///   - known: The trailer of a commit that an earlier call has returned.
  /// - Throws: `StoreError` with code `damaged` if the file had a newer commit than the one that
  ///   can be read (spec §4.3.3).
  func acknowledgedCommit(
    before end: Int, slots: AcknowledgementSlots? = nil, counting number: Int64? = nil,
    after known: Trailer? = nil
  ) throws -> (Trailer, CommitRecord) {
    let slots = try slots ?? readSlots()
    let (newest, damage) = try judgedCommit(before: end, slots, counting: number, after: known)
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
  /// - Parameters:
  ///   - number: The number of the newest commit that a manifest tells to be durable, in a document.
  ///   - known: The trailer of a commit that an earlier call has returned.
  func judgedCommit(
    before end: Int, _ slots: AcknowledgementSlots, counting number: Int64? = nil,
    after known: Trailer? = nil
  ) throws -> (newest: (Trailer, CommitRecord), damage: StoreError?) {
    try searching(before: end) { search in
      let found = try search.standing(slots, counting: number, after: known)
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

  /// Records a commit as acknowledged in its trailer (spec §4.3.9), and in the header if the file is longer than before.
  ///
  /// The commit is durable already, so an error here does not make the save fail. The next sync makes the
  /// acknowledgement durable.
  func acknowledge(_ trailer: Trailer, isLengthened: Bool) {
    let place = Int(trailer.offset) + Acknowledgement.offset
    let bytes = Acknowledgement.bytes(ofTrailerAt: trailer.offset, salt: header.salt)
    let zeros = [UInt8](repeating: 0, count: bytes.count)
    write(bytes, insteadOf: zeros, at: place)
    if isLengthened, let byteCount = try? file.byteCount() {
      name(trailer, fileByteCount: byteCount)
    }
  }

  /// Names a commit and the size of the file in a slot of the header (spec §4.2.4).
  ///
  /// - Returns: Whether the slot is written.
  @discardableResult
  func name(_ trailer: Trailer, fileByteCount: Int) -> Bool {
    guard fileByteCount <= AcknowledgementSlots.highestOffset,
      let header = try? file.read(byteCount: BlockFile.headerByteCount, at: 0)
    else { return false }
    let salt = self.header.salt
    let place = AcknowledgementSlots(inHeader: header, salt: salt).offsetOfNext
    let name = AcknowledgementSlots.Name(
      trailer: trailer.offset, fileByteCount: UInt64(fileByteCount))
    let slot = name.bytes(salt: salt)
    return write(slot, insteadOf: Array(header[place..<place + slot.count]), at: place)
  }

  /// Writes bytes that tell of a commit. A write that fails may leave half of them, which a reader would take for damage.
  /// So they are written again; if that fails too, the file gets its former bytes back.
  ///
  /// - Returns: Whether the file has the new bytes.
  @discardableResult
  private func write(_ bytes: [UInt8], insteadOf former: [UInt8], at place: Int) -> Bool {
    for _ in 0..<2 where (try? file.write(bytes, at: place)) != nil { return true }
    for _ in 0..<2 where (try? file.write(former, at: place)) != nil { return false }
    return false
  }

  /// Returns the first bytes behind an offset: 8, or none if the file ends before.
  func firstBytes(behind offset: UInt64, fileByteCount: Int) throws -> [UInt8] {
    fileByteCount >= Int(offset) + 8 ? try file.read(byteCount: 8, at: Int(offset)) : []
  }
}
