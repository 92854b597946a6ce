/// What a file is at one moment: kind, size, dates and identity.
public struct FileStatus: Sendable, Hashable {
  /// What kind of thing it is.
  public var kind: FileKind
  /// How many bytes it holds.
  public var byteCount: Int
  /// When its bytes last changed, in nanoseconds since 1970 began in UTC.
  public var modificationNanoseconds: Int64
  /// Who may read and write it.
  public var permissions: FilePermissions
  /// Which file it is, whatever its name.
  public var identity: FileIdentity
  /// How many names it has; none once it was removed while open.
  public var nameCount: Int
  /// The number of the user whose it is; `nil` on a disk that knows no users.
  public var owner: UInt32?

  /// The status with the given parts.
  public init(
    kind: FileKind, byteCount: Int, modificationNanoseconds: Int64, permissions: FilePermissions,
    identity: FileIdentity, nameCount: Int, owner: UInt32? = nil
  ) {
    self.kind = kind
    self.byteCount = byteCount
    self.modificationNanoseconds = modificationNanoseconds
    self.permissions = permissions
    self.identity = identity
    self.nameCount = nameCount
    self.owner = owner
  }
}

/// Which file something is, whatever its name: two names with one identity are one file.
///
/// A file system may give the identity of a removed file to the next one, so compare with that of
/// a file you hold open, which keeps it: ``DurableFile/isStillAtItsPath()``.
public struct FileIdentity: Sendable, Hashable {
  /// The file system.
  public var device: UInt64
  /// The file in it.
  public var inode: UInt64

  /// The identity with the given numbers.
  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

/// What kind of thing a name in a directory stands for.
public enum FileKind: String, Sendable, Hashable, CustomStringConvertible {
  /// A file that holds bytes.
  case file = "file"
  /// A directory.
  case directory = "directory"
  /// A symbolic link.
  case symbolicLink = "symbolic link"
  /// A pipe, a socket or a device.
  case special = "pipe, socket or device"

  /// The kind in words.
  public var description: String { rawValue }
}

/// A name in a directory.
public struct DirectoryEntry: Sendable, Hashable {
  /// The name, without its directory. Bytes that are not UTF-8 show as `U+FFFD`, and such a name
  /// cannot be opened.
  public var name: String
  /// What has the name.
  public var kind: FileKind

  /// An entry of the given name and kind.
  public init(name: String, kind: FileKind) {
    self.name = name
    self.kind = kind
  }
}
