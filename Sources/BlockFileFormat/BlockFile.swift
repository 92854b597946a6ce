import Checksums
import DurableFiles
package import Rows

/// The constants of block files (spec §4).
package enum BlockFile {
  /// The first bytes of every block file.
  package static let magic = Array("QRBLOCKS".utf8)
  package static let majorVersion: UInt16 = 1
  package static let minorVersion: UInt16 = 0
  package static let headerByteCount = 80
  /// The largest number of bytes of a header with its features.
  package static let mostHeaderByteCount = 4096
  package static let trailerByteCount = 48
  package static let entryByteCount = 56
  package static let pageReferenceByteCount = 32
  /// The largest number of entries in a page, and in a record without pages.
  package static let pageEntryCount = 64
  package static let inlineEntryCount = 16
  /// The least number of rows of a segment with index entries. Sorting fewer rows on demand costs less.
  package static let leastIndexedRowCount = 1024
  /// The largest number of bytes of a commit with a single sync. Larger commits are synced before their trailer is
  /// written (spec §4.3.4).
  package static let unsettledByteCount = 256 * 1024
  /// The largest size of a record, and of a section of another kind.
  package static let maximumRecordByteCount = 16 << 20
  package static let maximumSectionByteCount = 64 << 20

  /// The number of trailers without a whole commit after which a reader stops searching (spec §4.3.3).
  package static let mostBrokenCommits = 64
  /// The threshold of compression: a block with fewer bytes is written uncompressed.
  package static let leastCompressedByteCount = 1024

  /// The highest number of a commit, so that a following number always exists (spec §4.8).
  package static let highestCommitNumber = RowVersion.highest

  package static func align(_ byteCount: Int) -> Int { (byteCount + 7) & ~7 }

  /// Appends the checksum of the bytes written so far, as the last four bytes of a structure.
  package static func seal(_ writer: inout ByteWriter) {
    writer.append(writer.bytes.checksum)
  }

  package static func isSealed(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 4 else { return false }
    let sum = CRC32C.checksum(of: bytes.rawSpan.extracting(0..<bytes.count - 4))
    return bytes.suffix(4).elementsEqual((0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) })
  }
}

extension [UInt8] {
  /// The checksum of all bytes.
  package var checksum: UInt32 { CRC32C.checksum(of: rawSpan) }

  /// Returns the number of the bit whose change gives the bytes a checksum (``CRC32C/wrongBit(in:expecting:)``).
  package func wrongBit(expecting checksum: UInt32) -> Int? {
    CRC32C.wrongBit(in: rawSpan, expecting: checksum)
  }
}
