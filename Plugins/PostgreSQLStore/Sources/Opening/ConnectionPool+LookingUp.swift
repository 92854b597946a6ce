import PostgreSQLConnection
import RelationalStore
import Rows
import SQLTranslation
import StoreInterface

extension ConnectionPool {
  /// Whether rows may be looked up without a transaction. A snapshot without a transaction needs the history as soon as a
  /// later commit has changed a row.
  var looksUp: Bool { options.historyShare > 0 }

  /// Returns the newest commit and the rows of an entity in a range of keys, in one round trip; `nil` if they must be read
  /// in another way, because the tables have changed or a row is damaged.
  ///
  /// - Throws: `PostgreSQLError` if the connection is lost, or the server interrupts the statement.
  func lookUp(
    _ keys: Range<UInt64>, of entity: TableMap.EntityMap, in map: TableMap
  ) throws -> (head: LookUpHead, run: BlockRun)? {
    guard looksUp else { return nil }
    let connection = try take()
    do {
      var reader = RowReader(entity, map, path: address.path, basis: 0)
      let (head, blocks) = try reader.lookUp(keys, from: connection)
      give(connection)
      return (head, BlockRun(blocks))
    } catch let error as PostgreSQLError where error.isConnectionLost || error.isOfClass("57") {
      throw error
    } catch {
      return nil
    }
  }
}
