import ModelNotations
import ObjectModel
import SQLTranslation
import SQLiteFiles

/// A database of another program, read as objects: its tables are entities, its foreign keys relationships.
///
/// The types are inferred from all values, because SQLite lets each row of a column have a value of another kind. The
/// statements of the store read the tables through common table expressions that give them the form of the store's own
/// tables, so nothing is copied, and the rest of the store does not know the difference.
struct PlainDatabase {
  /// A table whose rows are objects.
  struct Source {
    let table: PlainTable
    let entity: String
    /// The values of each column.
    let values: [PlainValues]
    let numbers: RowNumbers
    var references: [Reference] = []

    /// Whether a column contains nothing but the numbers of rows: programs and exports of Quire name such a column `_id`.
    func isPlainKey(_ column: PlainTable.Column) -> Bool {
      column.name == "_id" && table.numberColumn == column.name
    }

    /// The position of a column; `nil` if the table lacks the column.
    func position(of column: String) -> Int? {
      table.columns.firstIndex { $0.name.lowercased() == column.lowercased() }
    }
  }

  /// Columns that refer to a row of a table.
  struct Reference: Hashable {
    let columns: [String]
    /// The number of the table among the sources.
    let target: Int
    let targets: [String]
    let deletesAlong: Bool
  }

  /// The tables whose rows are objects.
  private(set) var sources: [Source]
  /// The tables whose rows are links of to-many relationships.
  private(set) var links: [Source] = []
  /// Sentences about omissions of the model, and about choices that it could have made differently.
  private(set) var notes: [String] = []

  /// Surveys the tables of a database.
  ///
  /// - Throws: ``SQLiteError``.
  init(_ connection: SQLiteConnection) throws {
    let (tables, others) = try PlainTable.all(connection)
    sources = []
    var taken: Set<String> = []
    for (place, table) in tables.enumerated() where !table.columns.isEmpty {
      let entity = InferredNames.free(InferredNames.entity(ofTable: table.name), among: taken) {
        $0.lowercased()
      }
      taken.insert(entity.lowercased())
      let (values, bounds) = try PlainDatabase.survey(table, connection)
      sources.append(
        Source(
          table: table, entity: entity, values: values,
          numbers: RowNumbers(table, place: place, least: bounds.least, greatest: bounds.greatest)))
      if !table.computedColumns.isEmpty {
        notes.append(
          "The table '\(table.name)' computes \(table.computedColumns.map { "'\($0)'" }.joined(separator: ", ")), "
            + "so the objects have no such values.")
      }
    }
    for (name, kind) in others {
      notes.append(
        kind == "view"
          ? "The view '\(name)' is left out: it contains no rows of its own."
          : "The virtual table '\(name)' is left out: an extension of SQLite computes its rows.")
    }
    try findReferences(connection)
    separateLinks()
  }

  /// Reads all rows of a table.
  private static func survey(
    _ table: PlainTable, _ connection: SQLiteConnection
  ) throws -> (values: [PlainValues], bounds: (least: Int64, greatest: Int64)) {
    var values = table.columns.map { _ in PlainValues() }
    var bounds = (least: Int64.max, greatest: Int64.min)
    let number = table.hasRowNumbers ? "x.\(quoted(table.numberName))" : "1"
    try connection.forEachRow(
      [number] + table.columns.map { "x.\(quoted($0.name))" }, from: "\(quoted(table.name)) x",
      where: nil
    ) { cells in
      bounds.least = min(bounds.least, cells[0].integer)
      bounds.greatest = max(bounds.greatest, cells[0].integer)
      for index in values.indices { values[index].add(cells[index + 1]) }
    }
    return (values, bounds)
  }

  // MARK: - References

  private mutating func findReferences(_ connection: SQLiteConnection) throws {
    for index in sources.indices {
      let table = sources[index].table
      for key in table.foreignKeys {
        guard let reference = declared(key, of: index) else {
          notes.append(
            "The foreign key \(PlainDatabase.words(key.columns)) of '\(table.name)' refers to no key of a table "
              + "'\(key.table)', so it is not a relationship.")
          continue
        }
        try add(reference, to: index, isDeclared: true, connection)
      }
      for column in table.columns.indices { try addByName(column, of: index, connection) }
    }
  }

  private func declared(_ key: PlainTable.ForeignKey, of source: Int) -> Reference? {
    guard
      let target = sources.firstIndex(where: {
        $0.table.name.lowercased() == key.table.lowercased()
      })
    else { return nil }
    let other = sources[target].table
    let targets = key.targets.isEmpty ? other.key : key.targets
    let isKey = other.uniqueColumns.contains {
      Set($0.map { $0.lowercased() }) == Set(targets.map { $0.lowercased() })
    }
    guard targets.count == key.columns.count, isKey else { return nil }
    return Reference(
      columns: key.columns, target: target, targets: targets, deletesAlong: key.deletesAlong)
  }

  /// Adds a column with the name of a table as a reference: `trip_id` or `trip` for `trips`. Imported text files follow the same
  /// rule.
  private mutating func addByName(
    _ column: Int, of source: Int, _ connection: SQLiteConnection
  ) throws {
    let (table, name) = (sources[source].table, sources[source].table.columns[column].name)
    let isTaken = sources[source].references.contains { $0.columns.contains(name) }
    guard sources[source].values[column].valueCount > 0, !isTaken, table.key != [name],
      !table.foreignKeys.contains(where: { $0.columns.contains(name) })
    else { return }
    let found = InferredNames.targets(of: name, in: source, among: sources.map(\.entity))
    for target in found?.entities ?? [] {
      let keys = sources[target].table.uniqueColumns.filter { $0.count == 1 && $0 != [name] }
      for key in keys {
        let reference = Reference(
          columns: [name], target: target, targets: key, deletesAlong: false)
        if try add(reference, to: source, isDeclared: false, connection) { return }
      }
    }
  }

  /// Adds a reference if each of its values refers to a row.
  @discardableResult
  private mutating func add(
    _ reference: Reference, to source: Int, isDeclared: Bool, _ connection: SQLiteConnection
  ) throws -> Bool {
    let conditions = reference.columns.map { "x.\(quoted($0)) IS NOT NULL" }
    let values = try connection.integer(
      "SELECT count(*) FROM \(quoted(sources[source].table.name)) x WHERE "
        + conditions.joined(separator: " AND "))
    let missing = try connection.integer(
      """
      SELECT count(*) FROM \(quoted(sources[source].table.name)) x \
      WHERE \(conditions.joined(separator: " AND ")) AND NOT EXISTS \
      (SELECT 1 FROM \(quoted(sources[reference.target].table.name)) r WHERE \(reference.condition))
      """)
    guard missing == 0 else {
      // If no value matches a row, the similar name is a coincidence.
      if isDeclared || missing != values {
        notes.append(
          "\(PlainDatabase.words(reference.columns)) of '\(sources[source].table.name)' is not a relationship to "
            + "\(sources[reference.target].entity): \(missing ?? 0) of \(values ?? 0) values refer to no row."
        )
      }
      return false
    }
    sources[source].references.append(reference)
    return true
  }

  static func words(_ columns: [String]) -> String {
    columns.map { "'\($0)'" }.joined(separator: ", ")
  }

  /// Separates the tables that contain nothing but two references: their rows are links.
  private mutating func separateLinks() {
    let targets = Set(sources.flatMap { $0.references.map(\.target) })
    let areLinks = sources.indices.filter { index in
      let source = sources[index]
      guard source.references.count == 2, !targets.contains(index),
        source.references[0].target != source.references[1].target,
        source.references.allSatisfy({ $0.columns.count == 1 })
      else { return false }
      let columns = source.references.map { $0.columns[0].lowercased() }
      let others = source.table.columns.filter { !columns.contains($0.name.lowercased()) }
      let areWhole = columns.allSatisfy { column in
        source.position(of: column).map { source.values[$0].nullCount == 0 } ?? false
      }
      return areWhole && (others.isEmpty || others.map(\.name) == [source.table.numberColumn])
    }
    guard !areLinks.isEmpty else { return }
    let places = sources.indices.filter { !areLinks.contains($0) }
    func moved(_ source: Source) -> Source {
      var source = source
      source.references = source.references.map { reference in
        Reference(
          columns: reference.columns, target: places.firstIndex(of: reference.target)!,
          targets: reference.targets, deletesAlong: reference.deletesAlong)
      }
      return source
    }
    links = areLinks.map { moved(sources[$0]) }
    sources = places.map { moved(sources[$0]) }
  }
}

extension PlainDatabase.Reference {
  /// The SQL condition of the row `r` to which a row `x` leads.
  var condition: String {
    zip(columns, targets).map { "r.\(quoted($1)) = x.\(quoted($0))" }.joined(separator: " AND ")
  }
}
