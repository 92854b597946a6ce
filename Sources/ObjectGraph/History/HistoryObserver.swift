import Foundation
import ObjectModel
import StoreInterface
import Synchronization

/// Follows the history: returns every transaction exactly once, whether this program or another process has saved.
///
///     let observer = try HistoryObserver(coordinator, HistoryRequest(after: token))
///     for try await transactions in observer.updates(every: .seconds(5)) {
///       for transaction in transactions {
///         …
///         token = token.merged(with: transaction.token)
///       }
///     }
///
/// Stores keep the commits that the observer has not returned yet, as long as the observer lives. The number of these
/// commits has a limit (`BinaryStoreOptions.observedCommitCount`). Beyond the limit ``next()`` throws
/// ``ContextError/Code/historyExpired`` instead of leaving a gap.
///
/// The observer sees saves of this coordinator at once, and saves of another process at the next poll. Each follower
/// needs its own observer, because an observer returns each transaction only once. May be used from any thread.
public final class HistoryObserver: Sendable {
  /// The coordinator of the history.
  public let coordinator: PersistentStoreCoordinator
  private let state: Mutex<State>

  private struct State {
    var request: HistoryRequest
    var holds: [UUID: HistoryHold] = [:]

    /// Tells the stores to keep the commits that the observer has not returned yet.
    mutating func hold(_ stores: [PersistentStore]) {
      let commits = request.after?.commits ?? [:]
      holds = holds.filter { commits[$0.key] != nil }
      for store in stores {
        guard let commit = commits[store.uuid] else { continue }
        if let hold = holds[store.uuid] {
          hold.move(to: commit)
        } else {
          holds[store.uuid] = HistoryHold(store.tag, at: commit)
        }
      }
    }
  }

  /// The request. Its token advances with each call of ``next()``.
  public var request: HistoryRequest { state.withLock { $0.request } }

  /// The place in the history after the last transaction that the observer has returned or skipped.
  public var token: HistoryToken { request.after ?? HistoryToken() }

  /// Creates an observer of the transactions after the request's token, or from now on if the request has no token.
  ///
  /// - Throws: `StoreError`; ``ContextError`` if the token names none of the coordinator's stores.
  public init(
    _ coordinator: PersistentStoreCoordinator, _ request: HistoryRequest = HistoryRequest()
  ) throws {
    self.coordinator = coordinator
    var request = request
    if let token = request.after {
      try coordinator.refuse(foreign: token)
    } else {
      request.after = try coordinator.historyToken
    }
    var state = State(request: request)
    state.hold(coordinator.stores)
    self.state = Mutex(state)
  }

  /// Returns the requested transactions since the last call.
  ///
  /// - Throws: The errors of ``PersistentStoreCoordinator/history(_:)``. An error skips no transaction. If the store no
  ///   longer keeps the next transaction, the observer continues only from another place (``move(to:)``).
  public func next() throws -> [HistoryTransaction] {
    try state.withLock { state in
      // A commit between these two reads is left for the next call, so that no commit is returned twice.
      let end = try coordinator.historyToken
      // The stores of the first token may have been removed since, and others added.
      let transactions = try coordinator.transactions(state.request).filter {
        $0.number <= end.commits[$0.store] ?? -1
      }
      state.request.after = state.request.after?.merged(with: end) ?? end
      state.hold(coordinator.stores)
      return transactions
    }
  }

  /// Continues after another place in the history.
  ///
  /// - Parameter token: The place; `nil` for the end of the history as it is now.
  /// - Throws: `StoreError`; ``ContextError`` if the token names none of the coordinator's stores.
  public func move(to token: HistoryToken? = nil) throws {
    if let token { try coordinator.refuse(foreign: token) }
    let token = try token ?? coordinator.historyToken
    state.withLock { state in
      state.request.after = token
      state.hold(coordinator.stores)
    }
  }

  /// Returns a stream of the transactions as they are made. Each element has all transactions that one poll finds.
  ///
  /// The stream polls the stores when the caller asks for its next element, so no transaction is lost. The stream ends
  /// with an error of ``next()``, or when the caller cancels it.
  ///
  /// - Parameter interval: The interval at which the stream polls for commits of other processes; `nil` for no polling.
  public func updates(
    every interval: Duration? = nil
  ) -> AsyncThrowingStream<[HistoryTransaction], any Error> {
    if let interval {
      require(interval > .zero, "The polling interval must be positive, not \(interval).")
    }
    // One poll finds all commits, so one pending signal is enough.
    let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    signal.yield()
    coordinator.commitSignals.add(signal)
    let clock = interval.map { Ticking(signal, every: $0) }
    return AsyncThrowingStream { [self] in
      defer { withExtendedLifetime(clock) {} }
      for await _ in signals {
        let transactions = try next()
        if !transactions.isEmpty { return transactions }
      }
      return nil
    }
  }
}

/// Sends signals at an interval until it is deallocated.
private final class Ticking: Sendable {
  private let task: Task<Void, Never>

  init(_ signal: AsyncStream<Void>.Continuation, every interval: Duration) {
    task = Task {
      while (try? await Task.sleep(for: interval)) != nil { signal.yield() }
    }
  }

  deinit { task.cancel() }
}
