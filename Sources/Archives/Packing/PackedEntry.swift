import Deflate

/// An entry that is being written, and its records (spec §8.3).
struct PackedEntry {
  let name: String
  let headerOffset: Int
  var byteCount = 0
  var packedByteCount = 0
  var isStored = true
  var isDirectory = false
  /// Whether the sizes are in fields of eight bytes.
  var hasLargeSizes = false
  /// The extra field that aligns the data; empty if the data need not be aligned.
  private var padding: [UInt8] = []
  /// The record of a packed document that programs change, in the directory; `nil` for none.
  var place: ArchivePlace?
  private var checksum = CRC32()

  init(name: String, headerOffset: Int) {
    self.name = name
    self.headerOffset = headerOffset
  }

  /// Adds more bytes of the entry to the checksum.
  mutating func update(_ bytes: RawSpan) { checksum.update(bytes) }

  /// Aligns the entry's data to a multiple of ``ZipFormat/alignment``.
  ///
  /// The extra field contains the alignment, and as many zeros as are needed.
  mutating func align() {
    let least = headerOffset + header.count + 6
    let rest = least % ZipFormat.alignment
    let gap = rest == 0 ? 0 : ZipFormat.alignment - rest
    padding.append(ZipFormat.alignmentField, byteCount: 2)
    padding.append(2 + gap, byteCount: 2)
    padding.append(ZipFormat.alignment, byteCount: 2)
    padding += [UInt8](repeating: 0, count: gap)
  }

  private var method: Int { isStored ? ZipFormat.stored : ZipFormat.deflated }

  /// The record before the entry's data. Its length does not depend on values that are known only after the data.
  var header: [UInt8] {
    var extra: [UInt8] = []
    if hasLargeSizes {
      extra.append(ZipFormat.sizesField, byteCount: 2)
      extra.append(16, byteCount: 2)
      extra.append(byteCount, byteCount: 8)
      extra.append(packedByteCount, byteCount: 8)
    }
    extra += padding
    var bytes: [UInt8] = []
    bytes.append(ZipFormat.localSignature, byteCount: 4)
    bytes.append(hasLargeSizes ? ZipFormat.version64 : ZipFormat.version, byteCount: 2)
    appendCommon(to: &bytes, extra.count)
    return bytes + name.utf8 + extra
  }

  /// Returns the directory's record of the entry.
  func directoryRecord(_ limits: PackingLimits) -> [UInt8] {
    let isFar = headerOffset >= limits.byteCount
    var extra: [UInt8] = []
    if hasLargeSizes || isFar {
      extra.append(ZipFormat.sizesField, byteCount: 2)
      extra.append((hasLargeSizes ? 16 : 0) + (isFar ? 8 : 0), byteCount: 2)
      if hasLargeSizes {
        extra.append(byteCount, byteCount: 8)
        extra.append(packedByteCount, byteCount: 8)
      }
      if isFar { extra.append(headerOffset, byteCount: 8) }
    }
    if let place {
      extra.append(ZipFormat.placeField, byteCount: 2)
      extra.append(ArchivePlace.byteCount, byteCount: 2)
      extra += place.bytes
    }
    let version = hasLargeSizes || isFar ? ZipFormat.version64 : ZipFormat.version
    var bytes: [UInt8] = []
    bytes.append(ZipFormat.centralSignature, byteCount: 4)
    bytes.append(ZipFormat.unix << 8 | version, byteCount: 2)
    bytes.append(version, byteCount: 2)
    appendCommon(to: &bytes, extra.count)
    // No comment, the first of the archive's disks, no internal attributes.
    bytes.append(0, byteCount: 6)
    let mode = isDirectory ? ZipFormat.directoryMode : ZipFormat.fileMode
    bytes.append(mode << 16 | (isDirectory ? ZipFormat.directoryAttribute : 0), byteCount: 4)
    bytes.append(isFar ? 0xFFFF_FFFF : headerOffset, byteCount: 4)
    return bytes + name.utf8 + extra
  }

  /// Appends the fields that both records have.
  private func appendCommon(to bytes: inout [UInt8], _ extraByteCount: Int) {
    bytes.append(ZipFormat.nameIsUTF8Flag, byteCount: 2)
    bytes.append(method, byteCount: 2)
    bytes.append(ZipFormat.time, byteCount: 2)
    bytes.append(ZipFormat.date, byteCount: 2)
    bytes.append(Int(checksum.value), byteCount: 4)
    bytes.append(hasLargeSizes ? 0xFFFF_FFFF : packedByteCount, byteCount: 4)
    bytes.append(hasLargeSizes ? 0xFFFF_FFFF : byteCount, byteCount: 4)
    bytes.append(name.utf8.count, byteCount: 2)
    bytes.append(extraByteCount, byteCount: 2)
  }
}
