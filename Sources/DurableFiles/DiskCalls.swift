/// The system calls that files are made of: what a disk of your own implements.
///
/// Everything else in this module, the retries, the poisoning, the atomic replacement and the
/// locks, is written once on top of these, so a simulated disk puts the very code to the test that
/// runs on a real one. An implementation does what one call of the operating system does and no
/// more: it may write fewer bytes than asked for, and it reports `EINTR` and does not try again.
public protocol DiskCalls: Sendable {
  /// Opens a file or a directory.
  func open(_ path: String, _ request: OpenRequest) throws(ErrorNumber) -> Descriptor
  /// Closes a descriptor, whatever it throws.
  func close(_ descriptor: Descriptor) throws(ErrorNumber)
  /// Reads into the buffer and returns how many bytes; none means the end of the file.
  func read(
    _ descriptor: Descriptor, into buffer: inout MutableRawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int
  /// Writes some of the bytes and returns how many.
  func write(
    _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int
  /// Cuts the file, or lengthens it with zeros.
  func truncate(_ descriptor: Descriptor, to byteCount: Int) throws(ErrorNumber)
  /// Makes a file's contents, or a directory's entries, durable.
  func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber)
  /// What an open file is.
  func status(_ descriptor: Descriptor) throws(ErrorNumber) -> FileStatus
  /// Sets who may read and write an open file.
  func setPermissions(
    _ descriptor: Descriptor, to permissions: FilePermissions
  ) throws(ErrorNumber)
  /// Takes or converts a lock of the whole file at once, or throws `EAGAIN`.
  ///
  /// The lock belongs to the descriptor: two descriptors of one process conflict, and closing or
  /// the end of the process gives it back.
  func lock(_ descriptor: Descriptor, _ kind: LockKind) throws(ErrorNumber)
  /// Gives the lock back.
  func unlock(_ descriptor: Descriptor) throws(ErrorNumber)
  /// The entries of an open directory in any order, without `.` and `..`.
  func list(_ descriptor: Descriptor) throws(ErrorNumber) -> [DirectoryEntry]

  /// What is at the path; with `followingLinks` false, a symbolic link itself.
  func status(of path: String, followingLinks: Bool) throws(ErrorNumber) -> FileStatus
  /// Makes a directory.
  func makeDirectory(_ path: String, _ permissions: FilePermissions) throws(ErrorNumber)
  /// Removes the name of a file or of a symbolic link.
  func remove(_ path: String) throws(ErrorNumber)
  /// Removes an empty directory.
  func removeDirectory(_ path: String) throws(ErrorNumber)
  /// Moves a name, replacing what has the new one, in one step.
  func rename(_ path: String, to newPath: String) throws(ErrorNumber)
  /// Gives a file a second name, or throws `EEXIST`.
  func link(_ path: String, to newPath: String) throws(ErrorNumber)
  /// Makes a symbolic link to `destination`, which need not exist.
  func makeSymbolicLink(_ path: String, to destination: String) throws(ErrorNumber)
  /// Where a symbolic link leads, as it was written.
  func readSymbolicLink(_ path: String) throws(ErrorNumber) -> String

  /// Who makes the calls.
  var process: ProcessIdentity { get }
  /// Whether a process of this machine still runs.
  func isRunning(_ process: ProcessIdentity) -> Bool
  /// A number that nobody else has.
  func uniqueNumber() -> UInt64
  /// Records the number of a temporary file that this process could not remove, so that its next
  /// writer removes the file.
  func giveUp(temporaryNumber: UInt64)
  /// Whether this process has given a temporary file up.
  func hasGivenUp(temporaryNumber: UInt64) -> Bool
  /// The time that has passed since some moment, by a clock that is never set.
  var uptime: Duration { get }
  /// Lets that time pass.
  func pause(for duration: Duration)
}

/// An open file or directory, as its disk numbers it.
public struct Descriptor: RawRepresentable, Sendable, Hashable {
  /// The disk's number.
  public let rawValue: Int32

  /// The open file with the given number.
  public init(rawValue: Int32) { self.rawValue = rawValue }
}

/// How to open a file or a directory.
public struct OpenRequest: Sendable, Hashable {
  /// What the handle is for.
  public var mode: OpenMode
  /// Which symbolic links may be followed.
  public var links: LinkRule
  /// Who may read and write a file that is created, before the process's mask is taken off.
  public var permissions: FilePermissions
  /// Whether a directory is wanted, and anything else refused.
  public var isDirectory: Bool

  /// A request to open a file.
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

extension DiskCalls {
  /// Does nothing: the disk makes no temporary files.
  public func giveUp(temporaryNumber: UInt64) {}
  /// Returns false.
  public func hasGivenUp(temporaryNumber: UInt64) -> Bool { false }
}
