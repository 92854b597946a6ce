// SAFETY: The caller of `quire_set_progress` promises that the context may be passed to the function on any thread of a call.

internal import CQuire
import Synchronization

/// The wish of a caller that the running call ends, and its function of progress.
final class Interruption: Sendable {
  private enum Phase {
    static let idle = 0
    static let running = 1
    static let interrupted = 2
  }

  private let phase = Atomic(Phase.idle)
  private let reporter = Mutex<Reporter?>(nil)
  private let checks = Atomic(0)

  /// Begins a call, which nothing has interrupted yet.
  func begin() {
    checks.store(0, ordering: .relaxed)
    phase.store(Phase.running, ordering: .relaxed)
  }

  func end() { phase.store(Phase.idle, ordering: .relaxed) }

  /// Interrupts the running call, if there is one.
  func interrupt() {
    _ = phase.compareExchange(
      expected: Phase.running, desired: Phase.interrupted, ordering: .relaxed)
  }

  func set(_ progress: Reporter?) { reporter.withLock { $0 = progress } }

  /// Whether the running call may go on. A search asks between two blocks.
  var mayGoOn: Bool {
    report(UInt64(checks.add(1, ordering: .relaxed).newValue), of: 0)
    return phase.load(ordering: .relaxed) != Phase.interrupted
  }

  /// Tells the caller how far a call is.
  ///
  /// - Throws: `CancellationError` if the call is to end.
  func check(_ done: Int, of total: Int) throws {
    report(UInt64(done), of: UInt64(total))
    if phase.load(ordering: .relaxed) == Phase.interrupted { throw CancellationError() }
  }

  private func report(_ done: UInt64, of total: UInt64) {
    // The function runs outside of the lock, because it may call `quire_set_progress`.
    guard let reporter = reporter.withLock({ $0 }), !reporter.goesOn(done, total) else { return }
    interrupt()
  }
}

/// A function of progress of the caller.
@safe
struct Reporter: @unchecked Sendable {
  // Sendable: quire.h says that the function is called on the threads of calls.
  private let report: @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64) -> Int32
  private let context: UnsafeMutableRawPointer?

  /// Copies the structure of a caller; `nil` without a function.
  @unsafe init?(_ progress: UnsafePointer<quire_progress>?) {
    guard let progress = unsafe progress, let report = unsafe progress.pointee.report else {
      return nil
    }
    unsafe self.report = unsafe report
    unsafe context = unsafe progress.pointee.context
  }

  /// Reports, and returns whether the call may go on.
  func goesOn(_ done: UInt64, _ total: UInt64) -> Bool { unsafe report(context, done, total) == 0 }
}
