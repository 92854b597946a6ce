/// What a file is opened for.
public enum OpenMode: Sendable, Hashable {
  /// Reads a file that is there.
  case read
  /// Reads and writes a file that is there.
  case update
  /// Creates a file, reads and writes it; an error if anything of that name is there, be it a
  /// symbolic link.
  case create
  /// Reads and writes a file, and creates it if need be.
  case updateOrCreate

  /// Whether the handle may write.
  var allowsWriting: Bool { self != .read }

  /// What is tried, for a message.
  var attempt: String { self == .create ? "create" : "open" }
}

/// Which symbolic links are followed on the way to a file.
///
/// A document comes from anywhere, so what it names must not lead out of it:
///
///     let store = try disk.open(
///       "Trip.quire/main.store", for: .read, links: .refusedBelow("Trip.quire"))
public enum LinkRule: Sendable, Hashable {
  /// Every link is followed.
  case followed
  /// A link in the last place is refused; those in directories before it are followed.
  case refused
  /// Below this directory, which the path must begin with, every link and every `..` is refused.
  /// Links on the way to the directory are followed.
  case refusedBelow(String)
}

/// How much of a file a sync makes durable.
public enum SyncScope: Sendable, Hashable {
  /// The bytes, and the length needed to read them back (`fdatasync`).
  case contents
  /// The bytes, the permissions and the dates (`fsync`).
  case everything
}

/// Who may read and write a file, as POSIX mode bits.
public struct FilePermissions: RawRepresentable, Sendable, Hashable {
  /// The mode bits, without those of the kind of file.
  public let rawValue: UInt16

  /// The given mode bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue & 0o7777 }

  /// What new files ask for: everybody reads and writes, less the process's mask.
  public static let newFile = FilePermissions(rawValue: 0o666)
  /// What new directories ask for: everybody does everything, less the process's mask.
  public static let newDirectory = FilePermissions(rawValue: 0o777)
  /// Only the owner reads and writes.
  public static let ownerOnly = FilePermissions(rawValue: 0o600)
}
