import Checksums
import DurableFiles

/// The block file's constants (spec §4).
package enum BlockFile {
  /// `QRBLOCKS`.
  package static let magic = Array("QRBLOCKS".utf8)
  package static let majorVersion: UInt16 = 1
  package static let minorVersion: UInt16 = 1
  package static let headerByteCount = 64
  package static let trailerByteCount = 48
  package static let entryByteCount = 56
  package static let pageReferenceByteCount = 32
  /// The most entries a page has, and the most that a record holds without pages.
  package static let pageEntryCount = 64
  package static let inlineEntryCount = 16
  /// Segments of fewer rows have no index entries: sorting them when asked costs less.
  package static let leastIndexedRowCount = 1024
  /// Commits with more bytes are synced before their trailer is written (spec §4.3.4).
  package static let unsettledByteCount = 256 * 1024
  /// The largest record, and the largest section of another kind.
  package static let maximumRecordByteCount = 16 << 20
  package static let maximumSectionByteCount = 64 << 20

  /// After so many trailers that end no whole commit a reader gives up (spec §4.3.3).
  package static let mostBrokenCommits = 64
  /// Blocks of fewer bytes are not compressed.
  package static let leastCompressedByteCount = 1024

  /// The highest number of a commit, so that there is always one behind it (spec §4.8).
  package static let highestCommitNumber: Int64 = 1 << 62

  package static func align(_ byteCount: Int) -> Int { (byteCount + 7) & ~7 }

  /// The checksum of a structure whose last four bytes are the checksum itself.
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
}
