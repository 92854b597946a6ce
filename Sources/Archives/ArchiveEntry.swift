/// A file or a folder in an archive.
public struct ArchiveEntry: Sendable, Hashable {
  /// The names from the document's folder on, with slashes between: `stores/main.store`.
  public let path: String
  /// Whether it is a folder, which has no bytes.
  public let isDirectory: Bool
  /// How many bytes the file has.
  public let byteCount: Int
  /// How many bytes it takes in the archive.
  public let packedByteCount: Int
  /// Whether its bytes lie in the archive as they are, so that they can be read in place.
  public let isStored: Bool
  /// The checksum of its bytes.
  public let checksum: UInt32
  /// Where its bytes begin in the archive.
  public let dataOffset: Int
}
