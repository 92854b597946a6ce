import ObjectModel
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

  private var links: [TableMap.LinkMap] {
    map.links.values.sorted { $0.links.layout.entityNumber < $1.links.layout.entityNumber }
  }

  /// The links that have separate tables.
  private var tablesOfLinks: [TableMap.LinkMap] { links.filter { !$0.isColumn } }

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

  /// The indexes on references, on entities where several share a table, on links, and on the model's fetch indexes
  /// and uniqueness constraints.
  var indexes: [(name: String, table: String, text: String)] {
    var made: [(name: String, table: String, text: String)] = []
    var (wishes, names): (Set<[String]>, Set<String>) = ([], [])
    func add(_ wanted: String, _ table: String, _ columns: [String]) {
      guard wishes.insert([table, wanted] + columns).inserted else { return }
      // Several indexes of entities may have the same name, but names in a database are unique.
      var name = wanted
      var number = 0
      while !names.insert(name.uppercased()).inserted {
        number += 1
        name = "\(wanted)\(number)"
      }
      let text =
        "CREATE INDEX \(quoted(name)) ON \(quoted(table)) (\(columns.joined(separator: ", ")))"
      made.append((name, table, text))
    }
    for family in map.families {
      for column in family.columns where column.column.kind == .reference {
        add("\(family.table)_\(column.name)_INDEX", family.table, [quoted(column.name)])
      }
      if family.hasSubentities {
        add("\(family.table)_Z_ENT_INDEX", family.table, ["\"Z_ENT\""])
      }
    }
    for entity in model.entities {
      guard let layout = map.entities.values.first(where: { $0.layout.entity == entity.name })
      else { continue }
      for index in entity.fetchIndexes where index.isPlain {
        let columns = index.elements.compactMap { element in
          layout.column(of: element.property).map {
            "\(quoted($0.name)) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")"
          }
        }
        if columns.count == index.elements.count, !columns.isEmpty {
          add("Z_\(entity.name)_\(index.name)", layout.table, columns)
        }
      }
      for names in entity.uniquenessConstraints {
        let columns = names.compactMap { name in
          layout.column(of: name).map { "\(quoted($0.name)) COLLATE BINARY ASC" }
        }
        // Not unique: uniqueness conflicts are resolved before a save, and within one save a row may take another
        // row's value.
        if columns.count == names.count {
          add("Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_"))", layout.table, columns)
        }
      }
    }
    for link in links where link.isColumn {
      add("\(link.table)_\(link.source)_INDEX", link.table, [quoted(link.source)])
      // Updates and removals find links by their keys.
      add("\(link.table)_\(link.key)_INDEX", link.table, [quoted(link.key)])
    }
    for link in tablesOfLinks {
      // Not unique: if two processes save the same link at once, both saves are valid.
      add("\(link.table)_\(link.source)_INDEX", link.table, [link.source, link.target].map(quoted))
      add("\(link.table)_\(link.target)_INDEX", link.table, [link.target, link.source].map(quoted))
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

extension TableMap.EntityMap {
  /// Returns the column of a property.
  func column(of property: String) -> TableMap.ColumnMap? {
    layout.index(of: property).map { columns[$0] }
  }
}
