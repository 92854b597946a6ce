import Foundation
import ModelNotations
import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
import SQLTranslation
import StoreInterface

/// Makes the tables of a store, and removes them.
enum StoreMaking {
  /// Creates the tables of a new store in one transaction.
  static func create(
    at address: StoreAddress, model: Model, _ creation: StoreCreation,
    _ options: PostgreSQLStoreOptions
  ) throws {
    let path = address.path
    let schema = try creation.schema(of: model, path: path)
    let metadata = creation.metadata(of: .postgreSQL, model)
    let contents = try StoreContents(
      metadata, StoreContents.list(metadata), model, schema, modelCommit: 0, metadataCommit: 0,
      path: path)
    try asStore(path) {
      let connection = try ConnectionPool.connect(address, options)
      try connection.execute("BEGIN")
      // Without this lock, two processes could find the schema free at once.
      try connection.forEachRow(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
        [PostgreSQLParameter("quire " + address.schema)])
      try makeSchema(address, connection)
      if try isStore(address, connection) {
        guard creation.overwriting else {
          let known = try? StoreContents.metadata(connection).metadata
          throw StoreError(
            .exists,
            "The schema '\(address.schema)' of the database contains a store already."
              + (known?.isUnfinishedCopy == true
                ? " It is a copy that was not completed: 'quire convert SRC DST --force' replaces it."
                : ""),
            path: path)
        }
        // A store without readable metadata may be replaced.
        let metadata = try? StoreContents.metadata(connection).metadata
        if let document = metadata?.document { throw partOfDocument(document, path) }
        try dropTables(of: address, connection)
      }
      do {
        for text in TableMaking.commonTables { try connection.execute(text) }
        try makeTables(of: contents, address, connection)
      } catch let error as PostgreSQLError where error.state == "42P07" {
        throw StoreError(
          .exists,
          "The schema '\(address.schema)' contains a table of the same name. Name another schema with ?schema=. PostgreSQL: \(error)",
          path: path, cause: error)
      }
      try connection.forEachRow(
        "INSERT INTO quire_store (format, uuid, newest, kept, model_commit, metadata_commit) VALUES (\(StoreContents.format), $1, 0, 0, 0, 0)",
        [PostgreSQLParameter(.uuid, bytes: creation.uuid.bytes)])
      try write(contents, connection)
      try connection.forEachRow(
        "INSERT INTO quire_metadata (commit, list) VALUES (0, $1)",
        [PostgreSQLParameter(.bytes, bytes: contents.list)])
      try connection.forEachRow(
        "INSERT INTO quire_commit (number, time, token) VALUES (0, $1, $2)",
        [
          PostgreSQLParameter(Date().timeIntervalSinceReferenceDate),
          PostgreSQLParameter(.uuid, bytes: creation.uuid.bytes),
        ])
      try connection.execute("COMMIT")
    }
  }

  /// Returns the error for a change of a store that only its document may change.
  static func partOfDocument(_ document: UUID, _ path: String) -> StoreError {
    StoreError(
      .notConfirmable,
      "The store is a part of the document \(document.uuidString), and only the document can change it. Open the document, or open the store for reading only.",
      path: path)
  }

  private static func makeSchema(
    _ address: StoreAddress, _ connection: PostgreSQLConnection
  ) throws {
    let known = try connection.integer(
      "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1",
      [PostgreSQLParameter(address.schema)])
    // A user without the right to make schemas may use one that exists.
    guard known == nil else { return }
    try connection.execute(
      "CREATE SCHEMA \(quoted(address.schema)); COMMENT ON SCHEMA \(quoted(address.schema)) IS '\(ownComment)'"
    )
  }

  /// The comment on a schema that was made for a store.
  private static let ownComment = "Made by Quire for a store"

  /// Removes a schema that was made for a store, if it is empty now. A schema of the user stays.
  static func dropOwnSchema(
    of address: StoreAddress, _ connection: PostgreSQLConnection
  ) throws {
    let found = try connection.texts(
      """
      SELECT n.nspname FROM pg_catalog.pg_namespace n WHERE n.oid = pg_catalog.to_regnamespace('\(quoted(address.schema).replacing("'", with: "''"))') \
      AND pg_catalog.obj_description(n.oid, 'pg_namespace') = '\(ownComment)'
      """)
    guard !found.isEmpty else { return }
    // A schema with tables of the user is not empty, so the server refuses, and it stays.
    try? connection.execute("DROP SCHEMA \(quoted(address.schema)) RESTRICT")
  }

  /// Returns whether a schema contains a store.
  static func isStore(
    _ address: StoreAddress, _ connection: PostgreSQLConnection
  ) throws -> Bool {
    try connection.integer(
      """
      SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
      WHERE n.nspname = $1 AND c.relname = 'quire_store'
      """, [PostgreSQLParameter(address.schema)]) != nil
  }

  /// Makes the tables of the objects and links, and lists them in `quire_table`.
  static func makeTables(
    of contents: StoreContents, _ address: StoreAddress, _ connection: PostgreSQLConnection
  ) throws {
    let making = TableMaking(
      model: contents.model, map: contents.map, hasForeignKeys: address.hasForeignKeys)
    for text in making.tables + making.additions { try connection.execute(text) }
    try list(making, connection)
  }

  /// Writes the names of the tables and views, so that they can be removed later.
  static func list(_ making: TableMaking, _ connection: PostgreSQLConnection) throws {
    try connection.execute("DELETE FROM quire_table")
    let tables = making.map.families.map(\.table) + making.map.sortedLinks.map(\.table)
    let names = tables.map { ($0, false) } + making.viewNames.values.map { ($0, true) }
    for (name, isView) in names {
      try connection.forEachRow(
        "INSERT INTO quire_table (name, is_view) VALUES ($1, $2)",
        [PostgreSQLParameter(name), PostgreSQLParameter(.boolean, bytes: [isView ? 1 : 0])])
    }
  }

  /// Removes all tables and views of a store.
  static func dropTables(of address: StoreAddress, _ connection: PostgreSQLConnection) throws {
    var (views, tables): ([String], [String]) = ([], [])
    try connection.forEachRow("SELECT name, is_view FROM quire_table", columnCount: 2) { cells in
      if cells[1].integer == 1 { views.append(cells[0].text) } else { tables.append(cells[0].text) }
    }
    for view in views { try connection.execute("DROP VIEW IF EXISTS \(quoted(view))") }
    // One statement, because tables refer to each other.
    let all = (tables + TableMaking.commonNames).map(quoted).joined(separator: ", ")
    try connection.execute("DROP TABLE IF EXISTS \(all)")
  }

  /// Writes the model with its numbers, and the list of its entities.
  static func write(_ contents: StoreContents, _ connection: PostgreSQLConnection) throws {
    let source = Array(try ModelSource.write(contents.model))
    try connection.forEachRow(
      "INSERT INTO quire_model (commit, model, schema) VALUES ($1, $2, $3)",
      [
        PostgreSQLParameter(contents.modelCommit), PostgreSQLParameter(.bytes, bytes: source),
        PostgreSQLParameter(.bytes, bytes: SchemaCoding.bytes(contents.schema)),
      ])
    try connection.execute("DELETE FROM quire_entity")
    let hashes = contents.model.versionHashes
    for (number, entity) in contents.map.entities.sorted(by: { $0.key < $1.key }) {
      let name = entity.layout.entity
      let parent = contents.model[name]?.superentity.flatMap { contents.schema[$0]?.entityNumber }
      try connection.forEachRow(
        "INSERT INTO quire_entity (number, name, parent, table_name, hash) VALUES ($1::bigint, $2, $3::bigint, $4, $5)",
        [
          PostgreSQLParameter(Int64(number)), PostgreSQLParameter(StoredText.stored(name)),
          parent.map { PostgreSQLParameter(Int64($0)) } ?? PostgreSQLParameter(nullOf: .int64),
          PostgreSQLParameter(entity.table),
          PostgreSQLParameter(.bytes, bytes: hashes[name].map { Array($0.bytes) } ?? []),
        ])
    }
    // A key is never leased again, so counts of removed entities stay.
    let numbers = Set(contents.map.entities.values.map(\.rootNumber))
      .union(contents.map.links.keys.map { Int64($0) })
    try connection.forEachRow(
      "INSERT INTO quire_key (number, last) SELECT number, 0 FROM unnest($1) AS number ON CONFLICT DO NOTHING",
      [PostgreSQLParameter(numbers.sorted())])
  }
}
