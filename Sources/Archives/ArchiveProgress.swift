/// The progress of packing or unpacking.
public struct ArchiveProgress: Sendable, Hashable {
  /// The number of finished bytes of files.
  public var doneByteCount: Int
  /// The number of bytes of all files.
  public var totalByteCount: Int

  /// The finished share of the work, from 0 to 1.
  public var share: Double {
    totalByteCount == 0 ? 1 : Double(doneByteCount) / Double(totalByteCount)
  }
}

/// The amounts that were packed or unpacked.
public struct ArchiveReport: Sendable, Hashable {
  public var fileCount: Int
  /// The number of bytes of all files.
  public var byteCount: Int
  /// The number of bytes of the archive.
  public var archiveByteCount: Int
}
