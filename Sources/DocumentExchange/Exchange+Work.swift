import Dispatch
public import Documents
import Synchronization

extension Exchange {
  /// Sends the versions of the open head that the remote lacks. The first time, the whole document is sent.
  ///
  /// - Throws: ``ExchangeError``; `DocumentError`; `DiskError` if the folder can't be written. The remote is unchanged then.
  @discardableResult
  public func push() throws -> ExchangeReport {
    let turn = try ExchangeTurn(self)
    try turn.push()
    return turn.finished
  }

  /// Takes in the versions of other devices.
  ///
  /// If this document has no versions of its own since, it takes over the versions as they are. Otherwise it merges them, by the
  /// rules of a merge of heads. A version in conflict is kept as a head, to be looked at, and the rest is taken in all the same. To
  /// decide the conflicts, set ``choose`` and pull again.
  ///
  /// - Throws: ``ExchangeError``; `DocumentError`; the errors of a save.
  @discardableResult
  public func pull() throws -> ExchangeReport {
    let turn = try ExchangeTurn(self)
    try turn.pull()
    return turn.finished
  }

  /// Shows each version of other devices that is not taken in yet as a head, and merges none.
  ///
  /// - Throws: As ``pull()``.
  @discardableResult
  public func fetch() throws -> ExchangeReport {
    let turn = try ExchangeTurn(self)
    try turn.fetch()
    return turn.finished
  }

  /// Takes in the versions of other devices, and sends those that the remote lacks. Versions in conflict keep no other version
  /// from being sent.
  ///
  /// - Throws: As ``pull()`` and ``push()``.
  @discardableResult
  public func sync() throws -> ExchangeReport {
    let turn = try ExchangeTurn(self)
    try turn.pull()
    try turn.push()
    return turn.finished
  }

  /// Puts the contents of small packs into one, and removes them. Nothing is forgotten: a device that was away for a year finds all
  /// versions.
  ///
  /// - Throws: As ``push()``.
  @discardableResult
  public func consolidate() throws -> ExchangeReport {
    let turn = try ExchangeTurn(self)
    try turn.consolidate()
    return turn.finished
  }

  /// Returns the versions that a ``sync()`` would exchange, and writes nothing.
  ///
  /// - Throws: ``ExchangeError``; `DocumentError`.
  public func status() throws -> ExchangeStatus {
    let turn = try ExchangeTurn(self)
    return ExchangeStatus(
      toSend: turn.known == nil ? document.versions.count : turn.own.count,
      toReceive: turn.news, conflictedHeads: try turn.conflictedHeads().map(\.head),
      skipped: turn.skipped)
  }
}

extension Document {
  /// Takes in the versions of other devices and sends the own ones, on another thread.
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
    with remote: String? = nil, progress: @escaping @Sendable (ExchangeProgress) -> Void = { _ in }
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

/// The versions that an exchange would send and receive.
public struct ExchangeStatus: Sendable {
  /// The number of versions of the open head that the remote lacks.
  public let toSend: Int
  /// The newest versions of other devices that the open head has not taken in.
  public let toReceive: [SharedVersion]
  /// The heads with versions in conflict that are not merged yet.
  public let conflictedHeads: [String]
  /// The files in the remote's folder that were left out.
  public let skipped: [SkippedFile]
}
