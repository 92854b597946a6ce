/// A file or a folder in an archive.
public struct ArchiveEntry: Sendable, Hashable {
  /// The path within the document's folder, with slashes between names: `stores/main.store`.
  public let path: String
  /// Whether the entry is a folder, which has no bytes.
  public let isDirectory: Bool
  /// The number of bytes of the file.
  public let byteCount: Int
  /// The number of bytes of the entry's data in the archive.
  public let packedByteCount: Int
  /// Whether the bytes are stored without compression, so that they can be read in place.
  public let isStored: Bool
  /// The checksum of the file's bytes.
  public let checksum: UInt32
  /// The offset of the entry's data in the archive.
  public let dataOffset: Int
}
