/// Who holds a lock that was refused, as far as it can be told.
public struct LockHolder: Sendable, Hashable {
  /// Where the holder is.
  public let standing: Standing
  /// The process the lock file names, if it names one.
  public let process: ProcessIdentity?

  /// Where the holder of a lock is.
  public enum Standing: Sendable, Hashable {
    /// Another handle of this process holds it.
    case thisProcess
    /// Another process of this machine holds it.
    case otherProcess
    /// The lock file names a process of another host, which nobody can ask from here. The lock
    /// itself may be free: on a file system shared over a network it need not reach all hosts.
    case otherHost
    /// The lock is held, but the process that the file names has ended: an older holder's record.
    /// Who holds it now left no name; a shared holder never does.
    case unnamedAfterEnded
    /// The lock is held, and the file names nobody.
    case unnamed
  }

  /// The holder of a refused lock, from what the lock file says.
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
      // One kernel, two host names: a container, whose process numbers mean nothing here.
      standing = .otherProcess
    } else {
      standing = calls.isRunning(named) ? .otherProcess : .unnamedAfterEnded
    }
  }
}

extension LockHolder: CustomStringConvertible {
  /// Who holds it, in words.
  public var description: String {
    switch (standing, process) {
    case (.thisProcess, _):
      "this process holds it already"
    case (.otherProcess, let process?):
      "process \(process.processID) holds it"
    case (.otherHost, let process?):
      "process \(process.processID) on host '\(process.hostName)' holds it, or left its name there"
    case (.unnamedAfterEnded, let process?):
      "another process holds it; process \(process.processID), which the lock file names, has ended"
    default:
      "another process holds it and left no name"
    }
  }
}
