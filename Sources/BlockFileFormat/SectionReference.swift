package import Rows

/// The place of a section in the file, with its checksum (spec §4.4.2).
package struct SectionReference: Hashable {
  package var offset: UInt64
  package var byteCount: UInt32
  package var checksum: UInt32

  /// The reference to no section.
  package static let none = SectionReference(offset: 0, byteCount: 0, checksum: 0)

  package func write(into writer: inout ByteWriter) {
    writer.append(offset)
    writer.append(byteCount)
    writer.append(checksum)
  }

  package init(offset: UInt64, byteCount: UInt32, checksum: UInt32) {
    self.offset = offset
    self.byteCount = byteCount
    self.checksum = checksum
  }

  /// Reads the fields without checking them.
  package init(unchecked reader: inout ByteReader) throws(FormatFault) {
    offset = try reader.next(UInt64.self)
    byteCount = try reader.next(UInt32.self)
    checksum = try reader.next(UInt32.self)
  }

  /// Parses a reference to bytes that lie before `limit`.
  package init(_ reader: inout ByteReader, before limit: UInt64) throws(FormatFault) {
    try self.init(unchecked: &reader)
    guard liesInPlace(before: limit) else {
      throw FormatFault(
        "A section of \(byteCount) bytes at \(offset) is not between the header and \(limit).")
    }
  }

  /// Returns whether the section lies between the header and `limit`, at a multiple of 8.
  package func liesInPlace(before limit: UInt64) -> Bool {
    byteCount <= BlockFile.maximumSectionByteCount && offset % 8 == 0
      && offset >= UInt64(BlockFile.headerByteCount) && offset <= limit
      && UInt64(byteCount) <= limit - offset
  }
}
