import BlockFileFormat
import DurableFiles

/// The bytes of a file that the next commit may use: the zeros of the tail, and everything behind the end (spec §4.3.5).
///
/// A save into a tail of zeros that are durable already costs less: neither the size of the file changes, nor does the
/// disk have to find a place for the bytes.
struct FreeBytes {
  private let file: StoreFile
  /// The offset of the next commit. All bytes of the file from here on are zeros.
  var start: Int
  private(set) var fileByteCount: Int
  /// The number of small commits of this process that had no room in the tail.
  private var lengtheningCount = 0

  /// The bytes of a new tail: about 130 saves of one object, so that fewer than one save in a hundred makes a tail.
  private static let tailByteCount = 128 * 1024
  /// The most bytes of a commit that makes a tail. The bytes of a tail are written twice, which a larger commit notices.
  private static let mostBytesBeforeTail = 16 * 1024
  private static let zeros = [UInt8](repeating: 0, count: tailByteCount)
  /// The number of commits without a tail. A program that saves once or twice leaves no tail if it is killed.
  private static let commitCountWithoutTail = 2

  /// Returns the free bytes after a commit. The caller holds the lock of the file.
  ///
  /// - Parameters:
  ///   - known: The free bytes after the last commit of this process.
  ///   - unchanged: The size of the file, if it is known that the commit is the last write.
  static func after(
    _ head: CommittedState, knowing known: FreeBytes?, fileByteCount unchanged: Int?
  ) throws -> FreeBytes {
    let file = head.file
    let byteCount = try unchanged ?? file.file.byteCount()
    if let known, known.file === file, known.start == Int(head.end),
      known.fileByteCount == byteCount,
      try unchanged != nil
        || file.firstBytes(behind: head.end, fileByteCount: byteCount).allSatisfy({ $0 == 0 })
    {
      return known
    }
    var free = FreeBytes(file: file, start: Int(head.end), fileByteCount: byteCount)
    free.lengtheningCount = known?.lengtheningCount ?? 0
    if byteCount > free.start {
      free.start = head.trailer.startOfNext(
        used: try file.file.endOfNonzeroBytes(before: byteCount))
    }
    return free
  }

  private init(file: StoreFile, start: Int, fileByteCount: Int) {
    (self.file, self.start, self.fileByteCount) = (file, start, fileByteCount)
  }

  /// Writes a small commit, and takes its bytes. If the commit has no room in the tail, the file gets a new tail.
  ///
  /// - Returns: Whether the file is longer than before.
  mutating func write(_ commit: [UInt8]) throws -> Bool {
    let end = start + commit.count
    if end <= fileByteCount {
      try file.file.write(commit, at: start)
      start = end
      return false
    }
    lengtheningCount += 1
    fileByteCount = end
    // The zeros come first: the commit must not be in the file if a later write fails. A full disk may have room for the
    // commit alone.
    if lengtheningCount > FreeBytes.commitCountWithoutTail,
      commit.count <= FreeBytes.mostBytesBeforeTail,
      (try? file.file.append(at: end) { try $0.write(FreeBytes.zeros) }) != nil
    {
      fileByteCount += FreeBytes.tailByteCount
    }
    try file.file.append(at: start) { try $0.write(commit) }
    start = end
    return true
  }

  /// Removes everything that was written into the free bytes, and makes that durable.
  ///
  /// - Parameter other: Another handle of the same file: after a failed sync, the first one refuses every write.
  func restore(in other: DurableFile) throws {
    if try other.byteCount() > fileByteCount { try other.truncate(to: fileByteCount) }
    if start < fileByteCount {
      try other.write([UInt8](repeating: 0, count: fileByteCount - start), at: start)
    }
    // Otherwise a power cut might restore a save that was reported as failed.
    try other.sync()
  }
}
