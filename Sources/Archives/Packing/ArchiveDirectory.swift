import Deflate
import DurableFiles

/// The directory of an archive that is being written. Each entry goes to the file at once, and its directory record
/// is kept until the end.
struct ArchiveDirectory {
  private let limits: PackingLimits
  private var bytes: [UInt8] = []
  private var entryCount = 0

  init(_ limits: PackingLimits) { self.limits = limits }

  /// Adds the entry with the archive's type. The entry comes first, is stored, and has no extra field between its
  /// name and its bytes. Programs therefore recognise the type from the beginning of the file (spec §8.2.1).
  mutating func addType(_ place: ArchivePlace?, to writer: inout FileWriter) throws {
    var entry = PackedEntry(name: ZipFormat.typeName, headerOffset: writer.offset)
    let bytes = Array(ZipFormat.type.utf8)
    entry.byteCount = bytes.count
    entry.packedByteCount = bytes.count
    entry.place = place
    entry.update(bytes.rawSpan)
    try writer.write(entry.header)
    try writer.write(bytes)
    add(entry)
  }

  /// Adds a folder.
  mutating func addFolder(_ name: String, to writer: inout FileWriter) throws {
    var entry = PackedEntry(name: name, headerOffset: writer.offset)
    entry.isDirectory = true
    try writer.write(entry.header)
    add(entry)
  }

  /// Adds a file with its current number of bytes.
  mutating func addFile(
    _ name: String, _ file: DurableFile, _ completion: FolderPacking.Completion?, isText: Bool,
    to writer: inout FileWriter, progress: (Int) throws -> Void
  ) throws {
    var entry = PackedEntry(name: name, headerOffset: writer.offset)
    entry.byteCount = try completion?.byteCount ?? file.byteCount()
    let deflates = try isText || pays(file, completion, entry.byteCount)
    entry.isStored = !deflates
    // Deflate makes incompressible data a little larger, and the header's length must be known before the data is
    // written.
    entry.hasLargeSizes = entry.byteCount + entry.byteCount / 1000 + 64 >= limits.byteCount
    if !deflates { entry.align() }
    try writer.write(entry.header)
    let start = writer.offset
    if deflates {
      var stream = DeflateStream()
      try read(file, completion, &entry, progress) { piece in
        try stream.compress(piece) { try writer.write($0) }
      }
      try stream.finish { try writer.write($0) }
    } else {
      try read(file, completion, &entry, progress) { try writer.write($0) }
    }
    entry.packedByteCount = writer.offset - start
    try writer.rewrite(entry.header, at: entry.headerOffset)
    add(entry)
  }

  /// Whether a file that is not text is small, and deflating it saves a tenth of its bytes (spec §8.3.3).
  ///
  /// A large store stays stored, so that opening it reads a few pages and not the whole file, and so that git keeps only what
  /// differs between two versions of the archive.
  private func pays(
    _ file: DurableFile, _ completion: FolderPacking.Completion?, _ byteCount: Int
  ) throws -> Bool {
    guard byteCount <= limits.smallByteCount else { return false }
    var entry = PackedEntry(name: "", headerOffset: 0)
    entry.byteCount = byteCount
    var stream = DeflateStream()
    var packedByteCount = 0
    func count(_ bytes: RawSpan) { packedByteCount += bytes.byteCount }
    func isRead(_ byteCount: Int) {}
    try read(file, completion, &entry, isRead) { piece in
      try stream.compress(piece) { count($0) }
    }
    try stream.finish { count($0) }
    return packedByteCount * 10 <= byteCount * 9
  }

  private func read(
    _ file: DurableFile, _ completion: FolderPacking.Completion?, _ entry: inout PackedEntry,
    _ progress: (Int) throws -> Void, piece: (RawSpan) throws -> Void
  ) throws {
    var offset = 0
    while offset < entry.byteCount {
      var bytes = try file.read(
        byteCount: min(pieceByteCount, entry.byteCount - offset), at: offset)
      if offset == 0, let start = completion?.start {
        bytes.replaceSubrange(0..<start.count, with: start)
      }
      entry.update(bytes.rawSpan)
      try piece(bytes.rawSpan)
      offset += bytes.count
      try progress(bytes.count)
    }
  }

  private mutating func add(_ entry: PackedEntry) {
    bytes += entry.directoryRecord(limits)
    entryCount += 1
  }

  /// Writes the directory, and the records that lead to it (spec §8.3.6).
  func finish(_ writer: inout FileWriter) throws {
    let start = writer.offset
    try writer.write(bytes)
    if entryCount >= limits.count || bytes.count >= limits.byteCount || start >= limits.byteCount {
      let end = writer.offset
      var record: [UInt8] = []
      record.append(ZipFormat.end64Signature, byteCount: 4)
      record.append(ZipFormat.end64ByteCount - 12, byteCount: 8)
      record.append(ZipFormat.unix << 8 | ZipFormat.version64, byteCount: 2)
      record.append(ZipFormat.version64, byteCount: 2)
      record.append(0, byteCount: 8)
      for value in [entryCount, entryCount, bytes.count, start] {
        record.append(value, byteCount: 8)
      }
      record.append(ZipFormat.locatorSignature, byteCount: 4)
      record.append(0, byteCount: 4)
      record.append(end, byteCount: 8)
      record.append(1, byteCount: 4)
      try writer.write(record)
    }
    let count = entryCount >= limits.count ? 0xFFFF : entryCount
    var record: [UInt8] = []
    record.append(ZipFormat.endSignature, byteCount: 4)
    record.append(0, byteCount: 4)
    record.append(count, byteCount: 2)
    record.append(count, byteCount: 2)
    record.append(bytes.count >= limits.byteCount ? 0xFFFF_FFFF : bytes.count, byteCount: 4)
    record.append(start >= limits.byteCount ? 0xFFFF_FFFF : start, byteCount: 4)
    record.append(0, byteCount: 2)
    try writer.write(record)
  }
}
