import Foundation
import SeededRandom
package import Threads

/// A schedule that lets one thread run at a time, and chooses the next one by a number.
///
/// The time is a number too. It advances when all threads wait, and sometimes before, so that waits with a limit end early
/// or late.
package final class SeededSchedule: ThreadSchedule {
  // The holder of the baton is the only thread of the schedule that runs, so it alone uses the state. The semaphores order
  // what two holders do.
  private nonisolated(unsafe) var state: State
  private let end = DispatchSemaphore(value: 0)

  private struct State {
    var random: SeededGenerator
    /// How often the running thread goes on, of 256 times.
    var patience: UInt64
    var threads: [Thread] = []
    var now = Duration.zero
    /// The number of times that a thread has gone on without waiting. A condition can change only then.
    var progress = 0
    var tickets: [ObjectIdentifier: [Int]] = [:]
    var ticketCount = 0
    var trace: UInt64 = 0
    var failure: String?
    var stepCount = 0
  }

  private final class Thread {
    let name: String
    let baton = DispatchSemaphore(value: 0)
    var wait: Wait?
    var isRunning = false

    init(_ name: String) { self.name = name }
  }

  /// A wait of a thread.
  private struct Wait {
    let end: Duration?
    /// The progress when the condition was last tried.
    var tried: Int
    var isOver = false
  }

  /// The most steps of a run. A run that needs more does not come to an end.
  private static let mostSteps = 100_000

  package init(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let patience: UInt64 = [0, 128, 230, 251].randomElement(using: &random)!
    state = State(random: random, patience: patience)
  }

  // MARK: - Running

  /// Runs some pieces of work, each on a thread of its own, until all of them and all work that they have added to queues
  /// have ended.
  ///
  /// - Throws: ``Failure`` if the threads wait for one another without an end. They stay behind, then.
  package func run(_ works: [(name: String, body: @Sendable () -> Void)]) throws {
    for work in works { start(work.name, work.body) }
    // The first thread gets the baton from here.
    handOver()
    if end.wait(timeout: .now() + 120) == .timedOut {
      throw Failure(message: "A thread waits for something that the schedule does not know.")
    }
    if let failure = state.failure { throw Failure(message: failure) }
  }

  package struct Failure: Error, CustomStringConvertible {
    package let message: String
    package var description: String { message }
  }

  /// A number that is the same for the same order.
  package var trace: UInt64 { state.trace }
  /// The number of times that a thread was chosen.
  package var stepCount: Int { state.stepCount }

  private func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread(name)
    state.threads.append(thread)
    // SAFETY: Only the holder of the baton uses a thread's record.
    nonisolated(unsafe) let record = thread
    let system = Foundation.Thread { [self] in
      unsafe record.baton.wait()
      Threads.run(under: self, body)
      state.threads.removeAll { unsafe $0 === record }
      state.progress += 1
      if state.threads.isEmpty { end.signal() } else { handOver() }
    }
    system.stackSize = 4 << 20
    system.start()
  }

  private var current: Thread { state.threads.first { $0.isRunning }! }

  /// Gives the baton to the next thread. The caller stops using the state.
  private func handOver() {
    guard let next = choose() else {
      end.signal()
      return
    }
    next.isRunning = true
    next.baton.signal()
  }

  /// Chooses the thread that runs next; `nil` if all threads wait without an end.
  private func choose() -> Thread? {
    state.stepCount += 1
    guard state.stepCount < SeededSchedule.mostSteps else {
      state.failure = "The threads do not come to an end.\n\(description)"
      return nil
    }
    let ready = state.threads.filter { thread in
      thread.wait.map { $0.isOver || $0.tried < state.progress } ?? true
    }
    let timed = state.threads.filter { $0.wait?.end != nil && !$0.wait!.isOver }
    // A wait rarely ends early, because a program's threads seldom stop for seconds.
    let endsWait = !timed.isEmpty && state.random.next() % 256 == 0
    if !ready.isEmpty, !endsWait {
      let index = Int(state.random.next(upperBound: UInt64(ready.count)))
      state.trace = state.trace &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(index + 1)
      return ready[index]
    }
    guard let first = timed.min(by: { $0.wait!.end! < $1.wait!.end! }) else {
      state.failure = "All threads wait for one another.\n\(description)"
      return nil
    }
    state.now = max(state.now, first.wait!.end!)
    first.wait!.isOver = true
    return first
  }

  private var description: String {
    state.threads.map { thread in
      "\(thread.name): \(thread.wait.map { "waits\($0.end == nil ? "" : " with a limit")" } ?? "runs")"
    }.joined(separator: "\n")
  }

  /// Gives the baton away until this thread is chosen again.
  private func rest(_ thread: Thread) {
    thread.isRunning = false
    handOver()
    thread.baton.wait()
  }

  // MARK: - ThreadSchedule

  package func pass() {
    state.progress += 1
    if state.random.next() % 256 < state.patience { return }
    rest(current)
  }

  package func wait(atMost limit: Duration?, until isMet: () -> Bool) -> Bool {
    let end = limit.map { state.now + $0 }
    let thread = current
    while true {
      if isMet() {
        thread.wait = nil
        state.progress += 1
        return true
      }
      if thread.wait?.isOver ?? false {
        thread.wait = nil
        state.progress += 1
        return false
      }
      thread.wait = Wait(end: end, tried: state.progress)
      rest(thread)
    }
  }

  package func add(_ body: @escaping @Sendable () -> Void, to queue: SerialQueue) {
    let ticket = takeTicket(queue)
    start("work \(ticket) of a queue") { [self] in useTicket(ticket, queue, body) }
    state.progress += 1
  }

  package func run(on queue: SerialQueue, _ body: () throws -> Void) rethrows {
    pass()
    try useTicket(takeTicket(queue), queue, body)
  }

  private func takeTicket(_ queue: SerialQueue) -> Int {
    state.ticketCount += 1
    state.tickets[ObjectIdentifier(queue), default: []].append(state.ticketCount)
    return state.ticketCount
  }

  private func useTicket(
    _ ticket: Int, _ queue: SerialQueue, _ body: () throws -> Void
  ) rethrows {
    let key = ObjectIdentifier(queue)
    _ = wait(atMost: nil) { state.tickets[key]!.first == ticket }
    defer {
      state.tickets[key]!.removeFirst()
      if state.tickets[key]!.isEmpty { state.tickets[key] = nil }
      pass()
    }
    try body()
  }

  package var now: Duration { state.now }
}
