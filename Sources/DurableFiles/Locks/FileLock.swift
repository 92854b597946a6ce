/// A lock that is held, named by a lock file that says who holds it.
///
///     let lock = try disk.lock("Trip.quire/lock")
///     if let crashed = lock.abandonedBy { … }  // What it was doing may be half done.
///     …
///     try lock.release()
///
/// Releasing the object, or the end of the process however it comes, gives the lock back too. The
/// lock file stays: who removed it could leave two processes with a lock each, on two files of one
/// name.
public final class FileLock: Sendable {
  /// The lock file's path.
  public let path: String
  /// Whether others may hold the lock beside us.
  public let kind: LockKind
  /// The process that held the lock exclusively before and ended without giving it back.
  public let abandonedBy: ProcessIdentity?

  private let file: DurableFile

  /// Whether the file exists to be locked. Another file of its name is locked too, and keeps its bytes.
  let isLockFile: Bool

  init(_ file: DurableFile, _ kind: LockKind, isLockFile: Bool, abandonedBy: ProcessIdentity?) {
    self.file = file
    self.isLockFile = isLockFile
    path = file.path
    self.kind = kind
    self.abandonedBy = abandonedBy
  }

  deinit { try? release() }

  /// Gives the lock back. Doing it again does nothing.
  public func release() throws(DiskError) {
    do {
      // First the name goes, while the lock keeps others from writing theirs.
      if kind == .exclusive, isLockFile { try file.truncate(to: 0) }
    } catch let error where error.code == .closed {
      return
    } catch {
      // A name that stays makes the next holder look for a crash, which does no harm. A lock that
      // stays would.
    }
    try file.close()
  }
}

extension Disk {
  /// Takes a lock on a file that exists only to be locked, creating it if need be.
  ///
  /// The operating system's lock decides, and it goes with its holder, so a crash leaves no lock.
  /// What it leaves is the holder's name in the file: the new holder learns it as
  /// ``FileLock/abandonedBy``. A name from another host is different, because a lock need not reach
  /// from host to host: it is refused, until somebody who knows that the other host is done says
  /// `takingOver`.
  ///
  /// - Parameters:
  ///   - path: The lock file. It is never removed, and a symbolic link there is refused. A file that contains anything
  ///     but a lock record, or has a second name, is locked and never written to.
  ///   - kind: Exclusive holders leave their name; shared ones do not.
  ///   - patience: How long to wait for others; the calling thread is blocked.
  ///   - takingOver: Takes a free lock although the file names a process of another host.
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
      // Somebody may have removed the file between our opening and our locking it. Then what we
      // hold is a lock of no name, which another process will not see.
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
          // Who wants to make room on a full disk needs the lock more than a name in it.
        }
      }
      return FileLock(file, kind, isLockFile: isLockFile, abandonedBy: left?.process)
    }
  }
}

extension Disk {
  /// Opens a lock file. A shared lock needs no more than to read the file.
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
  /// Whether the file exists to be locked: it contains a record or nothing, and has no second name.
  ///
  /// Another file keeps its bytes. A second name of a lock file may be that of a file of the user's.
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

  /// What the lock file says now. Anything but a whole record counts as nothing.
  fileprivate func lockRecord() throws(DiskError) -> LockRecord? {
    LockRecord(try firstBytes())
  }
}
