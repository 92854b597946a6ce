import PostgreSQLConnection
import RelationalStore
package import Rows
package import SQLTranslation

extension PostgreSQLDatabase {
  package func links(
    _ keys: [UInt64]?, of link: TableMap.LinkMap, in map: TableMap, basis: Int64
  ) throws -> [Block] {
    let links = LinkBlocks(link, map, path: path, basis: basis)
    let selection = selection(link)
    if let keys {
      try connection.forEachRow(
        "\(selection) WHERE t.id = ANY($1) ORDER BY 1",
        [PostgreSQLParameter(keys.map { Int64(bitPattern: $0) })], columnCount: 8
      ) { try take($0, links) }
    } else {
      try connection.copyRows(of: "\(selection) ORDER BY 1", columnCount: 8) { try take($0, links) }
    }
    return links.frozen()
  }

  /// Returns the statement that reads links: keys, ends with the numbers of their entities, places, and versions.
  private func selection(_ link: TableMap.LinkMap) -> String {
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

  private func take(_ cells: Span<PostgreSQLCell>, _ links: LinkBlocks) throws {
    guard cells[7].integer ?? -1 >= 0 else { throw links.fault("a row has no version") }
    try links.take { cell in
      let cell = cells[cell]
      return cell.isNull ? .null : cell.integer.map { .integer($0) } ?? .other(cell.words)
    }
  }
}
