import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles

/// The statements that create the tables of a map (spec §10.2 to §10.5).
struct TableMaking {
  let model: Model
  let map: TableMap
  /// The prefix for the names of tables of objects and links, used while the old tables of the same names still
  /// exist.
  var prefix = ""

  /// The statements that create the tables of objects and links.
  var tables: [String] { map.families.map(table) + tablesOfLinks.map(table) }

  /// The links that have separate tables.
  private var tablesOfLinks: [TableMap.LinkMap] { map.sortedLinks.filter { !$0.isColumn } }

  private func table(_ family: TableMap.Family) -> String {
    var columns = ["\"Z_PK\" INTEGER PRIMARY KEY", "\"Z_ENT\" INTEGER", "\"Z_OPT\" INTEGER"]
    for column in family.columns {
      columns.append(
        "\(quoted(column.name)) \(TableMap.declaredType(of: column.column.kind))")
      if let entity = column.entityColumn { columns.append("\(quoted(entity)) INTEGER") }
    }
    columns += family.linkColumns.map { "\(quoted($0)) INTEGER" }
    return "CREATE TABLE \(quoted(prefix + family.table)) ( \(columns.joined(separator: ", ")) )"
  }

  private func table(_ link: TableMap.LinkMap) -> String {
    var columns = [link.source, link.target, link.targetOrder, link.sourceOrder]
      .compactMap { $0 }.map { "\(quoted($0)) INTEGER" }
    // The commit that wrote a link. Core Data's own tables do not have this column.
    columns.append("\"Z_OPT\" INTEGER")
    return "CREATE TABLE \(quoted(prefix + link.table)) ( \(columns.joined(separator: ", ")) )"
  }

  /// The indexes, with the statements that create them.
  var indexes: [(name: String, table: String, text: String)] {
    var made: [(name: String, table: String, text: String)] = []
    var (wishes, names): (Set<[String]>, Set<String>) = ([], [])
    map.forEachIndex(of: model, entityColumns: [TableMap.Column.entity]) { table, parts, name in
      let wanted = name.map { "Z_\($0)" } ?? "\(table)_\(parts[0].name)_INDEX"
      let columns = parts.map { part in
        quoted(part.name)
          + (name == nil ? "" : " COLLATE BINARY \(part.isAscending == false ? "DESC" : "ASC")")
      }
      guard wishes.insert([table, wanted] + columns).inserted else { return }
      // Several indexes of entities may have the same name, but names in a database are unique.
      var unused = wanted
      var number = 0
      while !names.insert(unused.uppercased()).inserted {
        number += 1
        unused = "\(wanted)\(number)"
      }
      let text =
        "CREATE INDEX \(quoted(unused)) ON \(quoted(table)) (\(columns.joined(separator: ", ")))"
      made.append((unused, table, text))
    }
    return made
  }

  /// The statements that create the tables of every store.
  static let commonTables = [
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    "CREATE TABLE QUIRE_STORE (VERSION INTEGER, MODEL BLOB, SCHEMA BLOB, MODELCOMMIT INTEGER)",
    "CREATE TABLE QUIRE_COMMIT (NUMBER INTEGER PRIMARY KEY, TIME FLOAT, AUTHOR VARCHAR, CONTEXTNAME VARCHAR, KEPT INTEGER)",
    "CREATE TABLE QUIRE_BEFORE (NUMBER INTEGER, KIND INTEGER, BYTES BLOB)",
    "CREATE INDEX QUIRE_BEFORE_INDEX ON QUIRE_BEFORE (NUMBER)",
    "CREATE TABLE QUIRE_LINK (NUMBER INTEGER PRIMARY KEY, LAST INTEGER)",
  ]
}
