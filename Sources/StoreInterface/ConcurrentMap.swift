import Dispatch
import Synchronization

extension Array where Element: Sendable {
  /// Returns the results of `body` for each element, computed on all available cores.
  ///
  /// - Throws: The first error in the order of the elements.
  package func concurrentMap<Output: Sendable>(
    _ body: @Sendable (Element) throws -> Output
  ) throws -> [Output] {
    guard count > 1 else { return try map(body) }
    let results = Mutex([Result<Output, any Error>?](repeating: nil, count: count))
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let result = Result { try body(self[index]) }
      results.withLock { $0[index] = result }
    }
    return try results.withLock { results in try results.map { try $0!.get() } }
  }
}
