public import DurableFiles

/// A store's file that was opened to see of what kind it is, for the backend to go on with: a store that is small
/// takes longer to open than to read.
public struct OpenedFile: Sendable {
  /// The file, open for what the store is opened for.
  public let file: DurableFile
  /// Its first bytes when it was opened; all of them where it has no more than ``firstByteCount``.
  public let firstBytes: [UInt8]

  /// How many bytes are read at once: what opening most stores takes of their beginning.
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
