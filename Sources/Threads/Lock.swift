#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// A mutual exclusion lock around an action, which a thread may acquire again if the lock is recursive.
///
/// Use `Synchronization.Mutex` to protect a value for a moment, and ``Guarded`` if it is held during calls of the disk.
///
/// `@unchecked Sendable`, because the pointer never changes and a POSIX mutex is made to be used from several
/// threads. `@safe`, because the pointer never leaves the module.
@safe
package final class Lock: @unchecked Sendable {
  let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// Creates a lock. The thread that holds a recursive lock may acquire it again.
  package init(isRecursive: Bool = false) {
    // SAFETY: The memory is allocated before it is initialised, and never moves, as a POSIX mutex
    // requires.
    unsafe mutex = .allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    unsafe pthread_mutexattr_init(&attributes)
    if isRecursive { unsafe pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE)) }
    let result = unsafe pthread_mutex_init(mutex, &attributes)
    unsafe pthread_mutexattr_destroy(&attributes)
    precondition(result == 0, "A mutex could not be created.")
  }

  deinit {
    // SAFETY: No reference to this object is left, so no thread holds the mutex.
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Acquires the lock. The same thread must release it.
  package func lock() {
    // SAFETY: The mutex lives as long as this object.
    guard let schedule = Threads.schedule else {
      unsafe pthread_mutex_lock(mutex)
      return
    }
    schedule.pass()
    _ = schedule.wait(atMost: nil) { unsafe pthread_mutex_trylock(mutex) == 0 }
  }

  package func unlock() {
    // SAFETY: The mutex lives as long as this object.
    unsafe pthread_mutex_unlock(mutex)
    Threads.pass()
  }

  /// Runs `body` while no other thread holds the lock.
  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
