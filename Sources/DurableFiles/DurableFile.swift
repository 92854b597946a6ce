import Synchronization
import Threads
import Tracing

/// An open file.
///
/// All operations may be called from any thread. Reads run in parallel with each other and with writes; appending,
/// writing and truncating run one after another. Other handles and other processes may write too, so acquire a lock
/// for exclusive access.
///
/// A failed sync **poisons** the handle. After a failed sync, a system may drop the bytes that it could not write,
/// and report success for the next sync. A second try would therefore claim a durability that does not exist. A
/// poisoned handle still reads and locks, and refuses all other operations with code `poisoned`. To recover, write
/// everything since the last successful sync again, preferably into a new file. Opening the same file again shows the
/// bytes as if they were there, and a sync of it proves nothing about them.
///
/// The handle stays valid when the file is renamed, replaced or removed. The file is closed when the handle is
/// released; only ``close()`` reports a failure to close.
public final class DurableFile: Sendable {
  /// The path the file was opened at.
  public let path: String
  /// Whether the handle was opened for writing.
  public let allowsWriting: Bool
  /// The status of the file when it was opened. The identity of the file does not change.
  public let openingStatus: FileStatus

  let calls: any DiskCalls
  /// A lock that is held while the end of the file must not move.
  let writing = Lock()
  /// A lock that is held during a sync. If two syncs run at once, the system may report a common failure to only one
  /// of them.
  private let syncing = Lock()
  private let descriptor: Descriptor
  /// The number of operations that use the descriptor now, with ``closedBit`` once the file was closed. The descriptor is
  /// not closed during an operation, because the system gives its number to the next file that is opened.
  private let uses = Atomic(0)
  private static let closedBit = Int.min
  /// The number of the error of the first sync that failed; ``sound`` if none has.
  private let poison = Atomic(DurableFile.sound)
  private static let sound: Int32 = -1

  /// Takes ownership of the descriptor, also if the initializer throws.
  init(
    _ descriptor: Descriptor, path: String, allowsWriting: Bool, _ calls: any DiskCalls
  ) throws(DiskError) {
    do {
      openingStatus = try repeating { () throws(ErrorNumber) in try calls.status(descriptor) }
    } catch {
      try? calls.close(descriptor)
      throw .refused(.status, "read the status of", path: path, cause: error)
    }
    self.descriptor = descriptor
    self.path = path
    self.allowsWriting = allowsWriting
    self.calls = calls
  }

  deinit {
    // A deinitializer cannot report a failure, and the synced bytes are safe.
    if uses.load(ordering: .acquiring) >= 0 { try? calls.close(descriptor) }
  }

  /// Returns the current status of the file: size, dates and identity.
  public func status() throws(DiskError) -> FileStatus {
    try perform(.status, "read the status of") { calls, descriptor throws(ErrorNumber) in
      try calls.status(descriptor)
    }
  }

  /// Returns the current number of bytes in the file.
  public func byteCount() throws(DiskError) -> Int {
    try status().byteCount
  }

  /// Returns whether the path this file was opened at still leads to this file.
  ///
  /// The result is false once this process or another has replaced, moved or removed the file. The handle then still
  /// reads the same file, and opening the path opens another.
  public func isStillAtItsPath() throws(DiskError) -> Bool { try statusAtItsPath() != nil }

  /// Returns the current status of the file, read through the path it was opened at; `nil` if the path no longer
  /// leads to this file.
  ///
  /// This is one system call, whereas ``isStillAtItsPath()`` and ``byteCount()`` together are two.
  public func statusAtItsPath() throws(DiskError) -> FileStatus? {
    try perform(.status, "read the status of") { calls, _ throws(ErrorNumber) in
      do throws(ErrorNumber) {
        let status = try calls.status(of: self.path, followingLinks: true)
        return status.identity == self.openingStatus.identity ? status : nil
      } catch .noEntry, .notDirectory {
        return nil
      }
    }
  }

  /// The place of the file on its disk, which a copy of the file does not have.
  public var place: FilePlace {
    get throws(DiskError) {
      try perform(.status, "read the status of") { calls, descriptor throws(ErrorNumber) in
        calls.place(descriptor, inode: openingStatus.identity.inode)
      }
    }
  }

  /// Sets the permissions of the file.
  public func setPermissions(_ permissions: FilePermissions) throws(DiskError) {
    try checkPoison(.setPermissions)
    try perform(.setPermissions, "set permissions of") { calls, descriptor throws(ErrorNumber) in
      try calls.setPermissions(descriptor, to: permissions)
    }
  }

  /// Makes the written bytes durable. After the function returns, the bytes survive a power cut.
  ///
  /// A new file's name needs ``Disk/syncDirectory(_:)`` too. On Apple's systems the drive's own cache is flushed
  /// (`F_FULLFSYNC`).
  ///
  /// A sync that a signal interrupts has neither succeeded nor reported the failure of a write, so it is repeated.
  ///
  /// - Throws: ``DiskError``. The handle is then poisoned, whatever the reason.
  public func sync(_ scope: SyncScope = .contents) throws(DiskError) {
    try syncing.withLock { () throws(DiskError) in
      try checkPoison(.sync)
      let descriptor = try beginUse(.sync)
      defer { endUse() }
      let steps = TracedSteps()
      do throws(ErrorNumber) {
        try repeating { () throws(ErrorNumber) in try calls.sync(descriptor, scope) }
        steps.send(.sync, at: path)
      } catch {
        poison.store(error.rawValue, ordering: .releasing)
        throw .syncFailed(path: path, cause: error)
      }
    }
  }

  /// Closes the file and releases its lock. A second call does nothing.
  ///
  /// Operations of other threads that are running finish first; the last of them closes the file. Closing does not
  /// sync.
  public func close() throws(DiskError) {
    let before = uses.bitwiseOr(DurableFile.closedBit, ordering: .acquiringAndReleasing).oldValue
    guard before == 0 else { return }
    do {
      try calls.close(descriptor)
    } catch .interrupted {
      // The descriptor is closed nevertheless. Its number may belong to another file by now, so the call is not repeated.
    } catch {
      throw .refused(.close, "close", path: path, cause: error)
    }
  }
}

extension DurableFile {
  /// Returns the descriptor for one operation. The caller must call ``endUse()`` afterwards.
  func beginUse(_ operation: DiskOperation) throws(DiskError) -> Descriptor {
    var count = uses.load(ordering: .relaxed)
    while true {
      guard count >= 0 else { throw .closed(operation, path: path) }
      let (isTaken, found) = uses.compareExchange(
        expected: count, desired: count + 1, ordering: .acquiringAndReleasing)
      if isTaken { return descriptor }
      count = found
    }
  }

  /// Throws for an operation that writes, if a sync has failed.
  func checkPoison(_ operation: DiskOperation) throws(DiskError) {
    let poison = poison.load(ordering: .acquiring)
    if poison != DurableFile.sound {
      throw .poisoned(operation, path: path, cause: ErrorNumber(rawValue: poison))
    }
  }

  func endUse() {
    let left = uses.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    // `close()` returned earlier, so no caller is left to receive an error.
    if left == DurableFile.closedBit { try? calls.close(descriptor) }
  }

  /// Makes one call, and repeats it while signals interrupt it. `attempt` completes "Can't …".
  func perform<Result>(
    _ operation: DiskOperation, _ attempt: String,
    _ body: (any DiskCalls, Descriptor) throws(ErrorNumber) -> Result
  ) throws(DiskError) -> Result {
    let descriptor = try beginUse(operation)
    defer { endUse() }
    do {
      return try repeating { () throws(ErrorNumber) in try body(calls, descriptor) }
    } catch {
      throw .refused(operation, attempt, path: path, cause: error)
    }
  }
}

/// Makes one call of the system, and repeats the call while signals interrupt it.
func repeating<Result>(
  _ call: () throws(ErrorNumber) -> Result
) throws(ErrorNumber) -> Result {
  while true {
    do { return try call() } catch .interrupted { continue } catch { throw error }
  }
}
