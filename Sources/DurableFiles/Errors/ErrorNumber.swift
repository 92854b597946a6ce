#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// The error number of a failed system call, such as `ENOENT`.
///
/// An error number is the cause of a ``DiskError``, and the failure that a test plans on a simulated disk.
public struct ErrorNumber: Error, RawRepresentable, Sendable, Hashable {
  public let rawValue: Int32

  /// Creates the error number with the given value of `errno`.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let accessDenied = ErrorNumber(rawValue: EACCES)
  /// The descriptor is closed, or was opened for another kind of access (`EBADF`).
  public static let badDescriptor = ErrorNumber(rawValue: EBADF)
  /// The bytes that are stored do not match their checksum (`EBADMSG`).
  public static let badMessage = ErrorNumber(rawValue: EBADMSG)
  /// The file or directory is in use (`EBUSY`).
  public static let busy = ErrorNumber(rawValue: EBUSY)
  /// The directory is not empty (`ENOTEMPTY`).
  public static let directoryNotEmpty = ErrorNumber(rawValue: ENOTEMPTY)
  /// The path exists already (`EEXIST`).
  public static let exists = ErrorNumber(rawValue: EEXIST)
  /// The file would grow beyond the limit of the file system or the process (`EFBIG`).
  public static let fileTooLarge = ErrorNumber(rawValue: EFBIG)
  public static let inputOutput = ErrorNumber(rawValue: EIO)
  /// A signal arrived before the call did anything (`EINTR`).
  public static let interrupted = ErrorNumber(rawValue: EINTR)
  /// The file system does not accept the argument (`EINVAL`).
  public static let invalidArgument = ErrorNumber(rawValue: EINVAL)
  /// The path names a directory (`EISDIR`).
  public static let isDirectory = ErrorNumber(rawValue: EISDIR)
  /// The kernel does not have the call (`ENOSYS`).
  public static let noSuchCall = ErrorNumber(rawValue: ENOSYS)
  /// The name is longer than the file system allows (`ENAMETOOLONG`).
  public static let nameTooLong = ErrorNumber(rawValue: ENAMETOOLONG)
  /// The path does not exist (`ENOENT`).
  public static let noEntry = ErrorNumber(rawValue: ENOENT)
  /// The device is full (`ENOSPC`).
  public static let noSpace = ErrorNumber(rawValue: ENOSPC)
  /// A part of the path is not a directory (`ENOTDIR`).
  public static let notDirectory = ErrorNumber(rawValue: ENOTDIR)
  /// Only the owner is permitted to do this (`EPERM`).
  public static let notPermitted = ErrorNumber(rawValue: EPERM)
  /// The file system does not support the operation (`ENOTSUP`).
  public static let notSupported = ErrorNumber(rawValue: ENOTSUP)
  /// The user's quota is used up (`EDQUOT`).
  public static let quotaExceeded = ErrorNumber(rawValue: EDQUOT)
  /// The file system is mounted read-only (`EROFS`).
  public static let readOnlyFileSystem = ErrorNumber(rawValue: EROFS)
  /// The file has disappeared from the server (`ESTALE`).
  public static let staleHandle = ErrorNumber(rawValue: ESTALE)
  /// The whole system has too many files open (`ENFILE`).
  public static let systemFileTableFull = ErrorNumber(rawValue: ENFILE)
  /// The process has too many files open (`EMFILE`).
  public static let tooManyOpenFiles = ErrorNumber(rawValue: EMFILE)
  /// There are too many symbolic links, or a link where none is allowed (`ELOOP`).
  public static let tooManyLinks = ErrorNumber(rawValue: ELOOP)
  /// The value does not fit (`EOVERFLOW`).
  public static let valueTooLarge = ErrorNumber(rawValue: EOVERFLOW)
  /// Another handle or process holds the lock (`EAGAIN`).
  public static let wouldBlock = ErrorNumber(rawValue: EAGAIN)
  /// Source and destination are on different file systems (`EXDEV`).
  public static let crossesDevices = ErrorNumber(rawValue: EXDEV)
}

extension ErrorNumber: CustomStringConvertible {
  /// The meaning and the symbol: `no space left on the device (ENOSPC)`.
  ///
  /// The texts are Quire's own, because `strerror` is not safe to call from several threads and uses the language of
  /// the process.
  public var description: String {
    guard let (symbol, meaning) = Self.words[self] else { return "error number \(rawValue)" }
    return "\(meaning) (\(symbol))"
  }

  private static let words: [ErrorNumber: (symbol: String, meaning: String)] = [
    .accessDenied: ("EACCES", "permission denied"),
    .badDescriptor: ("EBADF", "the file is not open for this operation"),
    .busy: ("EBUSY", "the file or directory is in use"),
    .crossesDevices: ("EXDEV", "the paths are on different file systems"),
    .directoryNotEmpty: ("ENOTEMPTY", "the directory is not empty"),
    .exists: ("EEXIST", "a file or directory of that name exists"),
    .badMessage: ("EBADMSG", "the stored bytes are damaged"),
    .fileTooLarge: ("EFBIG", "the file would become too large"),
    .inputOutput: ("EIO", "the device failed"),
    .interrupted: ("EINTR", "a signal interrupted the operation"),
    .invalidArgument: ("EINVAL", "the file system does not accept the request"),
    .isDirectory: ("EISDIR", "it is a directory"),
    .nameTooLong: ("ENAMETOOLONG", "the name is too long"),
    .noEntry: ("ENOENT", "no such file or directory"),
    .noSpace: ("ENOSPC", "no space left on the device"),
    .notDirectory: ("ENOTDIR", "a part of the path is not a directory"),
    .notPermitted: ("EPERM", "operation not permitted"),
    .noSuchCall: ("ENOSYS", "the system does not have the call"),
    .notSupported: ("ENOTSUP", "the file system does not support the operation"),
    .quotaExceeded: ("EDQUOT", "the quota is used up"),
    .readOnlyFileSystem: ("EROFS", "the file system is read-only"),
    .staleHandle: ("ESTALE", "the server no longer knows the file"),
    .systemFileTableFull: ("ENFILE", "the system has too many files open"),
    .tooManyLinks: (
      "ELOOP", "the path contains too many symbolic links, or a link that is not allowed"
    ),
    .tooManyOpenFiles: ("EMFILE", "the process has too many files open"),
    .valueTooLarge: ("EOVERFLOW", "a value is too large"),
    .wouldBlock: ("EAGAIN", "another process holds the lock"),
  ]
}
