import DurableFiles

/// The header before an entry's data and the descriptor behind it, checked against the directory (spec §8.3.5).
struct LocalHeader {
  /// The range of the entry's data.
  let data: Range<Int>
  /// The end of the entry, including its descriptor if there is one.
  let end: Int

  init(
    _ entry: ListedEntry, in file: DurableFile, before limit: Int, archive: String
  ) throws {
    func refused(_ code: ArchiveError.Code, _ reason: String) -> ArchiveError {
      .entry(code, archive, entry.path, reason)
    }
    let start = entry.headerOffset
    guard start <= limit - ZipFormat.localByteCount else {
      throw refused(.overlap, "its header at offset \(start) is not before the directory")
    }
    let bytes = try file.read(byteCount: ZipFormat.localByteCount, at: start)
    guard bytes.int32(at: 0) == ZipFormat.localSignature else {
      throw refused(.damaged, "the header at offset \(start) is missing")
    }
    let nameCount = bytes.int16(at: 26)
    let extraCount = bytes.int16(at: 28)
    let restStart = start + ZipFormat.localByteCount
    guard nameCount == entry.name.count else {
      throw refused(.headersDiffer, "its header and the directory differ in the name")
    }
    guard nameCount + extraCount <= limit - restStart else {
      throw refused(.overlap, "its header overlaps the directory")
    }
    let rest = try file.read(byteCount: nameCount + extraCount, at: restStart)
    guard rest.starts(with: entry.name) else {
      throw refused(.headersDiffer, "its header and the directory differ in the name")
    }
    guard bytes.int16(at: 6) == entry.flags else {
      throw refused(.headersDiffer, "its header and the directory differ in the flags")
    }
    guard bytes.int16(at: 8) == entry.method else {
      throw refused(.headersDiffer, "its header and the directory differ in the method")
    }

    let sizes: [Int]
    do {
      sizes = try ExtraFields(Array(rest[nameCount...])).values(
        [bytes.int32(at: 22), bytes.int32(at: 18)])
    } catch { throw refused(.damaged, "its header's extra fields are malformed") }
    let hasDescriptor = entry.flags & ZipFormat.descriptorFlag != 0
    // A program that did not know a value yet left it empty and wrote it in the descriptor.
    func agrees(_ own: Int, _ listed: Int) -> Bool {
      own == listed || hasDescriptor && (own == 0 || own == 0xFFFF_FFFF)
    }
    guard agrees(bytes.int32(at: 14), Int(entry.checksum)) else {
      throw refused(.headersDiffer, "its header and the directory differ in the checksum")
    }
    guard agrees(sizes[0], entry.byteCount), agrees(sizes[1], entry.packedByteCount) else {
      throw refused(.headersDiffer, "its header and the directory differ in the sizes")
    }

    let dataStart = restStart + nameCount + extraCount
    guard entry.packedByteCount <= limit - dataStart else {
      throw refused(.overlap, "its bytes overlap the directory")
    }
    data = dataStart..<dataStart + entry.packedByteCount
    end =
      hasDescriptor
      ? try Self.descriptorEnd(entry, file, at: data.upperBound, before: limit, refused)
      : data.upperBound
  }

  /// Returns the end of the descriptor behind the data. A descriptor may have a signature, and sizes of four or eight
  /// bytes. Its values must equal the directory's.
  private static func descriptorEnd(
    _ entry: ListedEntry, _ file: DurableFile, at offset: Int, before limit: Int,
    _ refused: (ArchiveError.Code, String) -> ArchiveError
  ) throws -> Int {
    let found = try file.read(byteCount: min(24, limit - offset), at: offset)
    for signature in [[], ZipFormat.descriptorSignature.bytes(4)] {
      for width in [4, 8] {
        let expected =
          signature + Int(entry.checksum).bytes(4) + entry.packedByteCount.bytes(width)
          + entry.byteCount.bytes(width)
        if found.starts(with: expected) { return offset + expected.count }
      }
    }
    throw refused(.headersDiffer, "the record after its bytes differs from the directory")
  }
}

extension Int {
  fileprivate func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(self, byteCount: count)
    return bytes
  }
}
