import Dispatch

/// A queue that does one piece of work after another.
package final class SerialQueue: Sendable {
  private let queue: DispatchQueue

  package init(label: String) { queue = DispatchQueue(label: label) }

  /// Runs `body` later, on a thread of the queue.
  package func async(_ body: @escaping @Sendable () -> Void) {
    if let schedule = Threads.schedule { return schedule.add(body, to: self) }
    queue.async(execute: body)
  }

  /// Runs `body` on the queue, and waits for its end. The queue may run it on the caller's thread.
  package func sync<R>(_ body: () throws -> R) rethrows -> R {
    guard let schedule = Threads.schedule else { return try queue.sync(execute: body) }
    var result: R?
    try schedule.run(on: self) { result = try body() }
    return result!
  }
}
