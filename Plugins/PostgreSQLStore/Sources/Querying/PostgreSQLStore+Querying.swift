public import ObjectModel
public import ObjectQuery
import SQLTranslation
public import StoreInterface

extension PostgreSQLStore: QueryingStore {
  /// Returns the keys of the objects that a request finds, in its order; `nil` if SQL can't answer exactly as a
  /// search of the rows.
  ///
  /// - Throws: `StoreError` if the database can't be read.
  public func keys(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> [ObjectKey]? {
    try answer(snapshot) { try $0.keys(request) }
  }

  /// Returns the number of objects that a request finds, after its limit and offset; `nil` if SQL can't answer.
  ///
  /// - Throws: `StoreError` if the database can't be read.
  public func count(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> Int? {
    try answer(snapshot) { try $0.count(request) }
  }

  /// Returns the values, groups or aggregates of a request; `nil` if SQL can't answer.
  ///
  /// - Throws: `StoreError` if the database can't be read.
  public func table(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> ResultTable? {
    try answer(snapshot) { try $0.table(request) }
  }

  private func answer<R>(
    _ snapshot: any StoreSnapshot, _ ask: (PostgreSQLAnswers) throws -> R?
  ) throws -> R? {
    guard let snapshot = snapshot as? PostgreSQLSnapshot, snapshot.commit > 0 else { return nil }
    let contents = snapshot.contents
    let translation = SQLTranslation(
      contents.map, PostgreSQLDialect(), model: contents.model, schema: contents.schema,
      store: tag)
    return try snapshot.reader.read { connection, later in
      // The tables show later commits, which only a search of the rows takes back.
      later.isEmpty ? try ask(PostgreSQLAnswers(connection, translation)) : nil
    }
  }
}
