import Foundation

/// The first bytes of a block file, written once (spec §4.2).
struct FileHeader: Equatable {
  var uuid: UUID
  /// A number nobody can guess, which every trailer repeats: bytes of a value that look like a
  /// trailer are not taken for one.
  var salt: UInt64
  /// Whether writers compress blocks.
  var isCompressed = false

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.append(BlockFile.magic)
    writer.append(BlockFile.majorVersion)
    writer.append(BlockFile.minorVersion)
    writer.append(UInt32(isCompressed ? 1 : 0))
    writer.append(uuid.bytes)
    writer.append(salt)
    writer.append(zeros: 20)
    BlockFile.seal(&writer)
    return writer.bytes
  }

  init(uuid: UUID, salt: UInt64, isCompressed: Bool) {
    self.uuid = uuid
    self.salt = salt
    self.isCompressed = isCompressed
  }

  /// Parses the header.
  ///
  /// - Returns: `nil` when the bytes are not those of a block file at all.
  /// - Throws: ``FormatFault`` when they are, and damaged.
  init?(_ bytes: [UInt8]) throws(FormatFault) {
    guard bytes.starts(with: BlockFile.magic) else { return nil }
    var reader = ByteReader(bytes, at: 0)
    try reader.skip(8)
    majorVersion = try reader.next(UInt16.self)
    _ = try reader.next(UInt16.self)
    if majorVersion > BlockFile.majorVersion {
      // What comes behind may be anything.
      (uuid, salt) = (UUID(), 0)
      return
    }
    guard bytes.count == BlockFile.headerByteCount, BlockFile.isSealed(bytes) else {
      throw FormatFault("The file's header does not match its checksum.")
    }
    guard majorVersion >= 1 else { throw FormatFault("There is no format version 0.") }
    let flags = try reader.next(UInt32.self)
    guard flags <= 1 else { throw FormatFault("The header's flags \(flags) are unknown.") }
    isCompressed = flags == 1
    uuid = UUID(bytes: try reader.take(16))!
    salt = try reader.next(UInt64.self)
  }

  /// The version of the format that the file was written in.
  private(set) var majorVersion = BlockFile.majorVersion
}
