public import DurableFiles

/// A packed document as a folder that can be read in place: a disk on which its files are, and nothing else.
///
///     let archive = try Archive("Trip.quire.zip", on: RealDisk())
///     let disk = PackedDisk(archive)
///     let store = try BinaryStoreBackend().open(
///       "Trip.quire.zip/stores/main.store", on: disk, StoreOpening(readOnly: true))
///
/// Nothing is unpacked. Files that are stored in the archive are read where they lie, and **not** held against
/// the archive's checksum, because that would read all of them: block files have checksums of their own for
/// every part. Compressed files are expanded and checked when they are first opened, and kept in memory, as much
/// of it as ``ArchiveLimits/memoryByteCount`` allows for all of them.
///
/// Whatever would write is refused with code `readOnly`, an exclusive lock too. A shared lock is always given, and
/// a lock file, one of hidden name, can be locked so though it is not there.
///
/// A system's call has no words for an error, so the error that opening a damaged or too large entry gives is a
/// number: ``reason(for:)`` has the words.
public struct PackedDisk: Disk {
  private let packed: PackedCalls

  /// The archive as a folder.
  ///
  /// - Parameter folder: The path the folder is at; that of the archive itself unless said.
  public init(_ archive: Archive, at folder: String? = nil) {
    packed = PackedCalls(archive, at: folder ?? archive.path)
  }

  /// The calls that read the archive.
  public var calls: any DiskCalls { packed }

  /// Why a file could not be opened.
  public func reason(for path: String) -> ArchiveError? { packed.reason(for: path) }
}
