/// A lock that this process holds on a lock file. The file names the lock holder.
///
///     let lock = try disk.lock("Trip.quire/lock")
///     if let crashed = lock.abandonedBy { … }  // What it was doing may be half done.
///     …
///     try lock.release()
///
/// The lock is also released when the object is released, or when the process ends in any way. The lock file stays.
/// If a process removed it, two processes could each hold a lock, on two different files with the same name.
public final class FileLock: Sendable {
  public let path: String
  /// The kind of lock. Other processes may hold a shared lock at the same time.
  public let kind: LockKind
  /// The process that held the lock exclusively before and ended without releasing it.
  public let abandonedBy: ProcessIdentity?

  private let file: DurableFile
  /// The identity of the lock file. If another file has this lock's name, other processes lock that one.
  package var identity: FileIdentity { file.openingStatus.identity }

  /// Whether the file is a lock file. Any other file is locked too, but its bytes are not changed.
  let isLockFile: Bool

  init(_ file: DurableFile, _ kind: LockKind, isLockFile: Bool, abandonedBy: ProcessIdentity?) {
    self.file = file
    self.isLockFile = isLockFile
    path = file.path
    self.kind = kind
    self.abandonedBy = abandonedBy
  }

  deinit { try? release() }

  /// Releases the lock. A second call does nothing.
  public func release() throws(DiskError) {
    do {
      // The name is removed while the lock is held, so that no other process writes its own name meanwhile.
      if kind == .exclusive, isLockFile { try file.truncate(to: 0) }
    } catch let error where error.code == .closed {
      return
    } catch {
      // If the name stays, the next holder looks for a crash, which is harmless. A lock that stays is not, so the file
      // is closed in any case.
    }
    // A child process that another thread is starting has a copy of the descriptor until it runs its program. The lock
    // would stay until then, if only this copy were closed.
    try? file.unlock()
    try file.close()
  }
}

extension Disk {
  /// Acquires a lock on a lock file, and creates the file if necessary.
  ///
  /// The operating system's lock decides, and it ends with its holder, so a crash leaves no lock. A crash leaves the
  /// name of the lock holder in the file, and the next holder gets this name as ``FileLock/abandonedBy``. The name of
  /// a process on another host is refused, because a lock may not reach from host to host. Pass `takingOver` once you
  /// know that the other host is done.
  ///
  /// - Parameters:
  ///   - path: The lock file. It is never removed, and a symbolic link there is refused. A file that contains
  ///     anything but a lock record, or has a second name, is locked and never written to.
  ///   - kind: Exclusive holders write their name into the file; shared holders do not.
  ///   - patience: The longest time to wait for other holders; the calling thread is blocked.
  ///   - takingOver: Whether to acquire a free lock although the file names a process of another host.
  /// - Throws: ``DiskError`` with code `locked` and its ``DiskError/holder``, and the codes of
  ///   ``open(_:for:links:permissions:)``.
  public func lock(
    _ path: String, _ kind: LockKind = .exclusive, waiting patience: LockPatience = .never,
    takingOver: Bool = false
  ) throws(DiskError) -> FileLock {
    while true {
      let file = try openToLock(path, kind)
      guard try file.tryLock(kind, patience: patience) else {
        throw .locked(path: path, holder: LockHolder(record: try file.lockRecord(), seenBy: calls))
      }
      // Another process may have removed the file between our opening and our locking it. The lock is then on a file
      // without a name, which another process will not see.
      guard try file.isStillAtItsPath() else { continue }

      let left = try file.lockRecord()
      let isLockFile = try file.isLockFile()
      if let left, !takingOver {
        let holder = LockHolder(record: left, seenBy: calls)
        if holder.standing == .otherHost { throw .locked(path: path, holder: holder) }
      }
      if kind == .exclusive, isLockFile {
        do {
          try file.truncate(to: 0)
          try file.write(LockRecord(calls.process).bytes, at: 0)
        } catch let error where error.code == .noSpace {
          // A program that makes room on a full disk needs the lock more than a name in it.
        }
      }
      return FileLock(file, kind, isLockFile: isLockFile, abandonedBy: left?.process)
    }
  }
}

extension Disk {
  /// Opens a lock file. For a shared lock, read access is enough.
  private func openToLock(_ path: String, _ kind: LockKind) throws(DiskError) -> DurableFile {
    do { return try open(path, for: .updateOrCreate, links: .refused) } catch {
      guard kind == .shared, error.code == .permissionDenied || error.code == .readOnly else {
        throw error
      }
      return try open(path, for: .read, links: .refused)
    }
  }
}

extension DurableFile {
  /// Returns whether the file is a lock file: it contains a lock record or nothing, and has no second name.
  ///
  /// Any other file must keep its bytes. A second name of a lock file may be the name of a user's file.
  fileprivate func isLockFile() throws(DiskError) -> Bool {
    let nameCount = try status().nameCount
    guard nameCount <= 1 else { return false }
    let bytes = try firstBytes()
    return LockRecord.mayBegin(bytes)
  }

  private func firstBytes() throws(DiskError) -> [UInt8] {
    try [UInt8](count: LockRecord.byteLimit + 1) { memory throws(DiskError) in
      try readAvailable(into: &memory, at: 0)
    }
  }

  /// Returns the record in the lock file; `nil` for anything but a complete record.
  fileprivate func lockRecord() throws(DiskError) -> LockRecord? {
    LockRecord(try firstBytes())
  }
}
