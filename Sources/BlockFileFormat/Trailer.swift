import Rows

/// The last bytes of a commit. Only a commit with a valid trailer is whole (spec §4.3).
package struct Trailer: Hashable {
  package static let magic: UInt32 = 0x444E_4551
  package static let magicBytes = Array("QEND".utf8)

  /// Whether the rest of the commit was durable before the trailer was written.
  package var isSettled: Bool
  package var salt: UInt64
  /// The offset of the trailer itself.
  package var offset: UInt64
  package var recordByteCount: UInt32
  package var recordChecksum: UInt32
  /// The checksum of the commit's bytes up to the trailer; 0 if the commit is settled.
  package var commitChecksum: UInt32

  /// The record of the commit, which lies directly before the trailer.
  package var record: SectionReference {
    let byteCount = min(UInt64(recordByteCount), offset)
    return SectionReference(
      offset: (offset - byteCount) & ~7, byteCount: recordByteCount, checksum: recordChecksum)
  }

  /// The offset at which the commit ends.
  package var end: UInt64 { offset + UInt64(BlockFile.trailerByteCount) }

  /// Returns the offset behind this commit, the last one that counts, and everything else in the file (spec §4.3.5). Behind
  /// the commit there may be the remains of a save, or commits that do not count, which may end with zeros instead of an
  /// acknowledgement.
  ///
  /// - Parameter used: The offset behind the last byte of the file that is not zero.
  package func startOfNext(used: Int) -> Int {
    used > Int(end) ? BlockFile.align(used) + Acknowledgement.byteCount : Int(end)
  }

  /// The bytes of the trailer, with zeros instead of an acknowledgement.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.append(Trailer.magic)
    writer.append(UInt32(isSettled ? 1 : 0))
    writer.append(salt)
    writer.append(offset)
    writer.append(recordByteCount)
    writer.append(recordChecksum)
    writer.append(commitChecksum)
    BlockFile.seal(&writer)
    writer.append(zeros: Acknowledgement.byteCount)
    return writer.bytes
  }

  /// - Parameter record: The record of the commit, which ends at the offset, or fewer than 8 bytes before it.
  package init(
    isSettled: Bool, salt: UInt64, offset: UInt64, record: SectionReference, commitChecksum: UInt32
  ) {
    self.isSettled = isSettled
    self.salt = salt
    self.offset = offset
    recordByteCount = record.byteCount
    recordChecksum = record.checksum
    self.commitChecksum = commitChecksum
  }

  /// Parses the trailer at `offset`; `nil` if these bytes are not a valid trailer.
  package init?(_ bytes: some Collection<UInt8>, at offset: UInt64, salt: UInt64) {
    let bytes = Array(bytes)
    guard bytes.count == BlockFile.trailerByteCount,
      BlockFile.isSealed(Array(bytes.prefix(Acknowledgement.offset)))
    else { return nil }
    var reader = ByteReader(bytes, at: offset)
    do {
      guard try reader.next(UInt32.self) == Trailer.magic else { return nil }
      let flags = try reader.next(UInt32.self)
      guard flags <= 1 else { return nil }
      isSettled = flags == 1
      self.salt = try reader.next(UInt64.self)
      self.offset = try reader.next(UInt64.self)
      recordByteCount = try reader.next(UInt32.self)
      recordChecksum = try reader.next(UInt32.self)
      commitChecksum = try reader.next(UInt32.self)
    } catch {
      return nil
    }
    guard self.salt == salt, self.offset == offset,
      recordByteCount <= BlockFile.maximumRecordByteCount, record.liesInPlace(before: offset)
    else { return nil }
  }

  /// Returns whether bytes were probably once the trailer at `offset`: at least two of the magic, the salt and the
  /// offset are right (spec §4.3.3). Damage may have changed the rest since.
  package static func isLikely(_ bytes: ArraySlice<UInt8>, at offset: UInt64, salt: UInt64) -> Bool
  {
    guard bytes.count >= BlockFile.trailerByteCount else { return false }
    func matches<T: FixedWidthInteger>(_ value: T, at place: Int) -> Bool {
      (0..<T.bitWidth / 8).allSatisfy {
        bytes[bytes.startIndex + place + $0] == UInt8(truncatingIfNeeded: value >> T($0 * 8))
      }
    }
    let isSalted = matches(salt, at: 8)
    let isPlaced = matches(offset, at: 16)
    guard isSalted || isPlaced else { return false }
    return isSalted && isPlaced || matches(magic, at: 0)
  }
}
