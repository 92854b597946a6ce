package import DurableFiles

/// A read-only disk that contains the files of a packed document, which are read in place.
///
///     let archive = try Archive("Trip.quire.zip", on: RealDisk())
///     let disk = PackedDisk(archive)
///     let store = try BinaryStoreBackend().open(
///       "Trip.quire.zip/stores/main.store", on: disk, StoreOpening(readOnly: true))
///
/// Nothing is unpacked to disk. Files that are stored without compression are read within the archive. They are
/// **not** compared with the archive's checksum, because this would read the whole file. Block files have checksums
/// of their own for every part. Compressed files are expanded and checked when they are first opened, and kept in
/// memory, up to ``ArchiveLimits/memoryByteCount`` in total.
///
/// Every write fails with code `readOnly`, and so does an exclusive lock. A shared lock always succeeds. A lock file,
/// which has a hidden name, can be locked even if the archive does not contain it.
///
/// The error for opening a damaged or too large entry is only a number, as for a system call. ``reason(for:)``
/// returns the explanation.
package struct PackedDisk: Disk {
  private let packed: PackedCalls

  /// Creates a disk with the archive as a folder.
  ///
  /// - Parameter folder: The path of the folder on the disk; `nil` for the path of the archive.
  package init(_ archive: Archive, at folder: String? = nil) {
    packed = PackedCalls(archive, at: folder ?? archive.path)
  }

  /// The calls that read the archive.
  package var calls: any DiskCalls { packed }

  /// The disk that the archive lies on.
  package var outside: any Disk { packed.archive.disk }

  /// Returns the reason why a file could not be opened.
  package func reason(for path: String) -> ArchiveError? { packed.reason(for: path) }
}
