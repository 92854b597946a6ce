/// A value that one thread at a time uses, for as long as calls of the disk take.
///
/// Use `Synchronization.Mutex` for a value that is held for a moment: it is smaller. A test's schedule does not see a mutex,
/// so a thread that holds one must not reach a place where threads wait for one another.
///
/// `@unchecked Sendable`, because only the holder of the lock uses the value.
package final class Guarded<Value>: @unchecked Sendable {
  private let lock = Lock()
  private var value: Value

  /// Guards a value, which nothing else refers to.
  package init(_ value: sending Value) { self.value = value }

  /// Runs `body` with the value while no other thread uses it.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
