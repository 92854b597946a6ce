// SAFETY: The structure for `poll` is a local variable during the call. The pipe's ends are closed once.

import Foundation
import PostgreSQLConnection
import SQLTranslation
import Synchronization

/// Listens to the announcements of commits (`LISTEN`), on its own connection and thread. From time to time it
/// also lets unused snapshots give up their connections.
final class CommitListener: Sendable {
  private let channel: String
  private let pool: ConnectionPool
  private let observer = Mutex<(@Sendable (Int64) -> Void)?>(nil)
  /// The newest commit that was announced, or that the store had when it was opened.
  private let announced: Mutex<Int64>
  private let isStopped = Atomic(false)

  /// The time after which the thread looks whether it should end, and after which it connects again.
  private static let intervalMilliseconds: Int32 = 500

  init(channel: String, pool: ConnectionPool, after commit: Int64) {
    (self.channel, self.pool) = (channel, pool)
    announced = Mutex(commit)
  }

  func observe(_ body: (@Sendable (Int64) -> Void)?) { observer.withLock { $0 = body } }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  func start() {
    let thread = Thread { [self] in
      while !isStopped.load(ordering: .relaxed) {
        // A lost connection is not a fault: each call of `snapshot()` looks for the newest commit anyway.
        try? listen()
        Thread.sleep(forTimeInterval: Double(CommitListener.intervalMilliseconds) / 1000)
      }
    }
    thread.name = "Quire commits"
    thread.start()
  }

  private func announce(_ commit: Int64) {
    announced.withLock { $0 = max($0, commit) }
    observer.withLock { $0 }?(commit)
  }

  /// Begins to listen. Returns whether the server tells of commits. A standby does not, and some databases never do.
  private func beginListening(on connection: PostgreSQLConnection) throws -> Bool {
    guard pool.address.announcesCommits else { return false }
    do { try connection.execute("LISTEN \(quoted(channel))") } catch {
      guard error.state == "25006" else { throw error }
      return false
    }
    return true
  }

  /// Announces the newest commit, if it was not announced yet.
  private func lookForCommits(_ connection: PostgreSQLConnection) throws {
    let newest = try StoreHead(connection, path: pool.address.path).newest
    if newest > announced.withLock({ $0 }) { announce(newest) }
  }

  private func listen() throws {
    // Without an observer, no connection is needed.
    guard observer.withLock({ $0 != nil }) else { return pool.releaseIdleReaders() }
    let connection = try ConnectionPool.connect(pool.address, pool.options)
    let hearsCommits = try beginListening(on: connection)
    // No other connection announces the commits that were made before this one listened.
    try lookForCommits(connection)
    while !isStopped.load(ordering: .relaxed) {
      // Every user of the database may notify of any number, so only numbers of commits are announced.
      let payloads = try connection.notifications().compactMap { Int64($0) }
      if let highest = payloads.max() {
        let newest =
          highest > announced.withLock({ $0 })
          ? try StoreHead(connection, path: pool.address.path).newest : highest
        for number in payloads where number > 0 && number <= newest { announce(number) }
      }
      pool.releaseIdleReaders()
      var waiting = pollfd(fd: connection.socket, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&waiting, 1, CommitListener.intervalMilliseconds)
      if !hearsCommits { try lookForCommits(connection) }
    }
  }
}
