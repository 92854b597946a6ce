import PostgreSQLConnection
import RelationalStore

/// The newest commit of the store, and the commits that set the model and the metadata, as a look-up of rows reads them.
struct LookUpHead {
  let newest: Int64
  let modelCommit: Int64
  let metadataCommit: Int64

  /// Reads the first cells of a row.
  ///
  /// - Throws: `PostgreSQLError` if they do not describe a store that this program knows. The caller then reads the store
  ///   in another way, which finds the error for the user.
  init(_ cells: Span<PostgreSQLCell>) throws(PostgreSQLError) {
    guard cells.count >= 4, let format = cells[0].integer, format <= StoreContents.format,
      let newest = cells[1].integer, newest >= 0, let modelCommit = cells[2].integer,
      let metadataCommit = cells[3].integer
    else { throw PostgreSQLError(message: "The table quire_store does not describe a store.") }
    (self.newest, self.modelCommit, self.metadataCommit) = (newest, modelCommit, metadataCommit)
  }
}
