import ObjectModel
import PostgreSQLConnection
import RelationalStore
import StoreInterface

extension PostgreSQLStore {
  /// Reserves keys for new objects or links, by one statement and without waiting for commits of other entities.
  public func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    if isReadOnly {
      throw StoreError(.readOnly, "The store was opened for reading only.", path: path)
    }
    guard let key = try knownContents().keyNumber(of: number) else {
      throw StoreError(.badChange, "No entity has the number \(number).", path: path)
    }
    let count = Int64(clamping: max(count, 1))
    guard count <= Int64(ObjectKey.highestNumber) else { throw noKeys }
    return try withIdleConnection { connection in
      let last = try connection.integer(
        "UPDATE quire_key SET last = last + $2 WHERE number = $1 AND last <= $3 RETURNING last",
        [
          PostgreSQLParameter(key), PostgreSQLParameter(count),
          PostgreSQLParameter(Int64(ObjectKey.highestNumber) - count),
        ])
      guard let last, last >= count, last <= Int64(ObjectKey.highestNumber) else { throw noKeys }
      return UInt64(last - count) + 1..<UInt64(last) + 1
    }
  }

  private var noKeys: StoreError {
    StoreError(.badChange, "The store has no keys left.", path: path)
  }
}
