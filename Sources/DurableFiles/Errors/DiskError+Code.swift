extension DiskError {
  /// A kind of failure, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public let rawValue: String

    /// The kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing of that name is there.
    public static let notFound = Code(rawValue: "notFound")
    /// Something of that name is there already.
    public static let exists = Code(rawValue: "exists")
    /// The process may not do that.
    public static let permissionDenied = Code(rawValue: "permissionDenied")
    /// The file system is mounted read-only.
    public static let readOnly = Code(rawValue: "readOnly")
    /// The device is full, or the user's share of it is used up.
    public static let noSpace = Code(rawValue: "noSpace")
    /// The device failed.
    public static let inputOutput = Code(rawValue: "inputOutput")
    /// The file or a value is larger than somebody allows.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// The path names a directory where a file was wanted.
    public static let isDirectory = Code(rawValue: "isDirectory")
    /// A part of the path, or the thing itself, is not a directory.
    public static let notADirectory = Code(rawValue: "notADirectory")
    /// The directory still holds something.
    public static let notEmpty = Code(rawValue: "notEmpty")
    /// The path names a pipe, a socket or a device.
    public static let notARegularFile = Code(rawValue: "notARegularFile")
    /// A symbolic link stands where none is allowed, or links lead in a circle.
    public static let symbolicLink = Code(rawValue: "symbolicLink")
    /// The path is too long, holds a null character or leads out of its directory.
    public static let invalidPath = Code(rawValue: "invalidPath")
    /// The old and the new path are on different file systems.
    public static let crossesFileSystems = Code(rawValue: "crossesFileSystems")
    /// Somebody else holds the lock; the error's holder says who.
    public static let locked = Code(rawValue: "locked")
    /// The thing is in use.
    public static let busy = Code(rawValue: "busy")
    /// A sync of this handle failed before, so it writes no more.
    public static let poisoned = Code(rawValue: "poisoned")
    /// The handle is closed.
    public static let closed = Code(rawValue: "closed")
    /// The file ends before the last byte asked for.
    public static let unexpectedEnd = Code(rawValue: "unexpectedEnd")
    /// The process or the system has too many files open.
    public static let tooManyOpenFiles = Code(rawValue: "tooManyOpenFiles")
    /// The file system cannot do that.
    public static let unsupported = Code(rawValue: "unsupported")
    /// Something else; the cause says what.
    public static let other = Code(rawValue: "other")

    /// The kind of failure a system's error number stands for.
    init(_ cause: ErrorNumber) {
      self = Self.codes[cause] ?? .other
    }

    private static let codes: [ErrorNumber: Code] = [
      .accessDenied: .permissionDenied,
      .badDescriptor: .permissionDenied,
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
  /// The kind's name.
  public var description: String { rawValue }
}
