import Deflate
import DiskSimulation
import DurableFiles

/// An archive built by hand, so that each of its fields can be wrong.
struct ForgedArchive {
  var entries: [ForgedEntry]
  /// Bytes before the first entry.
  var prefix: [UInt8] = []
  /// Bytes between the last entry and the directory.
  var gap: [UInt8] = []
  /// Bytes between the directory and the end record.
  var behindDirectory: [UInt8] = []
  var comment: [UInt8] = []
  /// The difference between the count in the end record and the true count.
  var countError = 0
  var directoryOffsetError = 0
  var disk = 0
  /// The errors of the values in the end record for large archives, or `nil` for no such record.
  var large: (count: Int, byteCount: Int, offset: Int)?

  init(_ entries: ForgedEntry...) { self.entries = entries }

  var bytes: [UInt8] {
    var bytes = prefix
    var directory: [UInt8] = []
    for var entry in entries {
      entry.offset = entry.offset ?? bytes.count
      bytes += entry.local + entry.data + entry.descriptor
      directory += entry.central
    }
    bytes += gap
    let start = bytes.count
    bytes += directory + behindDirectory
    let count = entries.count + countError
    if let large {
      let end = bytes.count
      bytes += number(0x0606_4B50, 4) + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8)
      bytes += number(count + large.count, 8) + number(count + large.count, 8)
      bytes += number(directory.count + large.byteCount, 8) + number(start + large.offset, 8)
      bytes += number(0x0706_4B50, 4) + number(0, 4) + number(end, 8) + number(1, 4)
    }
    let isLarge = large != nil
    bytes += number(0x0605_4B50, 4) + number(disk, 2) + number(0, 2)
    bytes += number(isLarge ? 0xFFFF : count, 2) + number(isLarge ? 0xFFFF : count, 2)
    bytes += number(isLarge ? 0xFFFF_FFFF : directory.count, 4)
    bytes += number(isLarge ? 0xFFFF_FFFF : start + directoryOffsetError, 4)
    return bytes + number(comment.count, 2) + comment
  }

  /// Writes the archive to a new disk, as `/a.zip`.
  func onDisk() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    try disk.replace("/a.zip") { try $0.write(bytes) }
    return disk
  }
}

struct ForgedEntry {
  var name: [UInt8]
  /// The bytes of the entry as the archive contains them.
  var data: [UInt8]
  var byteCount: Int
  var packedByteCount: Int
  var checksum: UInt32
  var method: Int
  var flags = 1 << 11
  var version = 20
  var madeBy = 3 << 8 | 20
  var mode = 0o100644
  var localExtra: [UInt8] = []
  var centralExtra: [UInt8] = []
  var descriptor: [UInt8] = []
  /// The offset that the directory gives for the entry, or `nil` for the true offset.
  var offset: Int?
  /// Values in the entry's own header that differ from the directory's values.
  var localName: [UInt8]?
  var localFlags: Int?
  var localMethod: Int?
  var localChecksum: UInt32?
  var localSizes: (packed: Int, expanded: Int)?

  init(_ name: String, _ text: String = "text", deflated: Bool = false) {
    self.init(name, bytes: Array(text.utf8), deflated: deflated)
  }

  init(_ name: String, bytes: [UInt8], deflated: Bool) {
    self.name = Array(name.utf8)
    data = deflated ? raw(bytes) : bytes
    byteCount = bytes.count
    packedByteCount = data.count
    checksum = crc(bytes)
    method = deflated ? 8 : 0
    if name.hasSuffix("/") {
      data = []
      byteCount = 0
      packedByteCount = 0
      checksum = 0
      mode = 0o040755
    }
  }

  func with(_ change: (inout ForgedEntry) -> Void) -> ForgedEntry {
    var entry = self
    change(&entry)
    return entry
  }

  var local: [UInt8] {
    let name = localName ?? name
    let sizes = localSizes ?? (packedByteCount, byteCount)
    var bytes = number(0x0403_4B50, 4) + number(version, 2) + number(localFlags ?? flags, 2)
    bytes += number(localMethod ?? method, 2) + number(0, 2) + number(33, 2)
    bytes += number(Int(localChecksum ?? checksum), 4)
    bytes += number(min(sizes.packed, 0xFFFF_FFFF), 4) + number(min(sizes.expanded, 0xFFFF_FFFF), 4)
    return bytes + number(name.count, 2) + number(localExtra.count, 2) + name + localExtra
  }

  var central: [UInt8] {
    var bytes = number(0x0201_4B50, 4) + number(madeBy, 2) + number(version, 2) + number(flags, 2)
    bytes += number(method, 2) + number(0, 2) + number(33, 2) + number(Int(checksum), 4)
    bytes += number(min(packedByteCount, 0xFFFF_FFFF), 4) + number(min(byteCount, 0xFFFF_FFFF), 4)
    bytes += number(name.count, 2) + number(centralExtra.count, 2) + number(0, 6)
    bytes += number(mode << 16, 4) + number(min(offset ?? 0, 0xFFFF_FFFF), 4)
    return bytes + name + centralExtra
  }
}

/// Returns the value in the given number of bytes, the lowest byte first.
func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
  (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

func field(_ kind: Int, _ bytes: [UInt8]) -> [UInt8] {
  number(kind, 2) + number(bytes.count, 2) + bytes
}

func raw(_ bytes: [UInt8]) -> [UInt8] {
  var packed: [UInt8] = []
  var stream = DeflateStream()
  try! stream.compress(bytes.span.bytes) { piece in piece.withUnsafeBytes { packed += $0 } }
  try! stream.finish { piece in piece.withUnsafeBytes { packed += $0 } }
  return packed
}

func crc(_ bytes: [UInt8]) -> UInt32 {
  var checksum = CRC32()
  checksum.update(bytes.span.bytes)
  return checksum.value
}
