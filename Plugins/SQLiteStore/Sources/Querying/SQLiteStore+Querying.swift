public import ObjectModel
public import ObjectQuery
import SQLTranslation
import SQLiteFiles
public import StoreInterface

extension SQLiteStore: QueryingStore {
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
    _ snapshot: any StoreSnapshot, _ ask: (SQLAnswers) throws -> R?
  ) throws -> R? {
    // A snapshot gives up its connection after all of its rows were read.
    guard let snapshot = snapshot as? SQLiteSnapshot, snapshot.reader.isOpen else { return nil }
    let contents = snapshot.contents
    let translation = SQLTranslation(
      contents.map, model: contents.model, schema: contents.schema, store: tag,
      isOwn: contents.isOwn)
    return try snapshot.reader.read { connection in
      let answers = SQLAnswers(connection, translation)
      return try answers.comparesBytes() ? ask(answers) : nil
    }
  }
}
