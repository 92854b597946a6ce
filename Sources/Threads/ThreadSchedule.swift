import CThreads
import Foundation

/// Decides which thread goes on at each place where threads wait for one another.
///
/// The system decides for every thread of a program. A test gives its threads a schedule, which lets one of them run at a
/// time and chooses the next one by a number. All orders of saves, pushes and fetches happen that way, and the number brings
/// an order back.
///
/// Code asks for the schedule of its thread through ``Lock``, ``Condition``, ``Guarded`` and ``SerialQueue``. It calls
/// ``pass()`` itself only between two steps that no lock separates, so that another thread can run there.
package protocol ThreadSchedule: AnyObject, Sendable {
  /// Lets another thread go on, if the schedule chooses one.
  func pass()

  /// Lets the rest of the threads run until `isMet` returns true, or until the time is over. Calls `isMet` on this thread.
  ///
  /// - Parameter limit: The longest time to wait; `nil` for no limit.
  /// - Returns: Whether the condition is met.
  func wait(atMost limit: Duration?, until isMet: () -> Bool) -> Bool

  /// Runs `body` on a queue, after all work that the queue has received before.
  func add(_ body: @escaping @Sendable () -> Void, to queue: SerialQueue)

  /// Runs `body` on this thread, after all work that a queue has received before.
  func run(on queue: SerialQueue, _ body: () throws -> Void) rethrows

  /// The time since some moment in the past.
  var now: Duration { get }
}

/// The schedule of the calling thread.
package enum Threads {
  /// The schedule of this thread; `nil` if the system decides.
  @inline(__always)
  package static var schedule: (any ThreadSchedule)? {
    // SAFETY: `run` sets the pointer to a box that it holds, and clears it before the box is released.
    guard let pointer = unsafe quire_thread_schedule() else { return nil }
    return unsafe Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue().schedule
  }

  private final class Box {
    let schedule: any ThreadSchedule
    init(_ schedule: any ThreadSchedule) { self.schedule = schedule }
  }

  /// Runs `body` with a schedule for this thread.
  package static func run<R>(under schedule: any ThreadSchedule, _ body: () throws -> R) rethrows
    -> R
  {
    let box = Box(schedule)
    // SAFETY: The box outlives the call, and the pointer is cleared at its end.
    unsafe quire_set_thread_schedule(Unmanaged.passUnretained(box).toOpaque())
    defer { quire_set_thread_schedule(nil) }
    return try withExtendedLifetime(box) { try body() }
  }

  /// Lets another thread go on, if a schedule chooses one. Does nothing without a schedule.
  @inline(__always)
  package static func pass() { schedule?.pass() }

  /// Lets the thread rest. With a schedule that takes no real time.
  package static func sleep(for duration: Duration) {
    if let schedule {
      _ = schedule.wait(atMost: duration) { false }
    } else {
      Foundation.Thread.sleep(forTimeInterval: duration / .seconds(1))
    }
  }

  private static let start = ContinuousClock.now

  /// The time since some moment in the past, which a schedule may advance.
  package static var now: Duration { schedule?.now ?? ContinuousClock.now - start }
}
