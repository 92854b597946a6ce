/// The system calls that a disk consists of: implement this protocol for a disk of your own.
///
/// The rest of this module (retries, poisoning, atomic replacement and locks) is written once on top of these calls.
/// A test on a simulated disk therefore runs the same code as a real disk. An implementation does exactly one call of
/// the operating system: it may write fewer bytes than requested, and it reports `EINTR` instead of trying again.
public protocol DiskCalls: Sendable {
  /// Opens a file or a directory.
  func open(_ path: String, _ request: OpenRequest) throws(ErrorNumber) -> Descriptor
  /// Closes a descriptor. The descriptor is closed even if the call throws.
  func close(_ descriptor: Descriptor) throws(ErrorNumber)
  /// Reads into the buffer and returns the number of bytes read. Zero means the end of the file.
  func read(
    _ descriptor: Descriptor, into buffer: inout MutableRawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int
  /// Returns the offset of the first byte from `offset` on that the disk may have stored, or `nil` if no stored byte
  /// follows. The bytes before it were never written, and are zeros.
  ///
  /// A disk that does not know which bytes are stored returns `offset`.
  func storedBytes(_ descriptor: Descriptor, from offset: Int) -> Int?
  /// Writes some of the bytes and returns the number of bytes written.
  func write(
    _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int
  /// Cuts the file, or lengthens it with zeros.
  func truncate(_ descriptor: Descriptor, to byteCount: Int) throws(ErrorNumber)
  /// Makes a file's contents, or a directory's entries, durable.
  func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber)
  /// Returns the status of an open file.
  func status(_ descriptor: Descriptor) throws(ErrorNumber) -> FileStatus
  /// Returns the place of an open file, which tells the file from a copy of it.
  ///
  /// - Parameter inode: The number of the file in its file system, as ``status(_:)`` returns it.
  func place(_ descriptor: Descriptor, inode: UInt64) -> FilePlace
  /// Sets the permissions of an open file.
  func setPermissions(
    _ descriptor: Descriptor, to permissions: FilePermissions
  ) throws(ErrorNumber)
  /// Acquires or converts a lock of the whole file without waiting, or throws `EAGAIN`.
  ///
  /// The lock belongs to the descriptor, so two descriptors of one process conflict. The lock is released when the
  /// descriptor is closed or the process ends.
  func lock(_ descriptor: Descriptor, _ kind: LockKind) throws(ErrorNumber)
  /// Releases the lock.
  func unlock(_ descriptor: Descriptor) throws(ErrorNumber)
  /// Returns the entries of an open directory in any order, without `.` and `..`.
  func list(_ descriptor: Descriptor) throws(ErrorNumber) -> [DirectoryEntry]

  /// Returns the status of the file or directory at a path; with `followingLinks` false, of a symbolic link itself.
  func status(of path: String, followingLinks: Bool) throws(ErrorNumber) -> FileStatus
  /// Makes a directory.
  func makeDirectory(_ path: String, _ permissions: FilePermissions) throws(ErrorNumber)
  /// Removes the name of a file or of a symbolic link.
  func remove(_ path: String) throws(ErrorNumber)
  /// Removes an empty directory.
  func removeDirectory(_ path: String) throws(ErrorNumber)
  /// Moves a name in one step. A file or an empty directory with the new name is replaced.
  func rename(_ path: String, to newPath: String) throws(ErrorNumber)
  /// Exchanges two files or directories in one step. Throws `ENOTSUP`, `EINVAL` or `ENOSYS` if the file system or the
  /// kernel can't do this.
  func exchange(_ path: String, with other: String) throws(ErrorNumber)
  /// Gives a file a second name, or throws `EEXIST`.
  func link(_ path: String, to newPath: String) throws(ErrorNumber)
  /// Makes a symbolic link to `destination`, which need not exist.
  func makeSymbolicLink(_ path: String, to destination: String) throws(ErrorNumber)
  /// Returns the destination of a symbolic link, as it was written.
  func readSymbolicLink(_ path: String) throws(ErrorNumber) -> String
  /// Returns the path by which the operating system itself finds a file or directory, for a library that opens files
  /// on its own. Throws `ENOTSUP` if the file is not a file of the operating system.
  func realPath(of path: String) throws(ErrorNumber) -> String

  /// The process that makes the calls.
  var process: ProcessIdentity { get }
  /// Returns whether a process of this machine is still running.
  func isRunning(_ process: ProcessIdentity) -> Bool
  /// Returns a number that no other call returns, in this process or another.
  func uniqueNumber() -> UInt64
  /// Records the number of a temporary file that this process could not remove, so that its next
  /// writer removes the file.
  func abandon(temporaryNumber: UInt64)
  /// Returns whether this process has recorded the number with ``abandon(temporaryNumber:)``.
  func hasAbandoned(temporaryNumber: UInt64) -> Bool
  /// The time since some fixed moment, by a clock that is never set.
  var uptime: Duration { get }
  /// Waits for a duration of ``uptime``.
  func pause(for duration: Duration)
}

/// An open file or directory, by its number on the disk.
public struct Descriptor: RawRepresentable, Sendable, Hashable {
  public let rawValue: Int32

  /// Creates the descriptor with the given number.
  public init(rawValue: Int32) { self.rawValue = rawValue }
}

/// The way to open a file or a directory.
public struct OpenRequest: Sendable, Hashable {
  /// The access that the handle needs.
  public var mode: OpenMode
  /// The symbolic links that may be followed.
  public var links: LinkRule
  /// The permissions of a file that is created. The process's mask is subtracted from them.
  public var permissions: FilePermissions
  /// Whether the request is for a directory; a file is then refused.
  public var isDirectory: Bool

  /// Creates a request to open a file.
  public init(
    _ mode: OpenMode, links: LinkRule = .followed, permissions: FilePermissions = .newFile,
    isDirectory: Bool = false
  ) {
    self.mode = mode
    self.links = links
    self.permissions = permissions
    self.isDirectory = isDirectory
  }
}

/// Calls that make files of the operating system. A file may be made at another path than the given one.
///
/// A signal that ends the process removes temporary files of these calls alone: a simulated disk ends with the process.
/// `realPath(of:)` must not look at the disk, because the file need not exist yet.
package protocol SystemFileCalls: DiskCalls {}

extension DiskCalls {
  /// Throws `ENOTSUP`.
  public func exchange(_ path: String, with other: String) throws(ErrorNumber) {
    throw .notSupported
  }

  /// Returns the path itself if the operating system finds the same file there as this disk; throws `ENOTSUP` otherwise.
  public func realPath(of path: String) throws(ErrorNumber) -> String {
    let here = try status(of: path, followingLinks: true).identity
    let there: FileStatus
    do throws(ErrorNumber) {
      there = try SystemCalls().status(of: path, followingLinks: true)
    } catch { throw .notSupported }
    guard there.identity == here else { throw .notSupported }
    return path
  }
  /// Does nothing, for a disk that makes no temporary files.
  public func abandon(temporaryNumber: UInt64) {}
  /// Returns false, for a disk that makes no temporary files.
  public func hasAbandoned(temporaryNumber: UInt64) -> Bool { false }
}

extension DiskCalls {
  public func storedBytes(_ descriptor: Descriptor, from offset: Int) -> Int? { offset }
  public func place(_ descriptor: Descriptor, inode: UInt64) -> FilePlace {
    FilePlace(inode: inode, birthNanoseconds: 0)
  }
}
