extension DiskError {
  /// A kind of failure, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The path does not exist.
    public static let notFound = Code(rawValue: "notFound")
    public static let exists = Code(rawValue: "exists")
    /// The process lacks the permission for the operation.
    public static let permissionDenied = Code(rawValue: "permissionDenied")
    /// The file system is mounted read-only.
    public static let readOnly = Code(rawValue: "readOnly")
    /// The device is full, or the user's quota is used up.
    public static let noSpace = Code(rawValue: "noSpace")
    /// The bytes that are stored for the file are damaged.
    public static let damaged = Code(rawValue: "damaged")
    public static let inputOutput = Code(rawValue: "inputOutput")
    /// The file or a value is larger than the system or a limit allows.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// The path names a directory where a file was wanted.
    public static let isDirectory = Code(rawValue: "isDirectory")
    /// A part of the path, or the item at the path, is not a directory.
    public static let notADirectory = Code(rawValue: "notADirectory")
    /// The directory is not empty.
    public static let notEmpty = Code(rawValue: "notEmpty")
    /// The path names a pipe, a socket or a device.
    public static let notARegularFile = Code(rawValue: "notARegularFile")
    /// A symbolic link is in a place where links are not allowed, or links form a cycle.
    public static let symbolicLink = Code(rawValue: "symbolicLink")
    /// The path is too long, contains a null character or leads out of its directory.
    public static let invalidPath = Code(rawValue: "invalidPath")
    /// The old and the new path are on different file systems.
    public static let crossesFileSystems = Code(rawValue: "crossesFileSystems")
    /// Another handle or process holds the lock; ``DiskError/holder`` names the lock holder.
    public static let locked = Code(rawValue: "locked")
    /// The file or directory is in use.
    public static let busy = Code(rawValue: "busy")
    /// An earlier sync of this handle failed, so the handle no longer writes.
    public static let poisoned = Code(rawValue: "poisoned")
    public static let closed = Code(rawValue: "closed")
    /// The file ends before the last requested byte.
    public static let unexpectedEnd = Code(rawValue: "unexpectedEnd")
    /// The process or the system has too many files open.
    public static let tooManyOpenFiles = Code(rawValue: "tooManyOpenFiles")
    /// The file system does not support the operation.
    public static let unsupported = Code(rawValue: "unsupported")
    /// Any other failure; ``DiskError/cause`` contains the reason.
    public static let other = Code(rawValue: "other")

    /// Creates the kind of failure that an error number of the system stands for.
    init(_ cause: ErrorNumber) {
      self = Self.codes[cause] ?? .other
    }

    private static let codes: [ErrorNumber: Code] = [
      .accessDenied: .permissionDenied,
      .badDescriptor: .permissionDenied,
      .badMessage: .damaged,
      .busy: .busy,
      .crossesDevices: .crossesFileSystems,
      .directoryNotEmpty: .notEmpty,
      .exists: .exists,
      .fileTooLarge: .tooLarge,
      .inputOutput: .inputOutput,
      .invalidArgument: .unsupported,
      .isDirectory: .isDirectory,
      .nameTooLong: .invalidPath,
      .noEntry: .notFound,
      .noSpace: .noSpace,
      .notDirectory: .notADirectory,
      .notPermitted: .permissionDenied,
      .notSupported: .unsupported,
      .quotaExceeded: .noSpace,
      .readOnlyFileSystem: .readOnly,
      .staleHandle: .notFound,
      .systemFileTableFull: .tooManyOpenFiles,
      .tooManyLinks: .symbolicLink,
      .tooManyOpenFiles: .tooManyOpenFiles,
      .valueTooLarge: .tooLarge,
      .wouldBlock: .locked,
    ]
  }
}

extension DiskError.Code: CustomStringConvertible {
  public var description: String { rawValue }
}
