// SAFETY: The lock that is asked about is a structure of our own, which `fcntl` fills in.

import Foundation
import Synchronization

/// The databases that this process has open through SQLite, by the identity of their file.
private let inUse = Mutex<[FileName: Int]>([:])

private struct FileName: Hashable {
  let device: UInt64
  let number: UInt64

  init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

/// A database that this process has open, as long as this is there.
final class DatabaseUse {
  private let name: FileName?

  init(_ path: String) {
    name = FileName(path)
    if let name { inUse.withLock { $0[name, default: 0] += 1 } }
  }

  deinit {
    guard let name else { return }
    inUse.withLock { inUse in
      inUse[name, default: 1] -= 1
      if inUse[name] == 0 { inUse[name] = nil }
    }
  }
}

extension SQLiteConnection {
  /// Whether somebody has the database open who keeps a log beside it: this process, or another.
  ///
  /// Asks for the lock that whoever shares a log's index holds. A process must not open and close that file while it has
  /// the database open itself, for that would give up its own locks.
  public static func isInUse(_ path: String) -> Bool {
    if let name = FileName(path), inUse.withLock({ $0[name] != nil }) { return true }
    let descriptor = unsafe open(path + "-shm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { _ = Foundation.close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    // Whoever uses the index holds a shared lock of its 128th byte.
    lock.l_start = 128
    lock.l_len = 1
    guard unsafe fcntl(descriptor, F_GETLK, &lock) == 0 else { return false }
    return lock.l_type != Int16(F_UNLCK)
  }
}
