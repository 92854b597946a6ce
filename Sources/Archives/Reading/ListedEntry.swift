import Deflate

/// An entry in the archive's directory, checked on its own (spec §8.3.5).
struct ListedEntry {
  let name: [UInt8]
  let path: String
  let isDirectory: Bool
  let flags: Int
  let method: Int
  let checksum: UInt32
  let packedByteCount: Int
  let byteCount: Int
  let headerOffset: Int
  /// The record of a packed document that programs change, if the entry is the one that has it.
  let place: ArchivePlace?

  /// Reads the entry at `offset`, and moves `offset` behind the entry.
  init(_ bytes: [UInt8], at offset: inout Int, archive: String) throws {
    let start = offset
    func damaged(_ reason: String) -> ArchiveError {
      .archive(.damaged, archive, "the entry at byte \(start) of its directory \(reason)")
    }
    guard start + ZipFormat.centralByteCount <= bytes.count,
      bytes.int32(at: start) == ZipFormat.centralSignature
    else { throw damaged("is cut off, or has no signature") }
    let lengths = [28, 30, 32].map { bytes.int16(at: start + $0) }
    let nameStart = start + ZipFormat.centralByteCount
    let extraStart = nameStart + lengths[0]
    offset = extraStart + lengths[1] + lengths[2]
    guard offset <= bytes.count else { throw damaged("continues after the end of the directory") }
    name = Array(bytes[nameStart..<extraStart])
    let shown = String(decoding: name, as: UTF8.self)
    func refused(_ code: ArchiveError.Code, _ reason: String) -> ArchiveError {
      .entry(code, archive, shown, reason)
    }
    do throws(EntryNames.Fault) { (path, isDirectory) = try EntryNames.path(name) } catch {
      throw refused(error.code, error.reason)
    }

    flags = bytes.int16(at: start + 8)
    method = bytes.int16(at: start + 10)
    checksum = UInt32(truncatingIfNeeded: bytes.int32(at: start + 16))
    guard flags & ZipFormat.encryptedFlag == 0 else { throw refused(.encrypted, "it is encrypted") }
    guard flags & ~ZipFormat.knownFlags == 0 else {
      throw refused(.unsupported, "its flags \(String(flags, radix: 2)) are unknown")
    }
    guard method == ZipFormat.stored || method == ZipFormat.deflated else {
      throw refused(.unsupported, "its compression method \(method) is unknown")
    }
    let version = bytes.int16(at: start + 6) & 0xFF
    guard version <= ZipFormat.version64 else {
      throw refused(.unsupported, "it needs version \(version / 10).\(version % 10) of the format")
    }
    guard bytes.int16(at: start + 34) == 0 || bytes.int16(at: start + 34) == 0xFFFF else {
      throw refused(.unsupported, "it is in another part of the archive")
    }
    if bytes.int16(at: start + 4) >> 8 == ZipFormat.unix {
      try Self.checkKind(bytes.int32(at: start + 38) >> 16, isDirectory, refused)
    }

    let short = [24, 20, 42].map { bytes.int32(at: start + $0) }
    let values: [Int]
    do {
      let extra = try ExtraFields(Array(bytes[extraStart..<extraStart + lengths[1]]))
      values = try extra.values(short)
      place =
        path == ZipFormat.typeName ? extra[ZipFormat.placeField].flatMap(ArchivePlace.init) : nil
    } catch { throw refused(.damaged, "its extra fields are malformed") }
    (byteCount, packedByteCount, headerOffset) = (values[0], values[1], values[2])
    try checkSizes(refused)
  }

  /// Checks that the Unix mode of an entry agrees with its name. A link is rejected, because it could lead anywhere.
  private static func checkKind(
    _ mode: Int, _ isDirectory: Bool, _ refused: (ArchiveError.Code, String) -> ArchiveError
  ) throws {
    switch mode & 0o170000 {
    case 0: return
    case 0o100000 where !isDirectory, 0o040000 where isDirectory: return
    case 0o120000: throw refused(.notAFile, "it is a symbolic link")
    case 0o100000, 0o040000:
      throw refused(.damaged, "its name and its mode disagree on whether it is a folder")
    default: throw refused(.notAFile, "it is neither a file nor a folder")
    }
  }

  private func checkSizes(_ refused: (ArchiveError.Code, String) -> ArchiveError) throws {
    if isDirectory, byteCount != 0 || packedByteCount > 64 {
      throw refused(.wrongSize, "it is a folder, but has bytes")
    }
    guard method == ZipFormat.deflated || packedByteCount == byteCount else {
      throw refused(.wrongSize, "it is stored without compression, but its two sizes differ")
    }
    // Compressed data expands by a bounded factor. The first condition avoids an overflow.
    guard packedByteCount > Int.max / 2048 || byteCount <= Deflate.mostBytes(from: packedByteCount)
    else {
      throw refused(
        .wrongSize, "\(packedByteCount) compressed bytes can't expand to \(byteCount) bytes")
    }
  }
}
