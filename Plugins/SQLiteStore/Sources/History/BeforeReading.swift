import ObjectModel
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

/// Reads the rows that a commit is about to replace or remove: whole, with their versions.
///
/// The basis of each row is the commit, so that several such layers can be merged into one.
struct BeforeReading {
  let connection: SQLiteConnection
  let contents: StoreContents
  let values: any ExternalValues
  /// The number of the commit that will write the changes.
  let number: Int64

  func layer(_ changes: Layer) throws -> Layer {
    Layer(try changes.entities.map { try before($0) })
  }

  private func before(_ changes: Layer.EntityChanges) throws -> Layer.EntityChanges {
    var (old, new) = try changes.touchedKeys()
    if let link = contents.map.links[changes.entityNumber], link.links.isSymmetric {
      old = try Array(hidden(by: changes.put, link).union(old))
    }
    old.sort()
    return Layer.EntityChanges(
      entityNumber: changes.entityNumber,
      put: BlockRun(try rows(old, changes.entityNumber)),
      removed: BlockRun(removals(new, changes.entityNumber)))
  }

  /// Returns the stored links that new links will hide. Of links with the same two ends, readers see only the one
  /// with the lowest key.
  private func hidden(by run: BlockRun, _ link: TableMap.LinkMap) throws -> Set<UInt64> {
    let (table, source, target) = (quoted(link.table), quoted(link.source), quoted(link.target))
    let statement = try connection.prepare(
      """
      SELECT min(rowid) FROM (SELECT rowid FROM \(table) WHERE \(source) = ?1 AND \(target) = ?2
      UNION ALL SELECT rowid FROM \(table) WHERE \(source) = ?2 AND \(target) = ?1)
      """)
    defer { statement.reset() }
    var found: Set<UInt64> = []
    for block in run.blocks {
      let keys = try block.keys
      let ends = try [LinkTable.Column.source, LinkTable.Column.target].map {
        try block.column($0)
      }
      for row in 0..<block.rowCount {
        guard let one = ends[0]?.reference(at: row), let other = ends[1]?.reference(at: row) else {
          continue
        }
        statement.reset()
        try statement.bind(Int64(one.number), 0)
        try statement.bind(Int64(other.number), 1)
        guard try statement.step(), statement.kind(0) == .integer,
          statement.integer(0) > keys.integer(at: row)
        else { continue }
        found.insert(UInt64(statement.integer(0)))
      }
    }
    return found
  }

  private func rows(_ keys: [UInt64], _ number: UInt16) throws -> [Block] {
    guard !keys.isEmpty else { return [] }
    let path = connection.path
    if let entity = contents.map.entities[number] {
      var rows = RowReader(entity, contents.map, values, path: path, basis: self.number)
      return try rows.blocks(of: keys, from: connection)
    }
    guard let link = contents.map.links[number] else { return [] }
    let links = LinkReader(link, contents.map, path: path, basis: self.number)
    return try links.blocks(of: keys, from: connection)
  }

  private func removals(_ keys: [UInt64], _ number: UInt16) -> [Block] {
    guard let layout = contents.schema[number] else { return [] }
    return RowsBefore.removals(of: keys, layout, basis: self.number)
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
