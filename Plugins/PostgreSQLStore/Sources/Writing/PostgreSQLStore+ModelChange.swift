import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
import SQLTranslation
import StoreInterface
import Synchronization

extension PostgreSQLStore {
  /// Changes the store's model in the transaction of a commit.
  ///
  /// - Returns: The new description of the store.
  func changeModel(
    to model: Model, _ request: CommitRequest, _ before: StoreContents,
    _ connection: PostgreSQLConnection, _ number: Int64
  ) throws -> StoreContents {
    let schema = try request.schema(evolving: before.schema, of: before.model, path: filePath)
    let after = try StoreContents(
      before.metadata, before.list, model, schema, modelCommit: number,
      metadataCommit: before.metadataCommit, path: filePath)
    let making = TableMaking(
      model: model, map: after.map, hasForeignKeys: pool.address.hasForeignKeys)
    try detachSnapshots()
    // Other processes may read the tables for a moment longer.
    try connection.execute("SET LOCAL lock_timeout TO \(3 * options.patience.milliseconds)")
    // The copied rows refer to objects that exist, which is checked now and not at the end.
    try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    try TableChange.dropAdditions(connection)
    let change = TableChange(
      before: before.map, after: after.map, making: making, connection: connection, path: filePath)
    try change.run()
    for text in making.additions { try connection.execute(text) }
    try StoreMaking.list(making, connection)
    try StoreMaking.write(after, connection)
    try change.raiseKeys()
    return after
  }

  /// Reads the rows of all snapshots that are in use, because a transaction does not see a table that was changed since
  /// it began.
  private func detachSnapshots() throws {
    // The store's own snapshot is not given to a caller before the next call of `snapshot()`. It connects when it is read.
    let own = current.withLock { current -> TableRows<SnapshotReader>? in
      guard let head = current?.head else { return nil }
      let next = PostgreSQLSnapshot(
        head.commit, head.contents,
        SnapshotReader(nil, commit: head.commit, head.contents, pool: pool))
      if head.commit == 0 { next.rows.assumeEmpty() }
      current?.head = next
      return next.rows
    }
    for rows in pool.rowsInUse() where rows !== own { try rows.detach() }
  }
}

/// The change of a store's tables from one map to another.
///
/// Tables of which the objects stay together are changed in their place (`ALTER TABLE`). If the hierarchy of entities
/// changes, all tables are made again and filled from the old ones.
struct TableChange {
  let before: TableMap
  let after: TableMap
  let making: TableMaking
  let connection: PostgreSQLConnection
  let path: String

  /// Removes the views, indexes and foreign keys that ``TableMaking/additions`` makes.
  static func dropAdditions(_ connection: PostgreSQLConnection) throws {
    var drops: [String] = []
    try connection.forEachRow("SELECT name FROM quire_table WHERE is_view") {
      drops.append("DROP VIEW IF EXISTS \(quoted($0[0].text))")
    }
    try connection.forEachRow(
      """
      SELECT r.relname, c.conname FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_class r ON r.oid = c.conrelid \
      JOIN quire_table q ON q.name = r.relname AND r.relnamespace = (SELECT relnamespace FROM pg_catalog.pg_class \
      WHERE oid = 'quire_store'::regclass) WHERE c.contype = 'f' AND c.conname LIKE 'quire\\_%'
      """, columnCount: 2
    ) {
      drops.append("ALTER TABLE \(quoted($0[0].text)) DROP CONSTRAINT \(quoted($0[1].text))")
    }
    try connection.forEachRow(
      """
      SELECT i.relname FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid \
      JOIN pg_catalog.pg_class r ON r.oid = x.indrelid JOIN quire_table q ON q.name = r.relname \
      WHERE r.relnamespace = (SELECT relnamespace FROM pg_catalog.pg_class WHERE oid = 'quire_store'::regclass) \
      AND i.relname LIKE 'quire\\_%'
      """
    ) { drops.append("DROP INDEX \(quoted($0[0].text))") }
    for text in drops { try connection.execute(text) }
  }

  func run() throws {
    if keepsHierarchy {
      try alter()
    } else {
      try rebuild()
    }
  }

  /// Whether the objects of each old table stay together.
  private var keepsHierarchy: Bool {
    after.entities.allSatisfy { number, entity in
      before.entities[number].map { $0.rootNumber == entity.rootNumber } ?? true
    }
  }

  // MARK: - In place

  private func alter() throws {
    let oldFamilies = Dictionary(uniqueKeysWithValues: before.families.map { ($0.number, $0) })
    let kept = after.families.filter { oldFamilies[$0.number] != nil }
    let pairs = kept.map { (old: oldFamilies[$0.number]!, new: $0) }
    let plans = try pairs.map { try ColumnChanges(before, $0.old, after, $0.new) }
    guard plans.allSatisfy({ $0 != nil }) else { return try rebuild() }
    // Tables of removed entities go first: their names may be in use again.
    let numbers = Set(after.families.map(\.number))
    for family in before.families where !numbers.contains(family.number) {
      try connection.execute("DROP TABLE \(quoted(family.table)) CASCADE")
    }
    for (number, link) in before.links where after.links[number] == nil {
      try connection.execute("DROP TABLE \(quoted(link.table))")
    }
    let tables =
      pairs.map { ($0.old.table, $0.new.table) } + linkPairs.map { ($0.0.table, $0.1.table) }
    try ColumnChanges.rename(tables, connection) { "ALTER TABLE \($0) RENAME TO \($1)" }
    for (number, entity) in before.entities where after.entities[number] == nil {
      guard let family = kept.first(where: { $0.number == entity.rootNumber }) else { continue }
      try connection.execute("DELETE FROM \(quoted(family.table)) WHERE entity = \(entity.number)")
    }
    for (pair, plan) in zip(pairs, plans) { try plan!.run(pair.new.table, connection) }
    for family in after.families where oldFamilies[family.number] == nil {
      try connection.execute(making.table(family))
    }
    for (old, new) in linkPairs { try alter(old, to: new) }
    for link in after.sortedLinks where before.links[link.links.layout.entityNumber] == nil {
      try connection.execute(making.table(link))
    }
    try setDefaults()
  }

  private var linkPairs: [(TableMap.LinkMap, TableMap.LinkMap)] {
    after.sortedLinks.compactMap { link in
      before.links[link.links.layout.entityNumber].map { ($0, link) }
    }
  }

  private func alter(_ old: TableMap.LinkMap, to new: TableMap.LinkMap) throws {
    let names = [
      (old.source, new.source), (old.target, new.target), (old.targetOrder, new.targetOrder),
      (old.sourceOrder, new.sourceOrder),
    ]
    var changes = ColumnChanges()
    for pair in names {
      switch pair {
      case (let old?, let new?): changes.kept.append((old, new, nil))
      case (let old?, nil): changes.removed.append(old)
      case (nil, let new?): changes.added.append("\(quoted(new)) bigint")
      case (nil, nil): break
      }
    }
    try changes.run(new.table, connection)
  }

  /// Gives new columns the defaults of the model.
  private func setDefaults() throws {
    for (number, entity) in after.entities {
      guard let old = before.entities[number] else { continue }
      for (index, column) in entity.layout.columns.enumerated()
      where old.layout.index(ofNumber: column.number) == nil && !column.defaultValue.isNull {
        try connection.forEachRow(
          "UPDATE \(quoted(entity.table)) SET \(quoted(entity.columns[index].name)) = $1 WHERE entity = \(entity.number)",
          [TableChange.constant(column)])
      }
    }
  }

  /// Returns the default of a column as a parameter.
  static func constant(_ column: LayoutColumn) throws -> PostgreSQLParameter {
    var values = BinaryValues()
    let whole = Column(repeating: column.defaultValue, kind: column.kind, rowCount: 1)
    BlockColumns.One(whole, column.kind).append(0, to: &values)
    // The bytes without their length.
    return PostgreSQLParameter(
      column.kind.postgreSQLType, bytes: Array(values.bytes.dropFirst(4)))
  }

  // MARK: - Anew

  /// Makes all tables again, and fills them from the old ones.
  private func rebuild() throws {
    let old = before.families.map(\.table) + before.links.values.map(\.table)
    for (index, table) in old.enumerated() {
      try connection.execute("ALTER TABLE \(quoted(table)) RENAME TO quire_moved_\(index)")
    }
    let moved = Dictionary(
      uniqueKeysWithValues: old.enumerated().map { ($1, "quire_moved_\($0)") })
    for text in making.tables { try connection.execute(text) }
    for (number, entity) in after.entities.sorted(by: { $0.key < $1.key }) {
      guard let source = before.entities[number] else { continue }
      try checkNumbers(of: source, for: entity, from: moved[source.table]!)
      try copy(source, to: entity, from: moved[source.table]!)
    }
    for (source, link) in linkPairs { try copy(source, to: link, from: moved[source.table]!) }
    for table in moved.values { try connection.execute("DROP TABLE \(table) CASCADE") }
  }

  /// Throws an error if the new table already has an object with the number of an object that follows.
  private func checkNumbers(
    of old: TableMap.EntityMap, for new: TableMap.EntityMap, from table: String
  ) throws {
    guard
      let shared = try connection.integer(
        """
        SELECT t.id FROM \(table) t WHERE t.entity = \(old.number) \
        AND EXISTS (SELECT 1 FROM \(quoted(new.table)) n WHERE n.id = t.id) ORDER BY t.id LIMIT 1
        """)
    else { return }
    let root =
      after.entities.values.first { Int64($0.number) == new.rootNumber }?.layout.entity ?? ""
    throw StoreError(
      .incompatibleModel,
      "The new model puts the objects of '\(new.layout.entity)' and of other entities into one table, because they get the "
        + "common superentity '\(root)'. Several of these objects have the number \(shared), and numbers are unique in a table. "
        + "Nothing was changed. Copy the store into a document with 'quire convert', migrate the document, and copy it "
        + "into a new schema.", path: path)
  }

  /// Raises the highest assigned key of each table to that of the tables from which its objects come, so that no key is
  /// assigned twice.
  func raiseKeys() throws {
    for (number, entity) in after.entities {
      guard let old = before.entities[number], old.rootNumber != entity.rootNumber else { continue }
      try connection.forEachRow(
        """
        UPDATE quire_key SET last = (SELECT max(last) FROM quire_key WHERE number IN ($1, $2)) WHERE number = $1
        """, [PostgreSQLParameter(entity.rootNumber), PostgreSQLParameter(old.rootNumber)])
    }
  }

  private func copy(
    _ old: TableMap.EntityMap, to new: TableMap.EntityMap, from table: String
  ) throws {
    let copy = try RowCopy(old, to: new) {
      "$\($0)"
    } cell: { source, column in
      try ColumnChanges.converted(
        "t.\(quoted(source.name))", source.column.kind, to: column.column.kind)
    } entity: { source in
      source.entityColumn.map { "t.\(quoted($0))" }
        ?? "CASE WHEN t.\(quoted(source.name)) IS NOT NULL THEN \(source.destination?.entity ?? 0) END"
    }
    try connection.forEachRow(
      """
      INSERT INTO \(quoted(new.table)) (id, entity, version\(copy.names)) \
      SELECT t.id, \(new.number), t.version\(copy.cells) FROM \(table) t WHERE t.entity = \(old.number)
      """, copy.defaults.map { try TableChange.constant($0.column) })
  }

  private func copy(
    _ old: TableMap.LinkMap, to new: TableMap.LinkMap, from table: String
  ) throws {
    var names = ["id", "version", quoted(new.source), quoted(new.target)]
    var cells = ["id", "version", quoted(old.source), quoted(old.target)]
    for (from, to) in [(old.targetOrder, new.targetOrder), (old.sourceOrder, new.sourceOrder)] {
      guard let to else { continue }
      names.append(quoted(to))
      cells.append(from.map(quoted) ?? "NULL")
    }
    try connection.execute(
      "INSERT INTO \(quoted(new.table)) (\(names.joined(separator: ", "))) SELECT \(cells.joined(separator: ", ")) FROM \(table)"
    )
  }
}
