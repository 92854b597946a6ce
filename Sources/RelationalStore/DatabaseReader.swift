package import Rows
package import SQLTranslation
package import StoreInterface

/// A connection in a transaction that shows a database at one commit. Any thread may use it, one at a time.
package protocol DatabaseReader: AnyObject, Sendable {
  associatedtype Source: Database

  /// The place of the database, for messages.
  var path: String { get }

  /// Whether requests may be answered in SQL. A reader without a connection does not answer them.
  var answersRequests: Bool { get }

  /// Returns whether another reader shows the same database, and the layers of the history mention every row that differs
  /// between the two readers.
  func sharesHistory(with other: Self) -> Bool

  /// Calls `body` with the database, and turns its failures into errors of the store.
  ///
  /// - Parameter body: Called with the database, and with the layers that turn its rows into those of the commit, newest
  ///   first. There are layers if the transaction had to begin again after later commits.
  func read<R>(_ body: (Source, [RowsBefore]) throws -> R) throws -> R

  /// Returns the rows of the commit with some keys in one round trip to a server, without beginning a transaction; `nil`
  /// if they must be read in one.
  ///
  /// - Parameter keys: One key, or a few consecutive keys.
  func lookUp(
    _ keys: Range<UInt64>, of entity: TableMap.EntityMap, in map: TableMap
  ) throws -> BlockRun?

  /// Whether ``another()`` may return a reader.
  static var hasCompanions: Bool { get }

  /// Returns another reader of the same moment, so that two threads can read a large table; `nil` if the moment has passed.
  func another() throws -> Self?

  /// Gives the connection up, when everything was read or the snapshot is not in use any more.
  func end()
}

extension DatabaseReader {
  package func lookUp(
    _ keys: Range<UInt64>, of entity: TableMap.EntityMap, in map: TableMap
  ) throws -> BlockRun? { nil }

  package static var hasCompanions: Bool { false }

  package func another() throws -> Self? { nil }
}
