public import DurableFiles

/// The file of a store, opened once to find its type and then passed on to the backend. Opening a small store takes
/// longer than reading it, so the file is not opened twice.
public struct OpenedFile: Sendable {
  /// The file, open for reading, or for reading and writing.
  public let file: DurableFile
  /// The first bytes of the file when it was opened: at most ``firstByteCount``, or the whole file if it is shorter.
  public let firstBytes: [UInt8]

  /// The number of bytes that are read at once. Opening most stores needs no more of the beginning.
  public static let firstByteCount = 4096

  /// Opens a file and reads its first bytes.
  ///
  /// - Throws: `DiskError`.
  public init(_ path: String, on disk: any Disk, readOnly: Bool) throws(DiskError) {
    try self.init(disk.open(path, for: readOnly ? .read : .update))
  }

  /// Reads the first bytes of a file.
  ///
  /// - Throws: `DiskError`.
  public init(_ file: DurableFile) throws(DiskError) {
    self.file = file
    let count = min(OpenedFile.firstByteCount, file.openingStatus.byteCount)
    firstBytes = try [UInt8](count: count) { memory throws(DiskError) in
      try file.readAvailable(into: &memory, at: 0)
    }
  }
}
