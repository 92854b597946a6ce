import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
import SQLTranslation

/// Reads links of one table into blocks.
struct LinkReader {
  private let link: TableMap.LinkMap
  private let links: LinkBlocks

  /// - Parameter basis: The version that the links are based on; 0 if they are based on none.
  init(_ link: TableMap.LinkMap, _ map: TableMap, path: String, basis: Int64) {
    self.link = link
    links = LinkBlocks(link, map, path: path, basis: basis)
  }

  /// Returns the existing links with the given keys, or all links if there are no keys, in the order of their keys.
  func blocks(of keys: [UInt64]?, from connection: any RowSource) throws -> [Block] {
    if let keys {
      try connection.forEachRow(
        "\(selection) WHERE t.id = ANY($1) ORDER BY 1",
        [PostgreSQLParameter(keys.map { Int64(bitPattern: $0) })], columnCount: 8
      ) { try take($0) }
    } else {
      try connection.copyRows(of: "\(selection) ORDER BY 1", columnCount: 8) { try take($0) }
    }
    return links.frozen()
  }

  /// The statement that reads links: keys, ends with the numbers of their entities, places, and versions.
  private var selection: String {
    var tables = "\(quoted(link.table)) t"
    func cells(_ column: String, _ destination: TableMap.Destination, _ alias: String) -> [String] {
      let cell = "t.\(quoted(column))"
      guard !destination.isOnlyEntity else { return [cell, "NULL::integer"] }
      tables += " LEFT JOIN \(quoted(destination.table)) \(alias) ON \(alias).id = \(cell)"
      return [cell, "\(alias).entity"]
    }
    var all =
      ["t.id"] + cells(link.source, link.sources, "s") + cells(link.target, link.targets, "d")
    for name in [link.targetOrder, link.sourceOrder] {
      all.append(name.map { "t.\(quoted($0))" } ?? "NULL::bigint")
    }
    all.append("t.version")
    return "SELECT \(all.joined(separator: ", ")) FROM \(tables)"
  }

  private func take(_ cells: Span<PostgreSQLCell>) throws {
    let key = try links.check(key: cells[0].integer, cells[0].words)
    let source = try links.source(
      cells[1].integer, entity: entity(cells[2], key), ofLink: key, cells[1].words)
    let target = try links.target(
      cells[3].integer, entity: entity(cells[4], key), ofLink: key, cells[3].words)
    let targetOrder = try place(cells[5], key)
    let sourceOrder = try place(cells[6], key)
    guard let version = cells[7].integer, version >= 0 else {
      throw links.fault("row \(key) has no version")
    }
    links.add(
      key, source, target, targetOrder: targetOrder, sourceOrder: sourceOrder, version: version)
  }

  private func entity(_ cell: PostgreSQLCell, _ key: Int64) throws -> Int64? {
    if cell.isNull { return nil }
    guard let entity = cell.integer else {
      throw links.fault("row \(key) contains \(cell.words) instead of an entity")
    }
    return entity
  }

  private func place(_ cell: PostgreSQLCell, _ key: Int64) throws -> Int64? {
    if cell.isNull { return nil }
    guard let place = cell.integer else {
      throw links.fault("row \(key) has a position that is not a whole number")
    }
    return place
  }
}
