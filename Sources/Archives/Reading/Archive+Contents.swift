import Deflate
import DurableFiles

extension Archive {
  /// Hands an entry's bytes on piece by piece, in flat memory, and checks them when it comes to their end.
  ///
  /// - Throws: ``ArchiveError`` if they are not those that were packed. What was handed on by then means
  ///   nothing.
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
      // A folder of another writer's may have no bytes at all.
      guard stream.isAtEnd || entry.isDirectory, stream.byteCount == entry.byteCount else {
        throw ArchiveError.entry(
          .damaged, path, entry.path,
          "its compressed bytes end after \(stream.byteCount) of \(entry.byteCount) bytes")
      }
    }
    guard checksum.value == entry.checksum else {
      throw ArchiveError.entry(
        .checksum, path, entry.path, "its bytes are not those that were packed")
    }
  }

  /// All bytes of an entry, checked.
  ///
  /// - Throws: ``ArchiveError`` with code `tooLarge`, without having read anything, for more than the limit.
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

  /// Hands on what lies in the archive.
  private func readPacked(_ entry: ArchiveEntry, piece: (RawSpan) throws -> Void) throws {
    var done = 0
    while done < entry.packedByteCount {
      let bytes = try file.read(
        byteCount: min(pieceByteCount, entry.packedByteCount - done), at: entry.dataOffset + done)
      try piece(bytes.rawSpan)
      done += bytes.count
    }
  }

  /// A sentence as the end of another.
  private static func clause(_ sentence: String) -> String {
    sentence.prefix(1).lowercased() + sentence.dropFirst().dropLast()
  }
}

/// How many bytes go from disk to disk at a time.
let pieceByteCount = 1 << 20
