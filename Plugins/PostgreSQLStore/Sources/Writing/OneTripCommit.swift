import Foundation
import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
import SQLTranslation
import StoreInterface

/// A commit that goes to the server in one round trip. Writers of other programs then wait only for the server, and not for
/// this program.
///
/// An ordinary commit locks the store, reads the rows that it replaces for the history, and then sends its changes.
/// If a commit only changes attributes of objects that this program has read, the program knows those rows: a row whose
/// version has not changed is the row that was read. The server compares the versions, counts the commit, and
/// undoes everything if a version differs. Then the commit is made in the ordinary way, which finds the reason.
struct OneTripCommit {
  /// The statements of the transaction. The last one returns the number of the commit.
  let statements: [PostgreSQLStatement]

  /// The most rows of such a commit. With more rows, a round trip is a small part of the work.
  private static let mostRows = 64

  /// Returns `nil` if the request needs more than this, or a row is not known.
  ///
  /// - Parameters:
  ///   - room: The number of bytes that the history may use.
  ///   - known: Returns a row that was read before.
  init?(
    _ request: CommitRequest, in store: PostgreSQLStore, _ contents: StoreContents,
    _ connection: PostgreSQLConnection, room: Int64, token: UUID,
    known: (ObjectKey) throws -> [RowLocation]
  ) throws {
    guard request.requiredCommit == nil, request.model == nil, request.metadata == nil,
      request.base >= contents.modelCommit, !request.changes.isEmpty,
      request.changes.count <= OneTripCommit.mostRows,
      request.changes.entities.allSatisfy({ $0.put.isEmpty && $0.removed.isEmpty })
    else { return nil }
    var updates: [PostgreSQLStatement] = []
    var before: [Block] = []
    var written: [(count: String, keys: [Int64])] = []
    for changes in request.changes.entities {
      guard let entity = contents.map.entities[changes.entityNumber],
        let layout = contents.schema[changes.entityNumber]
      else { return nil }
      var rows: [(key: UInt64, location: RowLocation)] = []
      for one in try changes.entries() {
        guard case .changed(let change) = one.entry else { return nil }
        let basis = try change.basis
        let key = ObjectKey(entity: changes.entityNumber, number: one.key)
        guard let row = try known(key).first(where: { try $0.version == basis }) else { return nil }
        rows.append((one.key, row))
      }
      // The number of the commit is not known yet, so the rows lie above a commit without a number.
      before += try BlockRun(copying: rows, layout, basis: LayoutColumn.unsavedBasis).blocks
      let writer = TableWriter(entity, version: 0, connection)
      updates += try writer.updatesOfUnchangedRows(changes.changed)
      written.append(
        (
          writer.countOfWritten("$\(written.count + OneTripCommit.recordParameterCount + 1)"),
          rows.map { Int64(bitPattern: $0.key) }
        ))
    }
    let byteCount = Int64(before.reduce(0) { $0 + $1.byteCount })
    statements =
      [OneTripCommit.counting(contents, byteCount, room)] + updates
      + (try before.enumerated().map { try BeforeTable.insertion(of: $1, part: $0) })
      + [OneTripCommit.record(request, store, byteCount, token, written)]
  }

  /// Locks the store, as each commit does first, and counts the commit. If the description of the store has changed, or
  /// the history has no room, the statement changes nothing, and the record of the commit then fails.
  private static func counting(
    _ contents: StoreContents, _ byteCount: Int64, _ room: Int64
  ) -> PostgreSQLStatement {
    PostgreSQLStatement(
      """
      UPDATE quire_store SET newest = newest + 1, kept = kept + $1 \
      WHERE model_commit = $2 AND metadata_commit = $3 AND kept + $1 <= $4
      """,
      [byteCount, contents.modelCommit, contents.metadataCommit, room].map {
        PostgreSQLParameter($0)
      })
  }

  /// The number of parameters of the record, before the keys.
  private static let recordParameterCount = 8

  /// Records the commit, unless a row was not written. A commit without a number violates the table's constraint, and so
  /// does the number of the commit before.
  private static func record(
    _ request: CommitRequest, _ store: PostgreSQLStore, _ byteCount: Int64, _ token: UUID,
    _ written: [(count: String, keys: [Int64])]
  ) -> PostgreSQLStatement {
    let count = written.map(\.count).joined(separator: " + ")
    return PostgreSQLStatement(
      """
      WITH made AS (INSERT INTO quire_commit (number, time, token, author, context_name, message, kept) \
      SELECT CASE WHEN \(count) = $1 THEN newest END, $2, $3, $4, $5, $6, $7 FROM quire_store) \
      SELECT newest, \(store.announcesItself ? "pg_notify($8, newest::text)" : "$8") FROM quire_store
      """,
      [
        PostgreSQLParameter(Int64(written.reduce(0) { $0 + $1.keys.count })),
        PostgreSQLParameter(Date().timeIntervalSinceReferenceDate),
        PostgreSQLParameter(.uuid, bytes: token.bytes),
        PostgreSQLParameter(stored: request.author),
        PostgreSQLParameter(stored: request.contextName),
        PostgreSQLParameter(stored: request.message),
        PostgreSQLParameter(byteCount), PostgreSQLParameter(store.channel),
      ] + written.map { PostgreSQLParameter($0.keys) })
  }
}

extension PostgreSQLParameter {
  init(stored text: String?) {
    self =
      text.map { PostgreSQLParameter(StoredText.stored($0)) } ?? PostgreSQLParameter(nullOf: .text)
  }
}
