import ObjectModel
import Rows

/// Writes the objects of one entity as statements that make a table in SQLite.
struct SQLExport {
  private let schema: SQLSchema
  private let layout: Layout
  private let columns: [SQLSchema.Column]
  private let known: KnownObjects
  private(set) var report = ObjectExport.Report()

  /// The number of rows in a statement.
  private static let rowCount = 100
  /// The number of digits that a number of SQLite keeps.
  private static let digitCount = 15

  init(_ schema: SQLSchema, _ layout: Layout, _ known: KnownObjects, in view: View) throws {
    (self.schema, self.layout, self.known) = (schema, layout, known)
    columns = try schema.columns(of: layout) { column in
      try DecimalScale(of: column, layout, in: view).digitCount.map { $0 > SQLExport.digitCount }
        ?? true
    }
  }

  /// Writes the table, its rows, the tables of its links, and its indexes.
  mutating func write(
    _ view: View, lists: [(relationship: Relationship, lists: RelatedLists)],
    progress: (Int) throws -> Void, to sink: ([UInt8]) throws -> Void
  ) throws {
    let table = schema.table(of: layout.entity)
    let declarations = columns.map { "  \(SQLSchema.quoted($0.name)) \($0.declaration)" }
    var output = OutputBytes()
    // The tables refer to one another, so the references are checked when all exist.
    output.append("PRAGMA foreign_keys=OFF;\nBEGIN;\n")
    output.append(
      "CREATE TABLE \(SQLSchema.quoted(table)) (\n\(declarations.joined(separator: ",\n"))\n);\n")
    var values = WalkValues(layout)
    var keys: [UInt64] = []
    var walk = try RowWalk(view, layout)
    var count = 0
    while let place = try walk.next() {
      begin(count, table, &output)
      for (index, column) in columns.enumerated() {
        output.append(index == 0 ? "(" : ",")
        output.append(try cell(column, place, &values))
      }
      output.append(")")
      keys.append(place.key)
      count += 1
      if output.isLarge {
        try sink(output.take())
        try progress(count)
      }
    }
    if count > 0 { output.append(";\n") }
    for (relationship, lists) in lists {
      try write(relationship, lists, of: keys, table, &output, to: sink)
    }
    if let entity = schema.model[layout.entity] {
      for text in schema.indexes(of: entity, columns, layout) { output.append(text) }
    }
    output.append("COMMIT;\n")
    try sink(output.take())
    try progress(count)
    report.objectCount = count
  }

  /// Begins a row: a statement has some number of rows.
  private func begin(_ count: Int, _ table: String, _ output: inout OutputBytes) {
    if count % SQLExport.rowCount != 0 { return output.append(",\n") }
    if count > 0 { output.append(";\n") }
    output.append("INSERT INTO \(SQLSchema.quoted(table)) VALUES\n")
  }

  private mutating func cell(
    _ column: SQLSchema.Column, _ place: RowWalk.Place, _ values: inout WalkValues
  ) throws -> String {
    switch column.content {
    case .key: return String(place.key)
    case .identifier: return SQLSchema.text("\(layout.entityNumber)/p\(place.key)")
    case .place(let index): return SQLSchema.literal(try values.value(index, place))
    case .attribute(let index, let precision):
      let value = try values.value(index, place)
      // The column of long decimal numbers contains texts.
      if case .decimal = value, column.declaration.hasPrefix("DECIMAL TEXT") {
        return SQLSchema.text(ValueText.exchange.text(value, precision))
      }
      return SQLSchema.literal(value, precision)
    case .reference(let index, let isText):
      guard case .object(let key) = try values.value(index, place) else { return "NULL" }
      guard try known.contains(key) else {
        report.lostReferenceCount += 1
        return "NULL"
      }
      return isText ? SQLSchema.text(ValueText.text(key)) : String(key.number)
    }
  }

  // MARK: - Links

  /// Writes a table of links, for a relationship that is in no column of another table.
  private func write(
    _ relationship: Relationship, _ lists: RelatedLists, of keys: [UInt64], _ table: String,
    _ output: inout OutputBytes, to sink: ([UInt8]) throws -> Void
  ) throws {
    guard schema.isTable(relationship, of: layout.entity) else { return }
    var lists = lists
    let name = schema.table(of: relationship, of: layout.entity)
    let isText = schema.isFamily(relationship.destination)
    let (owner, other) = schema.ends(of: relationship, layout.entity)
    let reference =
      isText
      ? "TEXT NOT NULL"
      : "INTEGER NOT NULL REFERENCES \(SQLSchema.quoted(schema.table(of: relationship.destination)))"
    let order = relationship.keepsOrder ? "  \"position\" INTEGER NOT NULL,\n" : ""
    output.append(
      """
      CREATE TABLE \(SQLSchema.quoted(name)) (
        \(SQLSchema.quoted(owner)) INTEGER NOT NULL REFERENCES \(SQLSchema.quoted(table)),
        \(SQLSchema.quoted(other)) \(reference),
      \(order)  PRIMARY KEY (\(SQLSchema.quoted(owner)), \(SQLSchema.quoted(other)))
      ) WITHOUT ROWID;

      """)
    var count = 0
    for key in keys {
      for (place, member) in lists.others(of: key).enumerated() {
        begin(count, name, &output)
        let object = isText ? SQLSchema.text(ValueText.text(member)) : String(member.number)
        output.append("(\(key),\(object)\(relationship.keepsOrder ? ",\(place + 1)" : ""))")
        count += 1
        if output.isLarge { try sink(output.take()) }
      }
    }
    if count > 0 { output.append(";\n") }
  }

}
