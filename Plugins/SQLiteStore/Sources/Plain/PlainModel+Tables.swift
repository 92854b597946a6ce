import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles

extension PlainModel {
  /// Returns the common table expressions that give the tables of a plain database the form of the store's own tables.
  func commonTables(
    _ database: PlainDatabase, _ map: TableMap, _ model: Model, _ schema: Schema
  ) throws -> CommonTables {
    var common = CommonTables()
    for (index, source) in database.sources.enumerated() {
      guard let number = schema[source.entity]?.entityNumber, let place = map.entities[number]
      else { continue }
      common.preparation += source.numbers.preparation
      let names = ["Z_PK", "Z_ENT", "Z_OPT"] + place.columns.map(\.name)
      let values =
        [source.numbers.number, "\(place.number)", "1"]
        + place.columns.map { cells[index][$0.column.name] ?? "NULL" }
      common.add(
        place.table, names,
        "SELECT \(values.joined(separator: ", ")) FROM \(source.numbers.rows)")
    }
    for link in map.sortedLinks {
      let (entity, relationship) = try model.declaration(of: link.links.forward, schema)
      for (source, end) in zip(database.links, linkRelationships) {
        let isForward = end == (entity, relationship.name)
        let isBackward =
          relationship.inverse == end.name && relationship.destination == end.entity
        guard isForward || isBackward else { continue }
        let ends = isForward ? source.references : source.references.reversed()
        let values = ends.map { database.sources[$0.target].numbers.number(of: $0) }
        // Links that are written twice are one.
        common.add(
          link.table, ["rowid", "Z_OPT", link.source, link.target],
          """
          SELECT row_number() OVER (), 1, s, t FROM \
          (SELECT DISTINCT \(values[0]) AS s, \(values[1]) AS t FROM \(quoted(source.table.name)) x)
          """)
      }
    }
    return common
  }
}

extension CommonTables {
  fileprivate mutating func add(_ name: String, _ columns: [String], _ rows: String) {
    let name = quoted(name)
    let list = columns.map { quoted($0) }.joined(separator: ", ")
    tables.append((name, "\(name) (\(list)) AS NOT MATERIALIZED (\(rows))"))
  }
}
