import Foundation
import PostgreSQLConnection
import StoreInterface

/// A commit that waits on the server until a document has decided whether it counts: a transaction of
/// `PREPARE TRANSACTION` (spec §14.6).
///
/// It survives the connection, the process and the server.
struct PreparedCommit: Sendable {
  let store: UUID
  /// The number of the commit.
  let number: Int64
  /// The number of the folder of the document that saved the commit; `nil` if it is unknown.
  var folder: UInt64?

  /// The name of the transaction, which is unique on the server.
  var name: String {
    PreparedCommit.prefix(store) + "\(number)" + (folder.map { "-" + String($0, radix: 16) } ?? "")
  }

  private static func prefix(_ store: UUID) -> String {
    "quire-\(store.uuidString.lowercased())-"
  }

  /// Returns the commits of a store that wait.
  static func all(of store: UUID, _ connection: PostgreSQLConnection) throws -> [PreparedCommit] {
    let prefix = prefix(store)
    let rows = try connection.texts(
      "SELECT gid FROM pg_catalog.pg_prepared_xacts WHERE database = current_database() AND gid LIKE '\(prefix)%'"
    )
    return rows.compactMap { row in
      let parts = row.first.flatMap { $0 }?.dropFirst(prefix.count).split(separator: "-") ?? []
      guard (1...2).contains(parts.count), let number = Int64(parts[0]) else { return nil }
      let folder = parts.count == 2 ? UInt64(parts[1], radix: 16) : nil
      guard parts.count == 1 || folder != nil else { return nil }
      return PreparedCommit(store: store, number: number, folder: folder)
    }
  }

  /// Throws if the server lets no transaction wait.
  static func checkServer(_ connection: PostgreSQLConnection, _ path: String) throws {
    let most = try connection.texts("SHOW max_prepared_transactions").first?.first.flatMap { $0 }
    guard most.flatMap(Int.init) == 0 else { return }
    throw StoreError(
      .notConfirmable,
      "The server lets no transaction wait for a document (PREPARE TRANSACTION). Set max_prepared_transactions in postgresql.conf to at least 10, and start the server again.",
      path: path)
  }

  /// Ends the waiting commits of a store as the document has decided: commits the one with the given number.
  ///
  /// - Parameters:
  ///   - rollingBack: Whether the other waiting commits are rolled back. Only the holder of the document's lock may do that.
  ///   - folder: The number of the document's folder. A commit of another folder stays: its manifest may name the commit.
  ///   - isPatient: Whether another process may be about to commit, and gets a second for that.
  ///   - path: The address of the store.
  /// - Throws: `StoreError` with code `locked` if a commit of another folder waits, and others are to be rolled back.
  static func settle(
    _ store: UUID, counting number: Int64, _ connection: PostgreSQLConnection, rollingBack: Bool,
    from folder: UInt64?, waiting isPatient: Bool, _ path: String
  ) throws {
    if isPatient {
      _ = try PreparedCommit(store: store, number: number).isWaiting(connection, for: .seconds(1))
    }
    for one in try all(of: store, connection) {
      if one.number == number {
        try one.commit(connection)
      } else if rollingBack {
        guard one.folder == nil || folder == nil || one.folder == folder else {
          throw one.isUndecided(path)
        }
        try one.rollBack(connection)
      }
    }
  }

  /// Returns the error for a commit that only another copy of the document's folder can decide about.
  private func isUndecided(_ path: String) -> StoreError {
    StoreError(
      .locked,
      "Commit \(number) waits on the server. It was saved through another copy of the document's folder, or before the folder was moved to another disk, and the manifest there decides whether it counts. Open that copy first. If it does not exist any more, discard the commit in the database: ROLLBACK PREPARED '\(name)'",
      path: path)
  }

  /// Whether the transaction waits.
  ///
  /// - Parameter duration: The time that another process gets to end the transaction.
  func isWaiting(_ connection: PostgreSQLConnection, for duration: Duration = .zero) throws -> Bool
  {
    let deadline = ContinuousClock.now + duration
    while try PreparedCommit.all(of: store, connection).contains(where: { $0.number == number }) {
      guard deadline > .now else { return true }
      Thread.sleep(forTimeInterval: 0.05)
    }
    return false
  }

  /// Commits the transaction, if it waits.
  func commit(_ connection: PostgreSQLConnection) throws { try finish("COMMIT", connection) }

  /// Rolls the transaction back, if it waits.
  func rollBack(_ connection: PostgreSQLConnection) throws { try finish("ROLLBACK", connection) }

  private func finish(_ word: String, _ connection: PostgreSQLConnection) throws {
    do { try connection.execute("\(word) PREPARED '\(name)'") } catch {
      // There is no such transaction, or another process is finishing it.
      guard error.state == "42704" || error.state == "55006" else { throw error }
      if try isWaiting(connection, for: .seconds(5)) { throw error }
    }
  }
}
