public import DurableFiles

/// The calls of a disk that passes most of them on to another disk: implement only the calls that differ.
///
/// A test uses such a disk for a fault that ``SimulatedDisk`` does not know, such as a sync that does nothing.
public protocol WrappingCalls: DiskCalls {
  /// The calls of the disk below.
  var base: any DiskCalls { get }
}

extension WrappingCalls {
  /// Passes the call on.
  public func open(_ path: String, _ request: OpenRequest) throws(ErrorNumber) -> Descriptor {
    try base.open(path, request)
  }
  /// Passes the call on.
  public func close(_ descriptor: Descriptor) throws(ErrorNumber) { try base.close(descriptor) }
  /// Passes the call on.
  public func read(
    _ descriptor: Descriptor, into buffer: inout MutableRawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int { try base.read(descriptor, into: &buffer, at: offset) }
  public func storedBytes(_ descriptor: Descriptor, from offset: Int) -> Int? {
    base.storedBytes(descriptor, from: offset)
  }
  /// Passes the call on.
  public func write(
    _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int { try base.write(descriptor, bytes, at: offset) }
  /// Passes the call on.
  public func truncate(_ descriptor: Descriptor, to byteCount: Int) throws(ErrorNumber) {
    try base.truncate(descriptor, to: byteCount)
  }
  /// Passes the call on.
  public func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber) {
    try base.sync(descriptor, scope)
  }
  /// Passes the call on.
  public func status(_ descriptor: Descriptor) throws(ErrorNumber) -> FileStatus {
    try base.status(descriptor)
  }
  public func place(_ descriptor: Descriptor, inode: UInt64) -> FilePlace {
    base.place(descriptor, inode: inode)
  }
  /// Passes the call on.
  public func setPermissions(
    _ descriptor: Descriptor, to permissions: FilePermissions
  ) throws(ErrorNumber) { try base.setPermissions(descriptor, to: permissions) }
  /// Passes the call on.
  public func lock(_ descriptor: Descriptor, _ kind: LockKind) throws(ErrorNumber) {
    try base.lock(descriptor, kind)
  }
  /// Passes the call on.
  public func unlock(_ descriptor: Descriptor) throws(ErrorNumber) { try base.unlock(descriptor) }
  /// Passes the call on.
  public func list(_ descriptor: Descriptor) throws(ErrorNumber) -> [DirectoryEntry] {
    try base.list(descriptor)
  }
  /// Passes the call on.
  public func status(of path: String, followingLinks: Bool) throws(ErrorNumber) -> FileStatus {
    try base.status(of: path, followingLinks: followingLinks)
  }
  /// Passes the call on.
  public func realPath(of path: String) throws(ErrorNumber) -> String {
    try base.realPath(of: path)
  }
  /// Passes the call on.
  public func makeDirectory(_ path: String, _ permissions: FilePermissions) throws(ErrorNumber) {
    try base.makeDirectory(path, permissions)
  }
  /// Passes the call on.
  public func remove(_ path: String) throws(ErrorNumber) { try base.remove(path) }
  /// Passes the call on.
  public func removeDirectory(_ path: String) throws(ErrorNumber) { try base.removeDirectory(path) }
  /// Passes the call on.
  public func rename(_ path: String, to newPath: String) throws(ErrorNumber) {
    try base.rename(path, to: newPath)
  }
  /// Passes the call on.
  public func exchange(_ path: String, with other: String) throws(ErrorNumber) {
    try base.exchange(path, with: other)
  }
  /// Passes the call on.
  public func link(_ path: String, to newPath: String) throws(ErrorNumber) {
    try base.link(path, to: newPath)
  }
  /// Passes the call on.
  public func makeSymbolicLink(_ path: String, to destination: String) throws(ErrorNumber) {
    try base.makeSymbolicLink(path, to: destination)
  }
  /// Passes the call on.
  public func readSymbolicLink(_ path: String) throws(ErrorNumber) -> String {
    try base.readSymbolicLink(path)
  }
  /// The process of the disk below.
  public var process: ProcessIdentity { base.process }
  public func isRunning(_ process: ProcessIdentity) -> Bool { base.isRunning(process) }
  public func uniqueNumber() -> UInt64 { base.uniqueNumber() }
  /// The time of the disk below.
  public var uptime: Duration { base.uptime }
  public func pause(for duration: Duration) { base.pause(for: duration) }
}
