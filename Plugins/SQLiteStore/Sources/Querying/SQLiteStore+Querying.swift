public import ObjectModel
public import ObjectQuery
import SQLiteFiles
public import StoreInterface

extension SQLiteStore: QueryingStore {
  /// The objects that a request finds, in its order, where SQL means what the rows mean.
  ///
  /// - Throws: `StoreError` when the database can't be read.
  public func keys(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> [ObjectKey]? {
    try answer(snapshot) { try $0.keys(request) }
  }

  /// How many objects a request finds, its limit and offset counted.
  ///
  /// - Throws: `StoreError` when the database can't be read.
  public func count(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> Int? {
    try answer(snapshot) { try $0.count(request) }
  }

  /// The values, groups or aggregates that a request asks for.
  ///
  /// - Throws: `StoreError` when the database can't be read.
  public func table(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> ResultTable? {
    try answer(snapshot) { try $0.table(request) }
  }

  private func answer<R>(
    _ snapshot: any StoreSnapshot, _ ask: (SQLAnswers) throws -> R?
  ) throws -> R? {
    // What was read to its end needs the database no more, and can't ask it.
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
