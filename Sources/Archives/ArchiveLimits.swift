/// Limits on the work and memory for reading an archive (spec §8.5.2).
///
/// The file's size bounds work and memory in any case. An archive beyond a limit is rejected before any entry is
/// expanded.
public struct ArchiveLimits: Sendable, Hashable {
  /// The greatest number of entries.
  public var entryCount = 1_000_000
  /// The greatest size of the directory, which is read into memory.
  public var directoryByteCount = 256 << 20
  /// The greatest size of all expanded entries together.
  public var expandedByteCount = Int.max
  /// The greatest ratio of the entries' expanded size to the archive's size. One gigabyte is allowed in addition.
  public var growth = 100
  /// The greatest size of all compressed entries that a `PackedDisk` keeps expanded in memory.
  public var memoryByteCount = 256 << 20

  public init() {}

  /// Returns the greatest expanded size of all entries of an archive with `byteCount` bytes.
  func expandedByteCount(fromArchiveOf byteCount: Int) -> Int {
    let (product, overflows) = byteCount.multipliedReportingOverflow(by: growth)
    let grown = overflows || product > Int.max - 1 << 30 ? Int.max : product + 1 << 30
    return min(expandedByteCount, grown)
  }
}
