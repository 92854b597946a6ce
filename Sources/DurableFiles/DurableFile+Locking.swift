extension DurableFile {
  /// Takes a lock of the whole file, or converts the one this handle holds.
  ///
  /// The lock belongs to this handle (an open-file-description lock): another handle conflicts with
  /// it even in the same process. Closing the handle gives it back, and so does the end of the
  /// process. It is advice: it stops only those who ask for a lock. An exclusive lock needs a
  /// handle that may write.
  ///
  /// - Throws: ``DiskError`` with code `locked` while somebody else holds one. To learn who, lock a
  ///   file of its own with ``Disk/lock(_:_:waiting:takingOver:)``.
  public func lock(
    _ kind: LockKind, waiting patience: LockPatience = .never
  ) throws(DiskError) {
    guard try tryLock(kind, patience: patience) else {
      throw .locked(path: path, holder: LockHolder(record: nil, seenBy: calls))
    }
  }

  /// Gives the lock back.
  public func unlock() throws(DiskError) {
    try perform(.unlock, "unlock") { calls, descriptor throws(ErrorNumber) in
      try calls.unlock(descriptor)
    }
  }

  /// Takes a lock, or returns false when the patience is over.
  ///
  /// It asks again and again, at growing intervals: the call of the system that waits has no
  /// deadline but a signal, and signals belong to the application.
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
          // POSIX lets a system say either of these when somebody else holds it.
          return false
        }
      }
      let remaining = deadline - calls.uptime
      if isTaken || remaining <= .zero { return isTaken }
      calls.pause(for: min(interval, remaining))
      interval = min(interval * 2, .milliseconds(50))
    }
  }
}
