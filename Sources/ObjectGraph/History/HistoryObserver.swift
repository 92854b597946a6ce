import Foundation
import Synchronization

/// Follows the history: gives every transaction once, whoever made it.
///
///     let observer = try HistoryObserver(coordinator, HistoryRequest(after: token))
///     for try await transactions in observer.updates(every: .seconds(5)) {
///       for transaction in transactions {
///         …
///         token = token.merged(with: transaction.token)
///       }
///     }
///
/// What this coordinator saves is seen at once, and what other processes save when the stores are next
/// looked at. May be used from any thread.
public final class HistoryObserver: Sendable {
  /// Whose history is followed.
  public let coordinator: PersistentStoreCoordinator
  private let state: Mutex<HistoryRequest>

  /// What is wanted; its token moves on.
  public var request: HistoryRequest { state.withLock { $0 } }

  /// The place behind everything that was looked at.
  public var token: HistoryToken { request.after ?? HistoryToken() }

  /// Follows what is made from now on, or after the request's token if it has one.
  ///
  /// - Throws: `StoreError`.
  public init(
    _ coordinator: PersistentStoreCoordinator, _ request: HistoryRequest = HistoryRequest()
  ) throws {
    self.coordinator = coordinator
    var request = request
    if request.after == nil { request.after = try coordinator.historyToken }
    state = Mutex(request)
  }

  /// The transactions since the last time that the request asks for.
  ///
  /// - Throws: As ``PersistentStoreCoordinator/history(_:)``; nothing is passed over then.
  public func next() throws -> [HistoryTransaction] {
    try state.withLock { request in
      // What is saved between the two comes the next time, and not twice.
      let end = try coordinator.historyToken
      let transactions = try coordinator.history(request).filter {
        $0.number <= end.commits[$0.store] ?? .max
      }
      request.after = (request.after ?? HistoryToken()).merged(with: end)
      return transactions
    }
  }

  /// The transactions as they are made, those of one look together.
  ///
  /// Ends with what ``next()`` throws, or when whoever listens does.
  ///
  /// - Parameter interval: How often to look for what other processes saved; `nil` for never.
  public func updates(
    every interval: Duration? = nil
  ) -> AsyncThrowingStream<[HistoryTransaction], any Error> {
    AsyncThrowingStream { continuation in
      let signals = coordinator.commitSignals.stream(beginningWith: ())
      let timer = interval.map { interval in
        Task { [coordinator] in
          while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            coordinator.commitSignals.yield(())
          }
        }
      }
      let looking = Task {
        do {
          for await _ in signals {
            let transactions = try self.next()
            if !transactions.isEmpty { continuation.yield(transactions) }
          }
          continuation.finish()
        } catch { continuation.finish(throwing: error) }
      }
      continuation.onTermination = { _ in
        looking.cancel()
        timer?.cancel()
      }
    }
  }
}
