import Deflate
import DurableFiles

extension Archive {
  /// Passes the bytes of an entry to `piece` in parts of bounded size, and checks them at the end.
  ///
  /// - Throws: ``ArchiveError`` if the bytes do not match the checksum. The parts that were passed on are invalid
  ///   then.
  public func read(_ entry: ArchiveEntry, piece: (RawSpan) throws -> Void) throws {
    var checksum = CRC32()
    if entry.isStored {
      try readPacked(entry) { bytes in
        checksum.update(bytes)
        try piece(bytes)
      }
    } else {
      var stream = InflateStream(byteLimit: entry.byteCount)
      do {
        try readPacked(entry) { bytes in
          try stream.expand(bytes) { bytes in
            checksum.update(bytes)
            try piece(bytes)
          }
        }
      } catch let error as DeflateError {
        throw ArchiveError.entry(.damaged, path, entry.path, Self.clause(error.description))
      }
      // A compressed folder from another program may have no bytes at all.
      guard stream.isAtEnd || entry.isDirectory, stream.byteCount == entry.byteCount else {
        throw ArchiveError.entry(
          .damaged, path, entry.path,
          "its compressed bytes end after \(stream.byteCount) of \(entry.byteCount) bytes")
      }
    }
    guard checksum.value == entry.checksum else {
      throw ArchiveError.entry(
        .checksum, path, entry.path, "its bytes differ from the packed bytes")
    }
  }

  /// Returns all bytes of an entry, checked.
  ///
  /// - Throws: ``ArchiveError`` with code `tooLarge` if the entry exceeds `byteLimit`. Nothing is read then.
  public func bytes(of entry: ArchiveEntry, byteLimit: Int = .max) throws -> [UInt8] {
    guard entry.byteCount <= byteLimit else {
      throw ArchiveError.entry(
        .tooLarge, path, entry.path,
        "it has \(entry.byteCount) bytes, more than the limit of \(byteLimit)")
    }
    var bytes: [UInt8] = []
    try read(entry) { piece in
      // SAFETY: The pointer is only read while the span lends it.
      unsafe piece.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  /// Passes on the entry's data as it is in the archive.
  private func readPacked(_ entry: ArchiveEntry, piece: (RawSpan) throws -> Void) throws {
    var done = 0
    while done < entry.packedByteCount {
      let bytes = try file.read(
        byteCount: min(pieceByteCount, entry.packedByteCount - done), at: entry.dataOffset + done)
      try piece(bytes.rawSpan)
      done += bytes.count
    }
  }

  /// Returns a sentence as a clause, without its capital letter and full stop.
  private static func clause(_ sentence: String) -> String {
    sentence.prefix(1).lowercased() + sentence.dropFirst().dropLast()
  }
}

/// The number of bytes that are copied at a time.
let pieceByteCount = 1 << 20
