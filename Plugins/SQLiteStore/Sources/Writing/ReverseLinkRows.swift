import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles

/// The second rows of links that count in both directions. The row of a link from one object to a second has a row
/// from the second to the first beside it (spec §10.3.5).
///
/// Core Data looks for the related objects of an object in one column only, so without the second row it would show the
/// link on one side alone.
struct ReverseLinkRows {
  private let connection: SQLiteConnection
  private let link: TableMap.LinkMap

  /// - Returns: `nil` for links that count in one direction.
  init?(of link: TableMap.LinkMap, _ connection: SQLiteConnection) {
    guard link.links.isSymmetric, !link.isColumn else { return nil }
    (self.link, self.connection) = (link, connection)
  }

  /// Adds the second rows of written links. The rows get the given keys, which must be above the keys of the links:
  /// a link has the lower key of its two rows.
  func add(for links: [Int64], keys: ClosedRange<Int64>) throws {
    var names = [(link.source, link.target), (link.target, link.source)]
    if let version = link.version { names.append((version, version)) }
    switch (link.targetOrder, link.sourceOrder) {
    case (let target?, let source?): names += [(target, source), (source, target)]
    case (let order?, nil), (nil, let order?): names.append((order, order))
    case (nil, nil): break
    }
    let statement = try connection.prepare(
      """
      INSERT OR REPLACE INTO \(quoted(link.table)) (rowid, \(names.map { quoted($0.0) }.joined(separator: ", "))) \
      SELECT ?, \(names.map { quoted($0.1) }.joined(separator: ", ")) FROM \(quoted(link.table)) \
      WHERE rowid = ? AND \(quoted(link.source)) <> \(quoted(link.target))
      """)
    for (key, link) in zip(keys, links) {
      try statement.bind([.integer(key), .integer(link)])
      try statement.run()
    }
  }

  /// Returns the keys of the links without a second row. Earlier versions of Quire wrote such links.
  func missing() throws(SQLiteError) -> [Int64] {
    let (table, source, target) = (quoted(link.table), quoted(link.source), quoted(link.target))
    let statement = try connection.prepare(
      """
      SELECT t.rowid FROM \(table) t WHERE t.\(source) <> t.\(target) AND NOT EXISTS \
      (SELECT 1 FROM \(table) o WHERE o.\(source) = t.\(target) AND o.\(target) = t.\(source)) ORDER BY 1
      """)
    defer { statement.reset() }
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(0)) }
    return keys
  }
}

extension SQLiteStore {
  /// Adds the second rows of links that a save has written.
  func addReverseRows(
    of written: [Int64], _ link: TableMap.LinkMap, isOwn: Bool,
    _ connection: SQLiteConnection
  ) throws {
    guard !written.isEmpty, let rows = ReverseLinkRows(of: link, connection) else { return }
    let last = try reserve(
      written.count, ofLinks: link, isOwn: isOwn, connection)
    try rows.add(for: written, keys: last + 1...last + Int64(written.count))
  }

  /// Adds the second rows that are missing in a store, because an earlier version of Quire wrote its links.
  func addMissingReverseRows(
    _ contents: StoreContents, _ connection: SQLiteConnection
  ) throws {
    for link in contents.map.links.values {
      guard let rows = ReverseLinkRows(of: link, connection) else { continue }
      try addReverseRows(
        of: rows.missing(), link, isOwn: contents.isOwn, connection)
    }
  }
}
