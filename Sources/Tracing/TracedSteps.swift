/// The times of some work and of its steps, if there is a handler of events.
package struct TracedSteps: ~Copyable {
  private let start: ContinuousClock.Instant?
  private var last: ContinuousClock.Instant?
  private var parts: [TraceEvent.Part] = []

  package init() {
    start = Trace.isOn ? .now : nil
    last = start
  }

  /// Ends a step: it took the time since the end of the step before. A step may be repeated.
  package mutating func end(_ step: String) {
    guard let last else { return }
    let now = ContinuousClock.now
    var duration = last.duration(to: now)
    self.last = now
    if let known = parts.firstIndex(where: { $0.name == step }) {
      duration += parts[known].duration
      parts.remove(at: known)
    }
    parts.append(TraceEvent.Part(step, duration))
  }

  /// Sends the event of the whole work.
  package func send(
    _ kind: TraceEvent.Kind, at place: @autoclosure () -> String? = nil,
    _ detail: @autoclosure () -> String = "", count: Int? = nil, failure: (any Error)? = nil
  ) {
    guard let start else { return }
    var event = TraceEvent(kind, at: place(), detail(), start.duration(to: .now))
    event.parts = parts
    event.count = count
    event.failure = failure.map { "\($0)" }
    Trace.send(event)
  }
}
