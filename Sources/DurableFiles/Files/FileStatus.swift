/// The state of a file at one moment: kind, size, dates and identity.
public struct FileStatus: Sendable, Hashable {
  public var kind: FileKind
  /// The number of bytes in the file.
  public var byteCount: Int
  /// The time of the last change of the bytes, in nanoseconds since the beginning of 1970 in UTC.
  public var modificationNanoseconds: Int64
  /// The permissions of the file.
  public var permissions: FilePermissions
  /// The identity of the file, independent of its name.
  public var identity: FileIdentity
  /// The number of names (hard links) of the file; zero if it was removed while open.
  public var nameCount: Int
  /// The number of the user who owns the file; `nil` on a disk without users.
  public var owner: UInt32?

  /// Creates a status with the given parts.
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

/// The identity of a file, independent of its name: two names with the same identity are names of one file.
///
/// A file system may give the identity of a removed file to a new one. So compare only with the identity of an open
/// file, which stays in use: ``DurableFile/isStillAtItsPath()``.
public struct FileIdentity: Sendable, Hashable {
  /// The number of the file system.
  public var device: UInt64
  /// The number of the file in its file system.
  public var inode: UInt64

  /// Creates the identity with the given numbers.
  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

/// The kind of item that a name in a directory stands for.
public enum FileKind: String, Sendable, Hashable, CustomStringConvertible {
  /// A file that contains bytes.
  case file = "file"
  case directory = "directory"
  case symbolicLink = "symbolic link"
  case special = "pipe, socket or device"

  public var description: String { rawValue }
}

/// A name in a directory.
public struct DirectoryEntry: Sendable, Hashable {
  /// The name, without its directory. Bytes that are not UTF-8 appear as `U+FFFD`, and a file with such a name cannot
  /// be opened.
  public var name: String
  /// The kind of item with this name.
  public var kind: FileKind

  /// Creates an entry with the given name and kind.
  public init(name: String, kind: FileKind) {
    self.name = name
    self.kind = kind
  }
}
