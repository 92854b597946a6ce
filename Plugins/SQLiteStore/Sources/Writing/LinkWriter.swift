import ObjectModel
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

/// Writes links of one table. A link's key is the number of its row.
struct LinkWriter {
  let connection: SQLiteConnection
  let link: TableMap.LinkMap
  /// The version of written links; `nil` if the table has no column for it.
  let version: Int64?
  let path: String

  /// The writer of links in a column; `nil` if the links have a separate table.
  private var column: LinkColumnWriter? {
    link.isColumn
      ? LinkColumnWriter(connection: connection, link: link, version: version, path: path) : nil
  }

  func remove(_ run: BlockRun) throws {
    if let column { return try column.remove(run) }
    if link.links.isSymmetric { try removeTwins(run) }
    let statement = try connection.prepare("DELETE FROM \(quoted(link.table)) WHERE rowid = ?")
    try run.forEachKey { key in
      try statement.bind(key, 0)
      try statement.run()
    }
  }

  /// Removes the second rows of symmetric links, and duplicates in either direction. Readers take all of these rows for
  /// one link, so that a row that stays would bring a removed link back.
  private func removeTwins(_ run: BlockRun) throws {
    let (table, source, target) = (quoted(link.table), quoted(link.source), quoted(link.target))
    let statement = try connection.prepare(
      """
      DELETE FROM \(table) WHERE rowid IN (SELECT o.rowid FROM \(table) t, \(table) o WHERE t.rowid = ?1 AND o.rowid <> ?1
      AND (o.\(source) = t.\(target) AND o.\(target) = t.\(source) OR o.\(source) = t.\(source) AND o.\(target) = t.\(target)))
      """)
    try run.forEachKey { key in
      try statement.bind(key, 0)
      try statement.run()
    }
  }

  /// Inserts links. If the table allows each link once, a new link replaces an equal one.
  func insert(_ run: BlockRun) throws {
    guard !run.isEmpty else { return }
    if let column { return try column.insert(run) }
    var names = ["rowid", quoted(link.source), quoted(link.target)]
    for order in [link.targetOrder, link.sourceOrder] { names += order.map { [quoted($0)] } ?? [] }
    if version != nil { names.append("\"Z_OPT\"") }
    let statement = try connection.prepare(
      "INSERT OR REPLACE INTO \(quoted(link.table)) (\(names.joined(separator: ", "))) VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
    )
    try run.forEachLink(of: link, path) { key, source, target, places in
      try statement.bind(key, 0)
      try statement.bind(source, 1)
      try statement.bind(target, 2)
      for (index, place) in places.enumerated() {
        try statement.bind(place.map { .integer($0) } ?? .null, 3 + index)
      }
      if let version { try statement.bind(version, 3 + places.count) }
      try statement.run()
    }
  }

  /// Changes the positions or ends of links. Symmetric links lose their second rows, which are then added again.
  func update(_ run: BlockRun) throws {
    if let column { return try column.update(run) }
    if link.links.isSymmetric { try removeTwins(run) }
    for block in run.blocks {
      let keys = try block.keys
      for row in 0..<block.rowCount {
        for (name, number) in [
          (link.source, LinkTable.Column.source), (link.target, LinkTable.Column.target),
        ] {
          guard let column = try block.column(number), column.isGiven(row),
            let key = column.reference(at: row)
          else { continue }
          try set(name, .integer(Int64(key.number)), keys.integer(at: row))
        }
        for (name, number) in [
          (link.targetOrder, LinkTable.Column.targetOrder),
          (link.sourceOrder, LinkTable.Column.sourceOrder),
        ] {
          guard let name, let column = try block.column(number), column.isGiven(row) else {
            continue
          }
          try set(
            name, column.isNull(row) ? .null : .integer(column.integer(at: row)),
            keys.integer(at: row))
        }
        if let version { try set("Z_OPT", .integer(version), keys.integer(at: row)) }
      }
    }
  }

  private func set(_ name: String, _ value: SQLiteValue, _ key: Int64) throws {
    try connection.run(
      "UPDATE OR REPLACE \(quoted(link.table)) SET \(quoted(name)) = ? WHERE rowid = ?",
      [value, .integer(key)])
  }
}

extension BlockRun {
  /// Calls `body` with the ends of each link, and with its positions, as far as the table has columns for them.
  func forEachLink(
    of link: TableMap.LinkMap, _ path: String,
    _ body: (_ key: Int64, _ source: Int64, _ target: Int64, [Int64?]) throws -> Void
  ) throws {
    let orders = [
      link.targetOrder.map { _ in LinkTable.Column.targetOrder },
      link.sourceOrder.map { _ in LinkTable.Column.sourceOrder },
    ].compactMap { $0 }
    for block in blocks {
      let keys = try block.keys
      let source = try block.column(LinkTable.Column.source)
      let target = try block.column(LinkTable.Column.target)
      let places = try orders.map { try block.column($0) }
      for row in 0..<block.rowCount {
        guard let from = source?.reference(at: row), let to = target?.reference(at: row) else {
          throw StoreError(.badChange, "A link in \(link.table) has no target.", path: path)
        }
        try body(
          keys.integer(at: row), Int64(from.number), Int64(to.number),
          places.map { place in place.flatMap { $0.isNull(row) ? nil : $0.integer(at: row) } })
      }
    }
  }
}
