// SAFETY: Only the holder of the writer's turn uses the state that the turn guards, as `transaction(_:)` ensures.

import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

extension SQLiteStore {
  /// Reserves keys for new objects in `Z_PRIMARYKEY`, or for new links.
  public func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    try transaction { transaction in
      let (contents, connection) = (transaction.contents, transaction.database.connection)
      let count = Int64(clamping: max(count, 1))
      let last: Int64
      if let entity = contents.map.entities[number] {
        last = try connection.lastKey(of: entity.rootNumber, in: entity.table)
        try connection.run(
          "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
          [.integer(end(last, count)), .integer(entity.rootNumber)])
      } else if let link = contents.map.links[number] {
        last = try reserve(Int(count), ofLinks: link, isOwn: contents.isOwn, connection)
      } else {
        throw StoreError(.badChange, "No entity has the number \(number).", path: filePath)
      }
      try connection.execute("COMMIT")
      if !contents.isOwn { try ignoreOwnWriting() }
      return { UInt64(last) + 1..<UInt64(last + count) + 1 }
    }
  }

  /// Reserves keys for links.
  ///
  /// - Returns: The last key that was reserved before. The reserved keys follow it.
  func reserve(
    _ count: Int, ofLinks link: TableMap.LinkMap, isOwn: Bool, _ connection: SQLiteConnection
  ) throws -> Int64 {
    let number = link.links.layout.entityNumber
    let last = try lastKey(of: link, number, isOwn: isOwn, connection)
    let end = try end(last, Int64(count))
    if isOwn {
      try connection.run(
        "INSERT OR REPLACE INTO QUIRE_LINK (NUMBER, LAST) VALUES (?, ?)",
        [.integer(Int64(number)), .integer(end)])
    } else {
      unsafe writingState.linkKeys[number] = UInt64(end)
    }
    return last
  }

  /// Returns the last of some keys that follow another key.
  private func end(_ last: Int64, _ count: Int64) throws -> Int64 {
    let (end, overflows) = last.addingReportingOverflow(count)
    guard !overflows, end <= Int64(ObjectKey.highestNumber) else {
      throw StoreError(.badChange, "The store has no keys left.", path: filePath)
    }
    return end
  }

  /// Returns the highest key that was assigned to a link in a table.
  private func lastKey(
    of link: TableMap.LinkMap, _ number: UInt16, isOwn: Bool,
    _ connection: SQLiteConnection
  ) throws -> Int64 {
    // Keys that are derived from keys of objects were never assigned, so they are left out.
    let key = link.isColumn ? quoted(link.key) : "rowid"
    let highest = max(
      try connection.integer("SELECT max(\(key)) FROM \(quoted(link.table))") ?? 0, 0)
    guard isOwn else {
      if let known = unsafe writingState.linkKeys[number] { return Int64(known) }
      // A saved link in a column has the key of its target (spec §10.3.7). Until it is saved, it must not have the
      // key of another link.
      let highest = link.isColumn ? TableMap.LinkMap.firstDerivedKey : highest
      // A database of another system keeps no count of link keys, so that two processes must begin far apart.
      return highest + Int64(UInt32.random(in: 0...UInt32.max))
    }
    return max(
      highest,
      try connection.integer(
        "SELECT LAST FROM QUIRE_LINK WHERE NUMBER = ?", [.integer(Int64(number))]) ?? 0)
  }
}
