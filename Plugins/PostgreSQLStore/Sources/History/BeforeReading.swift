import ObjectModel
import PostgreSQLConnection
import Rows
import SQLTranslation
import StoreInterface

/// Reads the rows that a commit is about to replace or remove: whole, with their versions.
///
/// The basis of each row is the commit, so that several such layers can be merged into one.
struct BeforeReading {
  let connection: PostgreSQLConnection
  let contents: StoreContents
  let path: String
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
      removed: BlockRun(
        contents.schema[changes.entityNumber].map {
          RowsBefore.removals(of: new, $0, basis: number)
        } ?? []))
  }

  /// Returns the stored links that new links will hide. Of links with the same two ends, readers see only the one
  /// with the lowest key.
  private func hidden(by run: BlockRun, _ link: TableMap.LinkMap) throws -> Set<UInt64> {
    let (table, source, target) = (quoted(link.table), quoted(link.source), quoted(link.target))
    var found: Set<UInt64> = []
    for block in run.blocks {
      let keys = try block.keys
      let ends = try [LinkTable.Column.source, LinkTable.Column.target].map {
        try block.column($0)
      }
      var (ids, ones, others): ([Int64], [Int64], [Int64]) = ([], [], [])
      for row in 0..<block.rowCount {
        guard let one = ends[0]?.reference(at: row), let other = ends[1]?.reference(at: row) else {
          continue
        }
        ids.append(keys.integer(at: row))
        ones.append(Int64(one.number))
        others.append(Int64(other.number))
      }
      try connection.forEachRow(
        """
        SELECT min(t.id) FROM unnest($1, $2, $3) AS n(id, one, other) JOIN \(table) t \
        ON t.\(source) = n.one AND t.\(target) = n.other OR t.\(source) = n.other AND t.\(target) = n.one \
        GROUP BY n.id HAVING min(t.id) > n.id
        """, [ids, ones, others].map { PostgreSQLParameter($0) }
      ) { cells in
        if let key = cells[0].integer { found.insert(UInt64(bitPattern: key)) }
      }
    }
    return found
  }

  private func rows(_ keys: [UInt64], _ number: UInt16) throws -> [Block] {
    guard !keys.isEmpty else { return [] }
    if let entity = contents.map.entities[number] {
      var rows = RowReader(entity, contents.map, path: path, basis: self.number)
      return try rows.blocks(of: keys, from: connection)
    }
    guard let link = contents.map.links[number] else { return [] }
    return try LinkReader(link, contents.map, path: path, basis: self.number)
      .blocks(of: keys, from: connection)
  }
}
