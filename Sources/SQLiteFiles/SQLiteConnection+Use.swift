// SAFETY: The lock that is asked about is a structure of our own, which `fcntl` fills in.

import DurableFiles
import Foundation

extension SQLiteConnection {
  /// Whether somebody has the database open who keeps a log beside it: this process, or another.
  ///
  /// Asks for the lock that whoever shares a log's index holds. A process must not open and close that file while it has
  /// the database open itself, for that would give up its own locks.
  public static func isInUse(_ path: String) -> Bool {
    if LockedFile.isHeld(path) { return true }
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
