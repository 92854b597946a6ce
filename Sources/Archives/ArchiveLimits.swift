/// How much an archive may ask of its reader (spec §8.5.2).
///
/// Work and memory are bounded by the file's size in any case; an archive beyond a limit is refused before
/// anything of it is expanded.
public struct ArchiveLimits: Sendable, Hashable {
  /// The most entries.
  public var entryCount = 1_000_000
  /// The most bytes of the directory that lists them, which is read into memory.
  public var directoryByteCount = 256 << 20
  /// The most bytes that all entries have together once they are expanded.
  public var expandedByteCount = Int.max
  /// The most times the archive's size that its entries have together, beyond the first gigabyte.
  public var growth = 100
  /// The most memory for compressed entries that a ``PackedDisk`` keeps expanded.
  public var memoryByteCount = 256 << 20

  /// The usual limits.
  public init() {}

  /// The most bytes that the entries of an archive of so many bytes may have.
  func expandedByteCount(fromArchiveOf byteCount: Int) -> Int {
    let (product, overflows) = byteCount.multipliedReportingOverflow(by: growth)
    let grown = overflows || product > Int.max - 1 << 30 ? Int.max : product + 1 << 30
    return min(expandedByteCount, grown)
  }
}
