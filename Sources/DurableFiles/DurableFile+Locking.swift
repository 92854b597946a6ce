extension DurableFile {
  /// Acquires a lock of the whole file, or converts the lock that this handle holds.
  ///
  /// The lock belongs to this handle (an open-file-description lock): another handle conflicts with it even in the
  /// same process. The lock is released when the handle is closed or the process ends. The lock is advisory: it stops
  /// only handles that request a lock. An exclusive lock needs a handle that may write.
  ///
  /// - Throws: ``DiskError`` with code `locked` while another handle holds a conflicting lock. If you need to know
  ///   the lock holder, use ``Disk/lock(_:_:waiting:takingOver:)`` on a separate lock file.
  public func lock(
    _ kind: LockKind, waiting patience: LockPatience = .never
  ) throws(DiskError) {
    guard try tryLock(kind, patience: patience) else {
      throw .locked(path: path, holder: LockHolder(record: nil, seenBy: calls))
    }
  }

  /// Releases the lock.
  public func unlock() throws(DiskError) {
    try perform(.unlock, "unlock") { calls, descriptor throws(ErrorNumber) in
      try calls.unlock(descriptor)
    }
  }

  /// Acquires a lock, or returns false when the patience is over.
  ///
  /// The function polls at growing intervals. The system's waiting call has no deadline but a signal, and signals
  /// belong to the application.
  func tryLock(_ kind: LockKind, patience: LockPatience) throws(DiskError) -> Bool {
    let deadline =
      switch patience {
      case .never: calls.uptime
      case .upTo(let duration): calls.uptime + duration
      }
    var interval = Duration.milliseconds(1)
    while true {
      let isTaken = try perform(.lock, "lock") { calls, descriptor throws(ErrorNumber) in
        do throws(ErrorNumber) {
          try calls.lock(descriptor, kind)
          return true
        } catch .wouldBlock, .accessDenied {
          // POSIX lets a system return either of these errors when another handle holds the lock.
          return false
        }
      }
      let remaining = deadline - calls.uptime
      if isTaken || remaining <= .zero { return isTaken }
      calls.pause(for: min(interval, remaining))
      interval = min(interval * 2, .milliseconds(10))
    }
  }
}
