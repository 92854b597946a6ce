package import DurableFiles
import Rows

/// The first bytes and the size that a file would have if its last writer had closed it (spec §4.3.10).
///
/// A program saves into a tail of zeros, and removes the tail when it closes the file. A copy that is made meanwhile should
/// not have the tail, but its header must agree with its size.
package struct CompleteFile {
  /// The bytes of the header.
  package let header: [UInt8]
  /// The number of bytes without the tail.
  package let byteCount: Int

  /// Returns the number of first bytes that change when the last writer of a block file closes it; 0 for any other file.
  @Sendable package static func headerByteCount(_ file: DurableFile) -> Int {
    guard let size = try? file.byteCount(), size > BlockFile.headerByteCount,
      let first = try? file.read(byteCount: min(size, BlockFile.mostHeaderByteCount), at: 0),
      (try? FileHeader(first)) != nil
    else { return 0 }
    return BlockFile.headerByteCount
  }

  /// Looks at a file; `nil` if it ends with its last commit, or is not a sound block file.
  package init?(_ file: DurableFile) {
    guard let size = try? file.byteCount(), size > BlockFile.headerByteCount,
      let first = try? file.read(byteCount: min(size, BlockFile.mostHeaderByteCount), at: 0),
      let header = try? FileHeader(first), header.majorVersion == BlockFile.majorVersion,
      let last = try? file.endOfNonzeroBytes(before: size)
    else { return nil }
    var search = CommitSearch(file, salt: header.salt, byteCount: size)
    guard let newest = try? search.standing(header.slots), let slot = header.slots.newest else {
      return nil
    }
    byteCount = newest.trailer.startOfNext(used: last)
    guard byteCount < size, byteCount >= slot.trailer + UInt64(BlockFile.trailerByteCount) else {
      return nil
    }
    let isAcknowledged = search.isAcknowledged(newest, header.slots)
    let name = AcknowledgementSlots.Name(
      trailer: isAcknowledged ? max(newest.trailer.offset, slot.trailer) : slot.trailer,
      fileByteCount: UInt64(byteCount))
    var bytes = Array(first.prefix(BlockFile.headerByteCount))
    let place = header.slots.offsetOfNext
    bytes.replaceSubrange(
      place..<place + AcknowledgementSlots.slotByteCount, with: name.bytes(salt: header.salt))
    self.header = bytes
  }
}
