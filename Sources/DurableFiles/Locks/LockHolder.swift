/// The holder of a lock that was refused, as far as it is known.
public struct LockHolder: Sendable, Hashable {
  /// The location of the holder.
  public let standing: Standing
  /// The process that the lock file names, if any.
  public let process: ProcessIdentity?

  /// The location of a lock holder.
  public enum Standing: Sendable, Hashable {
    /// Another handle of this process holds it.
    case thisProcess
    /// Another process of this machine holds it.
    case otherProcess
    /// The lock file names a process of another host, whose state this host cannot check. The lock itself may be
    /// free, because a lock on a network file system need not reach all hosts.
    case otherHost
    /// The lock is held, but the process that the file names has ended; the record is from an earlier holder. The
    /// current holder wrote no name. A shared holder never does.
    case unnamedAfterEnded
    /// The lock is held, and the file names no process.
    case unnamed
  }

  /// Finds the holder of a refused lock from the record in the lock file.
  init(record: LockRecord?, seenBy calls: any DiskCalls) {
    process = record?.process
    guard let named = record?.process else {
      standing = .unnamed
      return
    }
    if !named.sharesKernel(with: calls.process) {
      standing = named.hostName == calls.process.hostName ? .unnamedAfterEnded : .otherHost
    } else if named == calls.process {
      standing = .thisProcess
    } else if named.hostName != calls.process.hostName {
      // One kernel with two host names means a container, whose process numbers mean nothing here.
      standing = .otherProcess
    } else {
      standing = calls.isRunning(named) ? .otherProcess : .unnamedAfterEnded
    }
  }
}

extension LockHolder: CustomStringConvertible {
  /// A description of the holder in words.
  public var description: String {
    switch (standing, process) {
    case (.thisProcess, _):
      "this process holds the lock already"
    case (.otherProcess, let process?):
      "process \(process.processID) holds the lock"
    case (.otherHost, let process?):
      "process \(process.processID) on host '\(process.hostName)' holds the lock, or left its name in the lock file"
    case (.unnamedAfterEnded, let process?):
      "another process holds the lock; the lock file names process \(process.processID), which has ended"
    default:
      "another process holds the lock, and the lock file names no process"
    }
  }
}
