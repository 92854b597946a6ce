// SAFETY: Only the holder of the writer's turn uses the writer's connection and the size of the tables.

import Foundation
import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
import StoreInterface
import Synchronization

extension PostgreSQLStore {
  /// Makes a commit in one round trip.
  ///
  /// - Returns: The snapshot of the commit; `nil` if the commit must be made in the ordinary way, and nothing was changed.
  func commitInOneTrip(_ request: CommitRequest) throws -> (any StoreSnapshot)? {
    guard !isReadOnly, !isPartOfDocument, options.historyShare > 0, request.requiredCommit == nil,
      let head = current.withLock({ $0?.head })
    else { return nil }
    writingTurn.lock()
    defer { writingTurn.unlock() }
    // The first commit, and one from time to time, looks at the size of the history.
    guard let connection = unsafe writer, connection.isAlive, let size = unsafe tableSize,
      !size.isOld(at: head.commit)
    else { return nil }
    let token = UUID()
    let inUse = [head.rows] + pool.rowsInUse()
    guard
      let commit = try OneTripCommit(
        request, in: self, head.contents, connection, room: historyRoom(size.byteCount),
        token: token, known: { key in try inUse.compactMap { try $0.knownRow(of: key) } })
    else { return nil }
    return try asStore(filePath) {
      guard let number = try number(of: commit, token, after: request.base, connection) else {
        return nil
      }
      return try left(by: number, head.contents)
    }
  }

  /// Returns the number that a commit has got; `nil` if the server has undone it.
  private func number(
    of commit: OneTripCommit, _ token: UUID, after base: Int64, _ connection: PostgreSQLConnection
  ) throws -> Int64? {
    var number: Int64?
    do {
      let warning = try connection.transact(
        "BEGIN ISOLATION LEVEL READ COMMITTED", commit.statements
      ) { number = $0[0].integer }
      guard let warning else { return number }
      return try self.number(of: token, after: base, PostgreSQLError(message: warning))
    } catch let error as PostgreSQLError where error.isConnectionLost {
      unsafe writer = nil
      return try self.number(of: token, after: base, error)
    } catch let error as PostgreSQLError {
      if connection.isAlive, connection.isInTransaction { try? connection.rollBack() }
      // The ordinary way would wait for the same lock again.
      if error.state == "55P03" { throw error }
      return nil
    }
  }
}
