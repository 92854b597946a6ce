import Foundation
import Synchronization

/// The place to which a program sends the events of its stores: fetches, saves, migrations and the rest, with their times.
///
///     Trace.send(to: { event in
///       if event.duration > .milliseconds(50) { print("slow: \(event)") }
///     })
///
/// Use it to find slow requests, to feed a log, or to count in a histogram. The handler receives the events of all stores of the
/// process, on the threads where they happen, so it must be quick. Without a handler nothing is measured.
///
/// The environment variable `QUIRE_TRACE=1` prints the events of any program on its standard error.
public enum Trace {
  private static let handler = Mutex<(@Sendable (TraceEvent) -> Void)?>(firstHandler)
  private static let hasHandler = Atomic(firstHandler != nil)

  /// Passes each event to a handler from now on; `nil` for no handler. A new handler takes the place of the one before.
  public static func send(to handler: (@Sendable (TraceEvent) -> Void)?) {
    self.handler.withLock { $0 = handler }
    hasHandler.store(handler != nil, ordering: .relaxed)
  }

  /// Whether there is a handler. Code that makes events asks this first.
  @inline(__always)
  package static var isOn: Bool { hasHandler.load(ordering: .relaxed) }

  package static func send(_ event: TraceEvent) { handler.withLock { $0 }?(event) }

  /// Calls `body`, and sends an event about it, if there is a handler. If `body` fails, the event contains the error's text.
  @inline(__always)
  package static func measure<R>(
    _ kind: TraceEvent.Kind, at place: @autoclosure () -> String? = nil,
    _ detail: @autoclosure () -> String, count: (R) -> Int? = { _ in nil }, _ body: () throws -> R
  ) rethrows -> R {
    guard isOn else { return try body() }
    let steps = TracedSteps()
    do {
      let result = try body()
      steps.send(kind, at: place(), detail(), count: count(result))
      return result
    } catch {
      steps.send(kind, at: place(), detail(), failure: error)
      throw error
    }
  }

  /// The handler that the environment asks for.
  private static var firstHandler: (@Sendable (TraceEvent) -> Void)? {
    guard ProcessInfo.processInfo.environment["QUIRE_TRACE"] == "1" else { return nil }
    return { FileHandle.standardError.write(Data("quire: \($0)\n".utf8)) }
  }
}
