/// How far packing or unpacking is.
public struct ArchiveProgress: Sendable, Hashable {
  /// The bytes of files that are done.
  public var doneByteCount: Int
  /// The bytes of all files.
  public var totalByteCount: Int

  /// The share of the work that is done, from 0 to 1.
  public var share: Double {
    totalByteCount == 0 ? 1 : Double(doneByteCount) / Double(totalByteCount)
  }
}

/// What was packed or unpacked.
public struct ArchiveReport: Sendable, Hashable {
  /// How many files.
  public var fileCount: Int
  /// The bytes of all files.
  public var byteCount: Int
  /// The bytes of the archive.
  public var archiveByteCount: Int
}
