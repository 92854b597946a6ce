/// An operation of a disk. Errors name it, and a simulated disk records it and can make it fail.
///
/// One operation is one system call. The type is a struct with static members, so a new operation does not break
/// existing code.
public struct DiskOperation: RawRepresentable, Sendable, Hashable {
  public let rawValue: String

  /// Creates the operation with the given name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Opens or creates a file, or opens a directory.
  public static let open = DiskOperation(rawValue: "open")
  public static let close = DiskOperation(rawValue: "close")
  /// Reads bytes at an offset.
  public static let read = DiskOperation(rawValue: "read")
  /// Writes bytes at an offset.
  public static let write = DiskOperation(rawValue: "write")
  /// Cuts a file, or lengthens it with zeros.
  public static let truncate = DiskOperation(rawValue: "truncate")
  /// Makes a file or a directory durable.
  public static let sync = DiskOperation(rawValue: "sync")
  /// Reads the size, the dates and the identity.
  public static let status = DiskOperation(rawValue: "status")
  public static let setPermissions = DiskOperation(rawValue: "set permissions")
  /// Acquires or converts a lock.
  public static let lock = DiskOperation(rawValue: "lock")
  public static let unlock = DiskOperation(rawValue: "unlock")
  public static let list = DiskOperation(rawValue: "list")
  public static let makeDirectory = DiskOperation(rawValue: "make directory")
  /// Removes a file's or a symbolic link's name.
  public static let remove = DiskOperation(rawValue: "remove")
  public static let removeDirectory = DiskOperation(rawValue: "remove directory")
  /// Renames an item. A file or an empty directory that already has the new name is replaced.
  public static let rename = DiskOperation(rawValue: "rename")
  public static let exchange = DiskOperation(rawValue: "exchange")
  /// Gives a file a second name.
  public static let link = DiskOperation(rawValue: "link")
  public static let makeSymbolicLink = DiskOperation(rawValue: "make symbolic link")
  /// Reads the destination of a symbolic link.
  public static let readSymbolicLink = DiskOperation(rawValue: "read symbolic link")
}

extension DiskOperation: CustomStringConvertible {
  public var description: String { rawValue }
}
