import ObjectModel
import RelationalStore
package import Rows
package import SQLTranslation
import SQLiteFiles

extension SQLiteDatabase {
  package func links(
    _ keys: [UInt64]?, of link: TableMap.LinkMap, in map: TableMap, basis: Int64
  ) throws -> [Block] {
    let links = LinkBlocks(link, map, path: path, basis: basis, ignoresHalfLinks: true)
    let (selection, condition) = (SQLiteDatabase.selection(link), TableMap.condition(of: link))
    guard let keys else {
      let statement = try connection.prepare(
        "\(selection)\(condition.map { " WHERE \($0)" } ?? "") ORDER BY 1")
      defer { statement.reset() }
      while try statement.step() { try links.take { SQLiteDatabase.cell($0, statement) } }
      return links.frozen()
    }
    try keys.forEachStretch { keys in
      let statement = try connection.prepare(
        "\(selection) WHERE \(link.keyText) BETWEEN ? AND ?\(condition.map { " AND \($0)" } ?? "") ORDER BY 1"
      )
      defer { statement.reset() }
      try statement.bind(Int64(keys[keys.startIndex]), 0)
      try statement.bind(Int64(keys[keys.endIndex - 1]), 1)
      var left = keys
      while try statement.step() {
        try links.take { key in
          left = left.drop { $0 < key }
          return left.first == key
        } _: {
          SQLiteDatabase.cell($0, statement)
        }
      }
    }
    return links.frozen()
  }

  /// Returns the statement that reads links, without its conditions.
  private static func selection(_ link: TableMap.LinkMap) -> String {
    func cells(_ column: String, _ destination: TableMap.Destination) -> [String] {
      let cell = "t.\(quoted(column))"
      return destination.isOnlyEntity
        ? [cell, "NULL"] : [cell, RowReader.entity(of: cell, known: nil, in: destination)]
    }
    var all = [link.keyText] + cells(link.source, link.sources) + cells(link.target, link.targets)
    for name in [link.targetOrder, link.sourceOrder, link.version] {
      all.append(name.map { "t.\(quoted($0))" } ?? "NULL")
    }
    return "SELECT \(all.joined(separator: ", ")) FROM \(quoted(link.table)) t"
  }

  private static func cell(_ cell: Int, _ statement: SQLiteStatement) -> LinkBlocks.Cell {
    switch statement.kind(cell) {
    case .null: .null
    case .integer: .integer(statement.integer(cell))
    // Without the number of its entity, an object is of the destination of the relationship.
    case _ where cell == 2 || cell == 4: .null
    default: .other(statement.value(cell).words)
    }
  }
}

extension [UInt64] {
  /// Calls `body` with each group of ascending keys that are close to each other. Skipping the rows between two close
  /// keys is faster than a new search.
  func forEachStretch(_ body: (ArraySlice<UInt64>) throws -> Void) rethrows {
    var start = startIndex
    while start < endIndex {
      var end = start + 1
      while end < endIndex, self[end] - self[end - 1] <= 16 { end += 1 }
      try body(self[start..<end])
      start = end
    }
  }
}
