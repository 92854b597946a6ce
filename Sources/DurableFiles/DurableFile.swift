/// An open file.
///
/// All operations may be called from any thread. Reads go on beside each other and beside writes;
/// appending, writing and truncating take turns. Other handles and other processes may write too:
/// who must be alone takes a lock.
///
/// A failed sync **poisons** the handle. A system may then drop the bytes it could not write and
/// call the next sync a success, so a second try would claim what is not true. A poisoned handle
/// still reads and locks, and refuses everything else with code `poisoned`. What to do: write
/// everything since the last successful sync anew, best into a new file. Opening the same file
/// again shows the bytes as if they were there, and syncing it proves nothing about them.
///
/// The handle stays valid when the file is renamed, replaced or removed. It closes when it is
/// released; ``close()`` tells whether that went well.
public final class DurableFile: Sendable {
  /// The path the file was opened at.
  public let path: String
  /// Whether the handle was opened for writing.
  public let allowsWriting: Bool
  /// What the file was when it was opened. Which file it is does not change.
  public let openingStatus: FileStatus

  let calls: any DiskCalls
  /// Held while the end of the file must stay where it is.
  let writing = Lock()
  /// Held during a sync. Of two at once the system may tell only one of a failure that is both's.
  private let syncing = Lock()
  private let descriptor: Descriptor
  private let state = Guarded(State())

  private struct State {
    /// Operations that use the descriptor now. It is not closed under them, because the system
    /// gives its number to the next file that is opened.
    var useCount = 0
    var isClosed = false
    /// Why the first sync that failed did.
    var poison: ErrorNumber?
  }

  /// Takes the descriptor over, whatever it throws.
  init(
    _ descriptor: Descriptor, path: String, allowsWriting: Bool, _ calls: any DiskCalls
  ) throws(DiskError) {
    do {
      openingStatus = try DurableFile.status(of: descriptor, calls)
    } catch {
      try? calls.close(descriptor)
      throw .refused(.status, "look at", path: path, cause: error)
    }
    self.descriptor = descriptor
    self.path = path
    self.allowsWriting = allowsWriting
    self.calls = calls
  }

  private static func status(
    of descriptor: Descriptor, _ calls: any DiskCalls
  ) throws(ErrorNumber) -> FileStatus {
    while true {
      do { return try calls.status(descriptor) } catch .interrupted { continue } catch {
        throw error
      }
    }
  }

  deinit {
    let isClosed = state.withLock { $0.isClosed }
    // Nobody is left to hear of a failure, and what was synced is safe.
    if !isClosed { try? calls.close(descriptor) }
  }

  /// What the file is now: size, dates, identity.
  public func status() throws(DiskError) -> FileStatus {
    try perform(.status, "look at") { calls, descriptor throws(ErrorNumber) in
      try calls.status(descriptor)
    }
  }

  /// How many bytes the file holds now.
  public func byteCount() throws(DiskError) -> Int {
    try status().byteCount
  }

  /// Whether the path this file was opened at still leads to this file.
  ///
  /// False once the file was replaced, moved or removed, by this process or another: the handle
  /// then reads what it always read, and whoever opens the path gets something else.
  public func isStillAtItsPath() throws(DiskError) -> Bool { try statusAtItsPath() != nil }

  /// What the file is now, looked at by the path it was opened at; `nil` once that does not lead to
  /// this file any more.
  ///
  /// One call of the system, where ``isStillAtItsPath()`` and ``byteCount()`` are two.
  public func statusAtItsPath() throws(DiskError) -> FileStatus? {
    try perform(.status, "look at") { calls, _ throws(ErrorNumber) in
      do throws(ErrorNumber) {
        let status = try calls.status(of: self.path, followingLinks: true)
        return status.identity == self.openingStatus.identity ? status : nil
      } catch .noEntry, .notDirectory {
        return nil
      }
    }
  }

  /// Sets who may read and write the file.
  public func setPermissions(_ permissions: FilePermissions) throws(DiskError) {
    try checkPoison(.setPermissions)
    try perform(.setPermissions, "set permissions of") { calls, descriptor throws(ErrorNumber) in
      try calls.setPermissions(descriptor, to: permissions)
    }
  }

  /// Makes what was written durable. After it returns, the bytes survive a power cut.
  ///
  /// A new file's name needs ``Disk/syncDirectory(_:)`` too. On Apple's systems the drive itself is
  /// flushed (`F_FULLFSYNC`).
  ///
  /// - Throws: ``DiskError``; the handle is poisoned then, whatever the reason.
  public func sync(_ scope: SyncScope = .contents) throws(DiskError) {
    try syncing.withLock { () throws(DiskError) in
      try checkPoison(.sync)
      let descriptor = try beginUse(.sync)
      defer { endUse() }
      do throws(ErrorNumber) {
        try calls.sync(descriptor, scope)
      } catch {
        state.withLock { $0.poison = error }
        throw .syncFailed(path: path, cause: error)
      }
    }
  }

  /// Closes the file and gives its lock back. Closing again does nothing.
  ///
  /// Operations of other threads that are under way finish first; the last of them closes. Closing
  /// syncs nothing.
  public func close() throws(DiskError) {
    let closesNow = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed && state.useCount == 0
    }
    guard closesNow else { return }
    do {
      try calls.close(descriptor)
    } catch {
      throw .refused(.close, "close", path: path, cause: error)
    }
  }
}

extension DurableFile {
  /// The descriptor for one operation, which ``endUse()`` must follow.
  func beginUse(_ operation: DiskOperation) throws(DiskError) -> Descriptor {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.useCount += 1 }
      return state.isClosed
    }
    guard !isClosed else { throw .closed(operation, path: path) }
    return descriptor
  }

  /// Refuses an operation that writes once a sync has failed.
  func checkPoison(_ operation: DiskOperation) throws(DiskError) {
    if let poison = state.withLock({ $0.poison }) {
      throw .poisoned(operation, path: path, cause: poison)
    }
  }

  func endUse() {
    let closesNow = state.withLock { state in
      state.useCount -= 1
      return state.isClosed && state.useCount == 0
    }
    // `close()` has returned long ago, so there is nobody to tell.
    if closesNow { try? calls.close(descriptor) }
  }

  /// Makes one call, again while signals interrupt it. `attempt` completes "Can't …".
  func perform<Result>(
    _ operation: DiskOperation, _ attempt: String,
    _ body: (any DiskCalls, Descriptor) throws(ErrorNumber) -> Result
  ) throws(DiskError) -> Result {
    let descriptor = try beginUse(operation)
    defer { endUse() }
    while true {
      do {
        return try body(calls, descriptor)
      } catch .interrupted {
        continue
      } catch {
        throw .refused(operation, attempt, path: path, cause: error)
      }
    }
  }
}
