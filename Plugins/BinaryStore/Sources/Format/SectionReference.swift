/// Where a piece of the file is, and its checksum (spec §4.4.2).
struct SectionReference: Hashable {
  var offset: UInt64
  var byteCount: UInt32
  var checksum: UInt32

  /// None.
  static let none = SectionReference(offset: 0, byteCount: 0, checksum: 0)

  func write(into writer: inout ByteWriter) {
    writer.append(offset)
    writer.append(byteCount)
    writer.append(checksum)
  }

  init(offset: UInt64, byteCount: UInt32, checksum: UInt32) {
    self.offset = offset
    self.byteCount = byteCount
    self.checksum = checksum
  }

  /// Parses a reference to bytes that lie before `limit`.
  init(_ reader: inout ByteReader, before limit: UInt64) throws(FormatFault) {
    offset = try reader.next(UInt64.self)
    byteCount = try reader.next(UInt32.self)
    checksum = try reader.next(UInt32.self)
    guard byteCount <= BlockFile.maximumSectionByteCount, offset % 8 == 0,
      offset >= UInt64(BlockFile.headerByteCount), offset <= limit,
      UInt64(byteCount) <= limit - offset
    else {
      throw FormatFault(
        "A section of \(byteCount) bytes at \(offset) does not lie before \(limit).")
    }
  }
}
