import Synchronization

/// The state of a disk, which all copies of the disk share.
final class SharedState: Sendable {
  private let state: Mutex<SimulatedState>

  init(_ state: SimulatedState) { self.state = Mutex(state) }

  /// Runs `body` with the state while no other thread accesses it.
  func withLock<Result, Failure: Error>(
    _ body: (inout SimulatedState) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try state.withLock { (state) throws(Failure) in try body(&state) }
  }
}
