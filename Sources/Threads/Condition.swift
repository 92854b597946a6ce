#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// A lock whose holder can wait until another thread signals. A wait may also end without a signal, so wait in a loop.
///
/// `@unchecked Sendable`, because the pointers never change, and only the holder of the lock uses the list of waiting threads.
/// `@safe`, because the pointers never leave the module.
@safe
package final class Condition: @unchecked Sendable {
  private let base = Lock()
  private let signals: UnsafeMutablePointer<pthread_cond_t>
  /// The waiting threads that have a schedule.
  private var scheduled: [Waiter] = []

  private final class Waiter { var isAwake = false }

  package init() {
    // SAFETY: The memory is allocated before it is initialised, and never moves.
    unsafe signals = .allocate(capacity: 1)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    #if !canImport(Darwin)
      // The time of day may be set while a thread waits.
      unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    #endif
    let result = unsafe pthread_cond_init(signals, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
    precondition(result == 0, "A condition could not be created.")
  }

  deinit {
    // SAFETY: No reference to this object is left, so no thread waits.
    unsafe pthread_cond_destroy(signals)
    unsafe signals.deallocate()
  }

  package func lock() { base.lock() }

  package func unlock() { base.unlock() }

  /// Runs `body` while no other thread holds the lock.
  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result { try base.withLock(body) }

  /// Releases the lock until another thread signals. The caller must hold the lock.
  package func wait() {
    if let schedule = Threads.schedule {
      _ = wait(schedule, atMost: nil)
      return
    }
    // SAFETY: Both live as long as this object, and the caller holds the lock.
    unsafe pthread_cond_wait(signals, base.mutex)
  }

  /// Releases the lock until another thread signals or the time is over. The caller must hold the lock.
  ///
  /// - Returns: Whether a signal came in time.
  package func wait(atMost limit: Duration) -> Bool {
    if let schedule = Threads.schedule { return wait(schedule, atMost: limit) }
    let limit = max(limit, .zero).components
    var time = timespec()
    // SAFETY: Both live as long as this object, and the caller holds the lock.
    #if canImport(Darwin)
      time.tv_sec = Int(limit.seconds)
      time.tv_nsec = Int(limit.attoseconds / 1_000_000_000)
      return unsafe pthread_cond_timedwait_relative_np(signals, base.mutex, &time) == 0
    #else
      unsafe clock_gettime(CLOCK_MONOTONIC, &time)
      let nanoseconds = Int(time.tv_nsec) + Int(limit.attoseconds / 1_000_000_000)
      time.tv_sec += time_t(Int(limit.seconds) + nanoseconds / 1_000_000_000)
      time.tv_nsec = .init(nanoseconds % 1_000_000_000)
      return unsafe pthread_cond_timedwait(signals, base.mutex, &time) == 0
    #endif
  }

  private func wait(_ schedule: any ThreadSchedule, atMost limit: Duration?) -> Bool {
    let waiter = Waiter()
    scheduled.append(waiter)
    base.unlock()
    let isAwake = schedule.wait(atMost: limit) { waiter.isAwake }
    base.lock()
    scheduled.removeAll { $0 === waiter }
    return isAwake
  }

  /// Ends the wait of one thread. The caller must hold the lock.
  package func signal() {
    scheduled.first { !$0.isAwake }?.isAwake = true
    // SAFETY: The condition lives as long as this object.
    unsafe pthread_cond_signal(signals)
  }

  /// Ends the wait of all threads. The caller must hold the lock.
  package func broadcast() {
    for waiter in scheduled { waiter.isAwake = true }
    // SAFETY: The condition lives as long as this object.
    unsafe pthread_cond_broadcast(signals)
  }
}
