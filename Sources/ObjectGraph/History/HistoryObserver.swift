import Foundation
import ObjectModel
import StoreInterface
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
/// Stores keep the commits that the observer has not taken yet, as long as the observer lives and up to
/// a bound of the store (`BinaryStoreOptions.observedCommitCount`). Past it ``next()`` throws
/// ``ContextError/Code/historyExpired``, and leaves no gap.
///
/// What this coordinator saves is seen at once, and what other processes save when the stores are next
/// looked at. Whoever follows the history needs an observer of their own: what one gives to one, it gives to nobody else.
/// May be used from any thread.
public final class HistoryObserver: Sendable {
  /// Whose history is followed.
  public let coordinator: PersistentStoreCoordinator
  private let state: Mutex<State>

  private struct State {
    var request: HistoryRequest
    var holds: [UUID: HistoryHold] = [:]

    /// Tells the stores which commits the observer has not taken yet.
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

  /// What is wanted; its token moves on.
  public var request: HistoryRequest { state.withLock { $0.request } }

  /// The place behind everything that was given out, or is not wanted.
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
    var state = State(request: request)
    state.hold(coordinator.stores)
    self.state = Mutex(state)
  }

  /// The transactions since the last time that the request asks for.
  ///
  /// - Throws: As ``PersistentStoreCoordinator/history(_:)``; nothing is passed over then. When what came next is not
  ///   kept any more, it goes on only from another place (``move(to:)``).
  public func next() throws -> [HistoryTransaction] {
    try state.withLock { state in
      // What is saved between the two comes the next time, and not twice.
      let end = try coordinator.historyToken
      let transactions = try coordinator.history(state.request).filter {
        $0.number <= end.commits[$0.store] ?? -1
      }
      state.request.after = state.request.after?.merged(with: end) ?? end
      state.hold(coordinator.stores)
      return transactions
    }
  }

  /// Goes on behind another place in the history.
  ///
  /// - Parameter token: The place; behind everything that was saved until now when it is `nil`.
  /// - Throws: `StoreError`.
  public func move(to token: HistoryToken? = nil) throws {
    let token = try token ?? coordinator.historyToken
    state.withLock { state in
      state.request.after = token
      state.hold(coordinator.stores)
    }
  }

  /// The transactions as they are made, those of one look together.
  ///
  /// The stores are looked at when somebody asks for the next transactions, so nothing is lost that nobody has taken.
  /// Ends with what ``next()`` throws, or when whoever listens does.
  ///
  /// - Parameter interval: How often to look for what other processes saved; `nil` for never.
  public func updates(
    every interval: Duration? = nil
  ) -> AsyncThrowingStream<[HistoryTransaction], any Error> {
    if let interval {
      require(interval > .zero, "The history can't be looked at every \(interval).")
    }
    // However often something was saved, one look finds it all.
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

/// Gives signals again and again, as long as somebody holds it.
private final class Ticking: Sendable {
  private let task: Task<Void, Never>

  init(_ signal: AsyncStream<Void>.Continuation, every interval: Duration) {
    task = Task {
      while (try? await Task.sleep(for: interval)) != nil { signal.yield() }
    }
  }

  deinit { task.cancel() }
}
