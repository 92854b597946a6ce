import ObjectModel
import RelationalStore
import Rows
import SQLTranslation

/// The statements that create the tables of a map (spec §14.2 to §11.5).
struct TableMaking {
  let model: Model
  let map: TableMap
  let hasForeignKeys: Bool

  /// The statements that create the tables of objects and links, without indexes and foreign keys.
  var tables: [String] { map.families.map(table) + map.sortedLinks.map(table) }

  /// The statements to run after the tables have been filled.
  var additions: [String] { indexes + comments + views + (hasForeignKeys ? foreignKeys : []) }

  func table(_ family: TableMap.Family) -> String {
    var columns = [
      "\(TableMap.PostgreSQLColumn.key) bigint PRIMARY KEY CHECK (id > 0)",
      "\(TableMap.PostgreSQLColumn.entity) integer NOT NULL",
      "\(TableMap.PostgreSQLColumn.version) bigint NOT NULL",
    ]
    for column in family.columns {
      columns.append(
        "\(quoted(column.name)) \(TableMap.postgreSQLType(of: column.column.kind))")
      if let entity = column.entityColumn { columns.append("\(quoted(entity)) integer") }
    }
    return "CREATE TABLE \(quoted(family.table)) (\(columns.joined(separator: ", ")))"
  }

  func table(_ link: TableMap.LinkMap) -> String {
    var columns = [
      "\(TableMap.PostgreSQLColumn.key) bigint PRIMARY KEY CHECK (id > 0)",
      "\(TableMap.PostgreSQLColumn.version) bigint NOT NULL",
      "\(quoted(link.source)) bigint NOT NULL", "\(quoted(link.target)) bigint NOT NULL",
    ]
    columns += [link.targetOrder, link.sourceOrder].compactMap { $0 }.map { "\(quoted($0)) bigint" }
    return "CREATE TABLE \(quoted(link.table)) (\(columns.joined(separator: ", ")))"
  }

  // MARK: - Foreign keys

  /// The constraints for relationships with an inverse. They are checked at the end of a transaction, so the order of
  /// the rows in a commit is free.
  private var foreignKeys: [String] {
    var made: [String] = []
    var names = NameMaker()
    func add(_ table: String, _ column: String, _ target: String) {
      let name = names.take("quire_\(table)_\(column)")
      made.append(
        """
        ALTER TABLE \(quoted(table)) ADD CONSTRAINT \(quoted(name)) FOREIGN KEY (\(quoted(column))) REFERENCES \(quoted(target)) (id) \
        DEFERRABLE INITIALLY DEFERRED
        """)
    }
    for family in map.families {
      for column in family.columns {
        guard let destination = column.destination, hasInverse(column, family) else { continue }
        add(family.table, column.name, destination.table)
      }
    }
    for link in map.sortedLinks {
      add(link.table, link.source, link.sources.table)
      add(link.table, link.target, link.targets.table)
    }
    return made
  }

  private func hasInverse(_ column: TableMap.ColumnMap, _ family: TableMap.Family) -> Bool {
    model.family(of: family.root).contains { entity in
      guard
        case .relationship(let relationship)? = model.property(
          column.column.name, of: entity.name)
      else { return false }
      return relationship.inverse != nil
    }
  }

  // MARK: - Indexes

  private var indexes: [String] {
    var made: [String] = []
    var wishes: Set<[String]> = []
    var names = NameMaker()
    let entityColumns = [TableMap.PostgreSQLColumn.entity, TableMap.PostgreSQLColumn.key]
    map.forEachIndex(of: model, entityColumns: entityColumns) { table, parts, _ in
      // The order of NULL is that of Quire, so that an index can sort.
      let columns = parts.map { part in
        quoted(part.name)
          + (part.isAscending.map { $0 ? " ASC NULLS FIRST" : " DESC NULLS LAST" } ?? "")
      }
      guard wishes.insert([table] + columns).inserted else { return }
      let name = names.take("quire_\(table)_\(parts.map(\.name).joined(separator: "_"))")
      made.append(
        "CREATE INDEX \(quoted(name)) ON \(quoted(table)) (\(columns.joined(separator: ", ")))")
    }
    return made
  }

  // MARK: - Comments and views

  private var comments: [String] {
    var made: [String] = []
    for family in map.families {
      let members = model.family(of: family.root).map(\.name)
      made.append(
        "COMMENT ON TABLE \(quoted(family.table)) IS \(literal("Objects of \(members.joined(separator: ", "))"))"
      )
      let numbers = members.compactMap { name in
        map.entities.values.first { $0.layout.entity == name }.map { "\($0.number) \(name)" }
      }
      made.append(
        "COMMENT ON COLUMN \(quoted(family.table)).entity IS \(literal(numbers.joined(separator: ", ")))"
      )
      for column in family.columns {
        var words = "\(family.root).\(column.column.name)"
        if column.column.kind == .date { words += ": seconds since 2001-01-01 00:00 UTC" }
        made.append(
          "COMMENT ON COLUMN \(quoted(family.table)).\(quoted(column.name)) IS \(literal(words))")
      }
    }
    for link in map.sortedLinks {
      made.append(
        "COMMENT ON TABLE \(quoted(link.table)) IS \(literal("Links of \(link.links.layout.entity)"))"
      )
    }
    return made
  }

  /// The views with timestamps in place of seconds, for the tables with dates.
  private var views: [String] {
    let names = viewNames
    return map.families.compactMap { family in
      guard let view = names[family.table] else { return nil }
      var columns = ["id", "entity", "version"]
      for column in family.columns {
        let name = quoted(column.name)
        // Seconds outside this range have no timestamp.
        columns.append(
          column.column.kind == .date
            ? "CASE WHEN \(name) BETWEEN -2e11 AND 9e12 THEN to_timestamp(\(name) + 978307200) END AS \(name)"
            : name)
        if let entity = column.entityColumn { columns.append(quoted(entity)) }
      }
      return
        "CREATE VIEW \(quoted(view)) AS SELECT \(columns.joined(separator: ", ")) FROM \(quoted(family.table))"
    }
  }

  /// The names of the views, by the tables that they show.
  var viewNames: [String: String] {
    var names = NameMaker(taken: Set(map.families.map(\.table) + map.sortedLinks.map(\.table)))
    var found: [String: String] = [:]
    for family in map.families
    where family.columns.contains(where: { $0.column.kind == .date }) {
      found[family.table] = names.take(family.table + "_with_dates")
    }
    return found
  }

  private func literal(_ text: String) -> String {
    "'\(text.replacing("'", with: "''").replacing("\0", with: ""))'"
  }

  // MARK: - Common tables

  /// The names of the tables of every store.
  static let commonNames = [
    "quire_store", "quire_model", "quire_entity", "quire_metadata", "quire_key", "quire_commit",
    "quire_before", "quire_table",
  ]

  /// The statements that create the tables of every store (spec §14.4).
  static let commonTables = [
    """
    CREATE TABLE quire_store (one boolean PRIMARY KEY DEFAULT true CHECK (one), format integer NOT NULL, \
    uuid uuid NOT NULL, newest bigint NOT NULL, kept bigint NOT NULL, model_commit bigint NOT NULL, \
    metadata_commit bigint NOT NULL)
    """,
    "CREATE TABLE quire_model (commit bigint PRIMARY KEY, model bytea NOT NULL, schema bytea NOT NULL)",
    "CREATE TABLE quire_entity (number integer PRIMARY KEY, name text NOT NULL, parent integer, table_name text NOT NULL, hash bytea NOT NULL)",
    "CREATE TABLE quire_metadata (commit bigint PRIMARY KEY, list bytea NOT NULL)",
    "CREATE TABLE quire_key (number integer PRIMARY KEY, last bigint NOT NULL)",
    """
    CREATE TABLE quire_commit (number bigint PRIMARY KEY, time double precision NOT NULL, \
    saved_at timestamptz NOT NULL DEFAULT now(), token uuid NOT NULL, author text, context_name text, message text, \
    kept bigint)
    """,
    "CREATE TABLE quire_before (commit bigint, part integer, kind smallint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (commit, part))",
    "CREATE TABLE quire_table (name text PRIMARY KEY, is_view boolean NOT NULL)",
  ]
}
