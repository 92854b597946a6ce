import Rows

/// The last 8 bytes of a trailer, which a writer writes after the sync of the commit (spec §4.3.9).
///
/// The acknowledgement lies in the page of the file that the next commit writes anyway, so a small save changes one page.
package enum Acknowledgement {
  package static let byteCount = 8
  package static let offset = BlockFile.trailerByteCount - byteCount
  private static let magic = Array("QACK".utf8)

  /// Returns the acknowledgement of the commit with the trailer at an offset.
  ///
  /// - Parameter salt: The salt of the header, so that no value of a store looks like an acknowledgement.
  package static func bytes(ofTrailerAt offset: UInt64, salt: UInt64) -> [UInt8] {
    var checked = ByteWriter()
    checked.append(salt)
    checked.append(offset)
    checked.append(magic)
    var writer = ByteWriter()
    writer.append(magic)
    writer.append(checked.bytes.checksum)
    return writer.bytes
  }

  /// Returns whether the bytes of a trailer at an offset end with its acknowledgement. The rest of the trailer may be
  /// damaged.
  package static func ends(
    _ trailer: ArraySlice<UInt8>, at offset: UInt64, salt: UInt64
  ) -> Bool {
    let start = trailer.startIndex + self.offset
    // A search looks at many places, and few of them have the first byte.
    guard trailer.endIndex - start >= byteCount, trailer[start] == magic[0] else { return false }
    return trailer[start..<start + byteCount].elementsEqual(bytes(ofTrailerAt: offset, salt: salt))
  }
}
