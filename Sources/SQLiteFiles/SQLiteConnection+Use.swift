// SAFETY: `fcntl` fills in a local structure that describes the lock.

import DurableFiles
import Foundation

extension SQLiteConnection {
  /// Returns whether this process has the database open, or another process has it open in the mode that keeps a log.
  ///
  /// Tests for the lock that each connection holds on the log's index. If this process has the database open, the
  /// index is not opened: closing that file would release the process's own locks.
  public static func isInUse(_ path: String) -> Bool {
    if LockedFile.isHeld(path) { return true }
    let descriptor = unsafe open(path + "-shm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { _ = Foundation.close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    // Each connection that uses the index holds a shared lock on byte 128 of the index.
    lock.l_start = 128
    lock.l_len = 1
    guard unsafe fcntl(descriptor, F_GETLK, &lock) == 0 else { return false }
    return lock.l_type != Int16(F_UNLCK)
  }
}
