import DurableFiles

/// The records at an archive's end, with the number of entries and the range of the directory.
struct EndRecord {
  let entryCount: Int
  let directory: Range<Int>

  /// Reads the records, and checks them against the file's size and each other (spec §8.3.7).
  init(_ file: DurableFile, byteCount: Int, _ path: String) throws {
    let size = ZipFormat.endByteCount
    guard byteCount >= size else {
      throw ArchiveError.archive(
        .notAnArchive, path, "its \(byteCount) bytes are too few for an archive")
    }
    let bytes = try file.read(byteCount: size, at: byteCount - size)
    guard bytes.int32(at: 0) == ZipFormat.endSignature, bytes.int16(at: 20) == 0 else {
      throw ArchiveError.archive(
        .notAnArchive, path,
        "it does not end with an end record; it is not an archive, was cut, or has a comment")
    }
    var counts = [bytes.int16(at: 8), bytes.int16(at: 10)]
    var values = [bytes.int32(at: 12), bytes.int32(at: 16)]
    let disks = [bytes.int16(at: 4), bytes.int16(at: 6)]
    var start = byteCount - size

    if counts.contains(0xFFFF) || values.contains(0xFFFF_FFFF) || disks.contains(0xFFFF),
      let large = try Self.large(file, endOffset: start, path)
    {
      // A value in the short record must equal the value in the large record.
      let short = counts + values
      let limits = [0xFFFF, 0xFFFF, 0xFFFF_FFFF, 0xFFFF_FFFF]
      guard (0..<4).allSatisfy({ short[$0] == limits[$0] || short[$0] == large[$0] }),
        disks.allSatisfy({ $0 == 0xFFFF || $0 == 0 })
      else {
        throw ArchiveError.archive(.damaged, path, "its two end records differ")
      }
      counts = Array(large[..<2])
      values = Array(large[2...])
      start -= ZipFormat.locatorByteCount + ZipFormat.end64ByteCount
    } else if disks != [0, 0] {
      throw ArchiveError.archive(.unsupported, path, "it is one part of a multi-part archive")
    }
    guard counts[0] == counts[1] else {
      throw ArchiveError.archive(.unsupported, path, "it is one part of a multi-part archive")
    }
    let (byteCount, offset) = (values[0], values[1])
    guard offset <= start, byteCount == start - offset else {
      throw ArchiveError.archive(
        .damaged, path,
        "its directory of \(byteCount) bytes at offset \(offset) does not end at its end record, "
          + "at offset \(start)")
    }
    // A division can't overflow, even for a huge count from a hostile file.
    guard counts[0] <= byteCount / ZipFormat.centralByteCount else {
      throw ArchiveError.archive(
        .damaged, path, "its directory of \(byteCount) bytes is too small for \(counts[0]) entries")
    }
    entryCount = counts[0]
    directory = offset..<start
  }

  /// Returns the values of the end record with fields of eight bytes: entries here, entries in all, the directory's
  /// size and offset. Returns `nil` if there is no such record.
  private static func large(
    _ file: DurableFile, endOffset: Int, _ path: String
  ) throws -> [Int]? {
    let start = endOffset - ZipFormat.locatorByteCount - ZipFormat.end64ByteCount
    guard start >= 0 else { return nil }
    let bytes = try file.read(byteCount: endOffset - start, at: start)
    let locator = ZipFormat.end64ByteCount
    guard bytes.int32(at: locator) == ZipFormat.locatorSignature else { return nil }
    guard bytes.int32(at: locator + 4) == 0, bytes.int32(at: locator + 16) <= 1,
      bytes.int32(at: 16) == 0, bytes.int32(at: 20) == 0
    else {
      throw ArchiveError.archive(.unsupported, path, "it is one part of a multi-part archive")
    }
    guard bytes.int64(at: locator + 8) == start, bytes.int32(at: 0) == ZipFormat.end64Signature,
      bytes.int64(at: 4) == ZipFormat.end64ByteCount - 12
    else {
      throw ArchiveError.archive(
        .damaged, path, "its end record with large values is at the wrong offset")
    }
    return [bytes.int64(at: 24), bytes.int64(at: 32), bytes.int64(at: 40), bytes.int64(at: 48)]
  }
}
