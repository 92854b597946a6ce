import Synchronization

/// Sends the same elements to any number of asynchronous sequences.
package final class StreamHub<Element: Sendable>: Sendable {
  private struct State {
    var next = 0
    var streams: [Int: AsyncStream<Element>.Continuation] = [:]
  }
  private let state = Mutex(State())

  package init() {}

  /// Returns a stream of the elements from now on.
  package func stream(beginningWith first: Element? = nil) -> AsyncStream<Element> {
    AsyncStream { continuation in
      if let first { continuation.yield(first) }
      add(continuation)
    }
  }

  /// Sends the elements from now on to a stream, until the stream ends.
  package func add(_ stream: AsyncStream<Element>.Continuation) {
    let number = state.withLock { state in
      state.next += 1
      state.streams[state.next] = stream
      return state.next
    }
    stream.onTermination = { [weak self] _ in
      self?.state.withLock { $0.streams[number] = nil }
    }
  }

  package func yield(_ element: Element) {
    for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(element) }
  }

  package func finish() {
    for stream in state.withLock({ Array($0.streams.values) }) { stream.finish() }
  }
}
