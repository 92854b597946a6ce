import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles

/// Reads links of one table into blocks.
struct LinkReader {
  private let link: TableMap.LinkMap
  private let links: LinkBlocks

  /// - Parameter basis: The version that the links are based on; 0 if they are based on none.
  init(_ link: TableMap.LinkMap, _ map: TableMap, path: String, basis: Int64) {
    self.link = link
    links = LinkBlocks(link, map, path: path, basis: basis)
  }

  /// Returns the existing links with the given keys, which ascend, or all links if there are no keys.
  func blocks(of keys: [UInt64]?, from connection: SQLiteConnection) throws -> [Block] {
    let condition = TableMap.condition(of: link)
    guard let keys else {
      let statement = try connection.prepare(
        "\(selection)\(condition.map { " WHERE \($0)" } ?? "") ORDER BY 1")
      defer { statement.reset() }
      try take(statement) { _ in true }
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
      try take(statement) { key in
        left = left.drop { $0 < key }
        return left.first == key
      }
    }
    return links.frozen()
  }

  /// The statement that reads links, without its conditions.
  private var selection: String {
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

  /// Reads the links of a statement whose keys meet `isWanted`.
  private func take(
    _ statement: SQLiteStatement, where isWanted: (UInt64) -> Bool
  ) throws {
    func integer(_ cell: Int) -> Int64? {
      statement.kind(cell) == .integer ? statement.integer(cell) : nil
    }
    while try statement.step() {
      let key = try links.check(key: statement.integer(0), "\(statement.integer(0))")
      guard isWanted(UInt64(key)) else { continue }
      // A link with only one end is ignored.
      guard statement.kind(1) != .null, statement.kind(3) != .null else { continue }
      let source = try links.source(
        integer(1), entity: integer(2), ofLink: key, statement.value(1).words)
      let target = try links.target(
        integer(3), entity: integer(4), ofLink: key, statement.value(3).words)
      let targetOrder = try place(statement, 5, key)
      let sourceOrder = try place(statement, 6, key)
      links.add(
        key, source, target, targetOrder: targetOrder, sourceOrder: sourceOrder,
        version: integer(7) ?? LinkReader.version(source, target, [targetOrder, sourceOrder]))
    }
  }

  private func place(_ statement: SQLiteStatement, _ cell: Int, _ key: Int64) throws -> Int64? {
    switch statement.kind(cell) {
    case .null: nil
    case .integer: statement.integer(cell)
    default: throw links.fault("row \(key) has a position that is not a whole number")
    }
  }

  /// Returns a hash of a link's contents, used as its version if the table has no versions. A different link in the same
  /// row gets a different hash.
  private static func version(
    _ source: ObjectKey, _ target: ObjectKey, _ orders: [Int64?]
  ) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let places = orders.compactMap { $0.map { UInt64(bitPattern: $0) } }
    for number in [source.rawValue, target.rawValue] + places {
      for shift in stride(from: 0, to: 64, by: 8) {
        hash = (hash ^ (number >> UInt64(shift) & 0xFF)) &* 0x100_0000_01b3
      }
    }
    return Int64(hash >> 2 | 1 << 61)
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
