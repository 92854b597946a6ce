/// Writes a file from front to back, gathering small pieces into large writes.
///
/// ``Disk/replace(_:links:contents:)`` and ``DurableFile/append(contents:)`` lend one to their
/// closures. Pieces as large as its buffer go to the disk without being copied.
public struct FileWriter: ~Copyable {
  private let file: DurableFile
  private var flushedOffset: Int
  private var buffer: [UInt8] = []

  private static let bufferByteCount = 64 * 1024

  /// A writer that begins at `offset`. Whoever makes one holds the file's `writing` lock.
  init(_ file: DurableFile, at offset: Int) {
    self.file = file
    flushedOffset = offset
  }

  /// The offset in the file at which the next byte will be.
  public var offset: Int { flushedOffset + buffer.count }

  /// Writes the bytes after those written before.
  public mutating func write(_ bytes: RawSpan) throws(DiskError) {
    if buffer.count + bytes.byteCount > Self.bufferByteCount { try flush() }
    if bytes.byteCount >= Self.bufferByteCount {
      try file.write(all: bytes, at: flushedOffset)
      flushedOffset += bytes.byteCount
    } else {
      buffer.append(copying: bytes)
    }
  }

  /// Writes the bytes after those written before.
  public mutating func write(_ bytes: [UInt8]) throws(DiskError) {
    try write(bytes.rawSpan)
  }

  /// Writes the text as UTF-8 after what was written before.
  public mutating func write(_ text: String) throws(DiskError) {
    try write(Array(text.utf8))
  }

  /// Writes the bytes over some that were written before: a header whose values come out at the end.
  package mutating func rewrite(_ bytes: [UInt8], at offset: Int) throws(DiskError) {
    precondition(offset + bytes.count <= self.offset, "Only what was written is written anew.")
    if offset >= flushedOffset {
      let start = offset - flushedOffset
      buffer.replaceSubrange(start..<start + bytes.count, with: bytes)
    } else {
      if offset + bytes.count > flushedOffset { try flush() }
      try file.write(all: bytes.rawSpan, at: offset)
    }
  }

  /// Hands what was gathered to the disk.
  mutating func flush() throws(DiskError) {
    guard !buffer.isEmpty else { return }
    try file.write(all: buffer.rawSpan, at: flushedOffset)
    flushedOffset += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }
}
