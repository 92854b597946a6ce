#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// A mutual exclusion lock around an action, which a thread may acquire again if the lock is recursive.
///
/// Use `Synchronization.Mutex` to protect a value. A mutex can't be recursive.
///
/// `@unchecked Sendable`, because the pointer never changes and a POSIX mutex is made to be used from several
/// threads. `@safe`, because the pointer never leaves the class.
@safe
package final class Lock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

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

  /// Runs `body` while no other thread holds the lock.
  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: The mutex lives as long as this object, and is released on every way out.
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }
}
