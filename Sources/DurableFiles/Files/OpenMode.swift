/// The access that a file is opened for.
public enum OpenMode: Sendable, Hashable {
  case read
  /// Reads and writes an existing file.
  case update
  /// Creates a file, reads and writes it. The path must not exist, not even as a symbolic link.
  case create
  /// Reads and writes a file, and creates it if necessary.
  case updateOrCreate

  /// Whether the handle may write.
  package var allowsWriting: Bool { self != .read }

  /// The verb of the attempt, for a message.
  var attempt: String { self == .create ? "create" : "open" }
}

/// The symbolic links that are followed on the way to a file.
///
/// A document may come from an untrusted source, so the paths in it must not lead out of it:
///
///     let store = try disk.open(
///       "Trip.quire/main.store", for: .read, links: .refusedBelow("Trip.quire"))
public enum LinkRule: Sendable, Hashable {
  case followed
  /// A link at the end of the path is refused; links in the directories before it are followed.
  case refused
  /// Below this directory, which the path must begin with, every link and every `..` is refused.
  /// Links on the way to the directory are followed.
  case refusedBelow(String)
}

/// The part of a file that a sync makes durable.
public enum SyncScope: Sendable, Hashable {
  /// The bytes, and the length needed to read them back (`fdatasync`).
  case contents
  /// The bytes, the permissions and the dates (`fsync`).
  case everything
}

/// The permissions of a file, as POSIX mode bits.
public struct FilePermissions: RawRepresentable, Sendable, Hashable {
  /// The mode bits, without the bits for the kind of file.
  public let rawValue: UInt16

  /// Creates permissions with the given mode bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue & 0o7777 }

  /// The default for new files: all users read and write, minus the process's mask.
  public static let newFile = FilePermissions(rawValue: 0o666)
  /// The default for new directories: all users have full access, minus the process's mask.
  public static let newDirectory = FilePermissions(rawValue: 0o777)
  /// Only the owner reads and writes.
  public static let ownerOnly = FilePermissions(rawValue: 0o600)
}
