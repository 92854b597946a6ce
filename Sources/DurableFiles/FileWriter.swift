/// Writes a file from front to back, and combines small pieces into large writes.
///
/// ``Disk/replace(_:links:overwriting:newPermissions:contents:)`` and ``DurableFile/append(at:contents:)`` pass a writer to
/// their closures. A piece that is at least as large as the buffer is written without being copied.
public struct FileWriter: ~Copyable {
  private let file: DurableFile
  private var flushedOffset: Int
  private var buffer: [UInt8] = []

  private static let bufferByteCount = 64 * 1024

  /// Creates a writer that begins at `offset`. The caller holds the file's `writing` lock.
  init(_ file: DurableFile, at offset: Int) {
    self.file = file
    flushedOffset = offset
  }

  /// The offset in the file of the next byte to write.
  public var offset: Int { flushedOffset + buffer.count }

  /// The place on the disk of the file that is written.
  package var place: FilePlace { get throws(DiskError) { try file.place } }

  /// Writes the bytes at ``offset``.
  public mutating func write(_ bytes: RawSpan) throws(DiskError) {
    if buffer.count + bytes.byteCount > Self.bufferByteCount { try flush() }
    if bytes.byteCount >= Self.bufferByteCount {
      try file.write(all: bytes, at: flushedOffset)
      flushedOffset += bytes.byteCount
    } else {
      buffer.append(copying: bytes)
    }
  }

  /// Writes the bytes at ``offset``.
  public mutating func write(_ bytes: [UInt8]) throws(DiskError) {
    try write(bytes.rawSpan)
  }

  /// Writes the text as UTF-8 at ``offset``.
  public mutating func write(_ text: String) throws(DiskError) {
    try write(Array(text.utf8))
  }

  /// Passes over bytes, which are zeros if a later byte is written. The disk does not store them.
  mutating func skip(_ byteCount: Int) throws(DiskError) {
    try flush()
    flushedOffset += byteCount
  }

  /// Overwrites bytes written earlier, such as a header whose values are known only at the end.
  package mutating func rewrite(_ bytes: [UInt8], at offset: Int) throws(DiskError) {
    precondition(
      offset + bytes.count <= self.offset, "Only bytes that were written can be overwritten.")
    if offset >= flushedOffset {
      let start = offset - flushedOffset
      buffer.replaceSubrange(start..<start + bytes.count, with: bytes)
    } else {
      if offset + bytes.count > flushedOffset { try flush() }
      try file.write(all: bytes.rawSpan, at: offset)
    }
  }

  /// Writes the buffered bytes to the disk.
  mutating func flush() throws(DiskError) {
    guard !buffer.isEmpty else { return }
    try file.write(all: buffer.rawSpan, at: flushedOffset)
    flushedOffset += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }
}
