package import ObjectModel
package import ObjectQuery
package import SQLTranslation
package import StoreInterface

/// A store in a database: the functions of a store that are the same for each kind of database.
package protocol DatabaseStore: HistoryStore, QueryingStore {
  associatedtype Reader: DatabaseReader
  associatedtype Transaction: WritingTransaction

  /// The place of the database.
  var filePath: String { get }

  /// Returns a snapshot of the newest commit.
  func newest() throws -> DatabaseSnapshot<Reader>

  /// Runs `body` in a transaction, while other writers of the database wait. Changes that `body` does not commit are rolled
  /// back. When the transaction has ended, the function that `body` returned is called.
  ///
  /// - Parameter body: The work. It runs again if the transaction fails because of other transactions.
  func transaction<R>(_ body: (Transaction) throws -> () throws -> R) throws -> R

  /// Runs `body` as ``transaction(_:)`` does, for a commit of the request. A store on a server may override this to read
  /// all rows that the commit needs at once.
  func transaction<R>(
    of request: CommitRequest, _ body: (Transaction) throws -> () throws -> R
  ) throws -> R

  /// Returns the snapshot of a commit of this process, even if another process has committed before it was read.
  ///
  /// If the history does not keep the commit, the snapshot is newer than its number says, but its rows have the versions
  /// of the commits that wrote them.
  func left(by number: Int64, _ contents: StoreContents) throws -> any StoreSnapshot

  /// Returns the SQL of the database, for tables of the given description; `nil` if the rows are searched in memory.
  func dialect(of contents: StoreContents) -> (any SQLDialect)?

  /// Returns metadata that the history of a store contains.
  func metadata(_ list: [UInt8], after newest: StoreMetadata) throws -> StoreMetadata
}

extension DatabaseStore {
  /// The place of the database: its file or its address.
  public var path: String? { filePath }

  package var closed: StoreError { StoreError(.closed, "The store was closed.", path: filePath) }

  package func transaction<R>(
    of request: CommitRequest, _ body: (Transaction) throws -> () throws -> R
  ) throws -> R {
    try transaction(body)
  }

  /// Returns a snapshot of the newest commit, which may be another process's. A store of a document shows the commit
  /// that the document names.
  public func snapshot() throws -> any StoreSnapshot { try newest() }

  /// Returns a snapshot of an earlier commit: the newest rows, under the layers that undo each later commit.
  public func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    let head = try newest()
    if head.commit == number { return head }
    // The head's transaction still sees history that was dropped since, so the list of commits is read again.
    guard head.contents.isOwn, number < head.commit,
      try commits().contains(where: { $0.number == number })
    else { throw Self.missing(number, path) }
    let before = try head.layers(undoing: number..<head.commit)
    return try EarlierSnapshot(number, head, before) { try metadata($0, after: head.metadata) }
  }

  /// Makes changes durable in one transaction: all or nothing.
  package func commitAlone(_ request: CommitRequest) throws -> any StoreSnapshot {
    try transaction(of: request) { transaction in
      try transaction.admit(request)
      if request.isEmpty { return { try self.newest() } }
      let number = transaction.newest + 1
      let after = try transaction.write(request, as: number)
      try transaction.commit(number)
      return { try self.left(by: number, after) }
    }
  }

  /// Makes changes durable in one transaction: all or nothing.
  @discardableResult
  public func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    try commitAlone(request)
  }

  // MARK: - Requests

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
    _ snapshot: any StoreSnapshot, _ ask: (SQLAnswers<Reader.Source>) throws -> R?
  ) throws -> R? {
    // A snapshot whose rows are all in memory gives up its connection, and is searched there.
    guard let snapshot = snapshot as? DatabaseSnapshot<Reader>, snapshot.reader.answersRequests,
      let dialect = dialect(of: snapshot.contents)
    else { return nil }
    let contents = snapshot.contents
    let translation = SQLTranslation(
      contents.map, dialect, model: contents.model, schema: contents.schema,
      store: tag)
    return try snapshot.reader.read { database, later in
      // The tables show later commits, which only a search of the rows takes back.
      later.isEmpty ? try ask(SQLAnswers(database, translation)) : nil
    }
  }
}
