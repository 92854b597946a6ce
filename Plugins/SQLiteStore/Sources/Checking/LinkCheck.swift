import ObjectModel
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

/// The check of the rows of all link tables (spec §10.3.5).
final class LinkCheck {
  private let check: SQLiteFileCheck
  private let connection: SQLiteConnection
  private let map: TableMap
  private let newestCommit: Int64?
  /// The highest key of each table, by the table's number.
  private(set) var highest: [UInt16: Int64] = [:]
  /// Whether a reader must reject one of the rows.
  private(set) var isUnreadable = false

  init(
    _ check: SQLiteFileCheck, _ connection: SQLiteConnection, _ map: TableMap,
    newestCommit: Int64?
  ) {
    (self.check, self.connection) = (check, connection)
    (self.map, self.newestCommit) = (map, newestCommit)
  }

  /// Checks all link tables.
  func run() throws(SQLiteError) {
    for (number, link) in map.links.sorted(by: { $0.key < $1.key }) {
      do throws(SQLiteError) { try run(link, number) } catch {
        // A link table has row numbers and, in stores of this format, a version column.
        guard error.code == .failed else { throw error }
        isUnreadable = true
        check.findings.add(
          .sqliteLinkTables, Place(link.table), "The table can't be read: \(error.description).")
      }
    }
  }

  private func run(_ link: TableMap.LinkMap, _ number: UInt16) throws(SQLiteError) {
    let orders = [link.targetOrder, link.sourceOrder].compactMap { $0 }
    var cells = [link.keyText, quoted(link.source), quoted(link.target)] + orders.map(quoted)
    let versionCell = cells.count
    if newestCommit != nil { cells.append("t.\(quoted(link.version ?? TableMap.Column.version))") }
    let condition = TableMap.condition(of: link).map { " WHERE \($0)" } ?? ""
    let statement = try connection.prepare(
      "SELECT \(cells.joined(separator: ", ")) FROM \(quoted(link.table)) t\(condition)",
      isKept: false)
    while try statement.step() {
      check.result.rowCount += 1
      let key = statement.integer(0)
      let place = Place(link.table, object: UInt64(exactly: key))
      guard key >= 1, key <= Int64(ObjectKey.highestNumber) else {
        isUnreadable = true
        check.findings.add(.sqliteKeys, place, "The row has the number \(key).")
        continue
      }
      let isDerived = link.isColumn && key >= TableMap.LinkMap.firstDerivedKey
      if !isDerived { highest[number] = max(highest[number] ?? 0, key) }
      checkEnds(statement, link, place)
      for (index, order) in orders.enumerated()
      where ![.null, .integer].contains(statement.kind(3 + index)) {
        isUnreadable = true
        check.findings.add(
          .sqliteCells, place, "\(order) is \(statement.value(3 + index).words), not a position.")
      }
      // A link that another program wrote into a store of this format lacks a commit number.
      guard let newestCommit, !isDerived else { continue }
      check.findings.addFaults(
        ofVersion: statement.value(versionCell), newest: newestCommit, place)
    }
    for key in try ReverseLinkRows(of: link, connection)?.missing() ?? [] {
      check.findings.add(
        .sqliteReverseLinks, Place(link.table, object: UInt64(exactly: key)),
        """
        The link has no row in the other direction, so Core Data shows it on one side \
        alone\(newestCommit == nil ? "." : "; 'quire vacuum' adds the row.")
        """)
    }
  }

  private func checkEnds(
    _ statement: SQLiteStatement, _ link: TableMap.LinkMap, _ place: Place
  ) {
    for (cell, name) in [(1, link.source), (2, link.target)] {
      switch statement.value(cell) {
      case .null:
        check.findings.add(.sqliteHalfLinks, place, "\(name) is empty, so the row is not a link.")
      case .integer(1...Int64(ObjectKey.highestNumber)): break
      case let found:
        isUnreadable = true
        check.findings.add(.sqliteLinkEnds, place, "\(name) is \(found.words).")
      }
    }
  }
}
