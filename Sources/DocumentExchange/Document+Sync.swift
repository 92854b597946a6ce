import Dispatch
public import Documents
import Synchronization

extension Document {
  /// Takes in the foreign versions and sends the own ones, on another thread.
  ///
  ///     let report = try await document.sync(with: "origin") { step in print(step) }
  ///
  /// Contexts show the changes as they show the saves of another process. A version in conflict is kept as a head
  /// (``DocumentExchange/Exchange``).
  ///
  /// - Parameters:
  ///   - remote: The name of the remote; `nil` for the only one, or for `origin`.
  ///   - progress: Called before each step that takes time. A cancelled task ends between two steps.
  /// - Throws: As ``DocumentExchange/Exchange/sync()``; `CancellationError`.
  @discardableResult
  public func sync(
    with remote: String? = nil, progress: @escaping @Sendable (Exchange.Progress) -> Void = { _ in }
  ) async throws -> ExchangeReport {
    // An exchange waits for the disk, and must not hold one of the threads that run tasks.
    let isCancelled = Mutex(false)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(
            with: Result {
              var exchange = try Exchange(self, with: remote)
              exchange.progress = { step in
                if isCancelled.withLock({ $0 }) { throw CancellationError() }
                progress(step)
              }
              return try exchange.sync()
            })
        }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }
}
