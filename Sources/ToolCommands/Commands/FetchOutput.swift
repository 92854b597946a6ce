import CommandInterface
import Interchange
import ObjectModel
import ObjectQuery
import Rows

/// The output of a fetch. In every format, at most one part of the results is in memory.
struct FetchOutput {
  /// The form of the results.
  enum Form: String, CaseIterable {
    case table
    /// A line for each value, with an empty line between objects.
    case line
    case markdown
    case json
    case jsonl
    case csv
    /// Columns of Arrow, as a stream. The results are in memory until all are found, because the types of computed columns follow
    /// from their values.
    case arrow

    /// The form that the command line names, or a table.
    init(_ invocation: Invocation) {
      self = invocation.value(of: FetchCommand.form).flatMap(Form.init(rawValue:)) ?? .table
    }
  }

  /// The choices of the command line.
  struct Choices {
    /// Whether comma-separated values begin with the identifiers of the objects.
    var namesObjects = false
    /// Whether decimal numbers are numbers in JSON.
    var writesNumbers = false
    /// The texts of values, which are in UTC or in the zone of the command line.
    var texts = ValueText.exchange
  }

  private let output: Console.Stream
  private let form: Form
  private let choices: Choices
  /// Whether a cell shows the number of objects of a to-many relationship, and not their identifiers.
  private let countsObjects: Bool
  private let columns: FetchColumns
  private let columnsText: ResultText.Columns
  /// The columns of each subentity. Lines of JSON show all properties of a subentity's objects.
  private let subentities: [UInt16: Subentity]
  private var table: StreamedTable?
  private var text: ResultText?
  private var records: [[RecordValues.Cell]] = []
  private var found: FoundWords
  private var hasBegun = false
  /// The number of rows written so far.
  private(set) var rowCount = 0

  private struct Subentity {
    let text: ResultText.Columns
    let added: [FetchColumns.Column]
    let layout: Layout
  }

  /// Creates the output of a fetch.
  ///
  /// - Parameters:
  ///   - showsAll: Whether the columns are all properties of the entity.
  ///   - width: The width to which a table is cut; `nil` for all of each cell.
  ///   - predicate: The condition of the objects. Forms for people mark the words that it has found.
  init(
    _ columns: FetchColumns, showsAll: Bool, form: Form, _ choices: Choices, width: Int?,
    _ predicate: QueryPredicate?, _ model: Model, _ schema: Schema, to output: Console.Stream
  ) {
    self.output = output
    self.choices = choices
    found = FoundWords(predicate)
    self.columns = columns
    self.form = form
    countsObjects = width != nil
    columnsText = columns.text
    switch form {
    case .table: table = StreamedTable(output, width: width)
    case .line, .markdown: break
    case .json: text = ResultText(.json, writesNumbers: choices.writesNumbers, as: choices.texts)
    case .jsonl: text = ResultText(.jsonl, writesNumbers: choices.writesNumbers, as: choices.texts)
    case .csv: text = ResultText(.csv, as: choices.texts)
    case .arrow: records = []
    }
    var subentities: [UInt16: Subentity] = [:]
    for entity in model.family(of: columns.entity) where entity.name != columns.entity {
      guard let layout = schema[entity.name] else { continue }
      let known = Set(columns.columns.map(\.name))
      let all = FetchColumns(of: entity.name, model, schema)
      let added =
        showsAll && (form == .json || form == .jsonl)
        ? all.columns.filter { !known.contains($0.name) } : []
      subentities[layout.entityNumber] = Subentity(
        text: FetchColumns.text(of: entity.name, columns.columns + added),
        added: added, layout: layout)
    }
    self.subentities = subentities
  }

  /// Writes a part of the results.
  ///
  /// - Parameters:
  ///   - source: The source in which the objects of relationships are looked up.
  ///   - most: The maximum number of rows to write.
  mutating func write(_ part: ResultTable, _ source: ViewSource, most: Int = .max) throws {
    try begin(part)
    for row in part.rows.prefix(max(0, most)) {
      var key: ObjectKey?
      if columns.showsObjects {
        guard case .object(let own)? = row.first else { continue }
        key = own
      }
      var next = columns.showsObjects ? 1 : 0
      let cells = try columns.columns.map { column -> ResultText.Cell in
        guard case .value = column.content else { return try cell(column, of: key!, source) }
        defer { next += 1 }
        return .value(row[next])
      }
      switch form {
      case .table:
        let first = columns.showsObjects ? 1 : 0
        let numbers = cells.indices.filter {
          if case .value(let value) = cells[$0] { value.kind?.isNumber ?? false } else { false }
        }
        try table!.add(words(key, cells), numbers: Set(numbers.map { $0 + first }))
      case .line: try writeLines(words(key, cells))
      case .markdown: try output.write(markdown(words(key, cells)))
      case .json, .jsonl, .csv: try append(key, cells, source)
      case .arrow: records.append(FetchOutput.record(key, cells))
      }
      rowCount += 1
    }
    try flush()
  }

  /// Returns the cell of a column that leads through a to-many relationship.
  private func cell(
    _ column: FetchColumns.Column, of key: ObjectKey, _ source: ViewSource
  ) throws -> ResultText.Cell {
    switch column.content {
    case .value: return .value(.null)
    case .list(let relationship):
      return .list(try source.objects(relatedTo: key, through: relationship))
    case .values(let relationship, let column):
      return .values(
        try source.objects(relatedTo: key, through: relationship).map {
          try source.row(of: $0)?.value(column) ?? .null
        })
    }
  }

  /// The names of the columns that do not fit into the table.
  var hiddenColumns: [String] { table?.hidden ?? [] }

  /// The names of the columns, with the identifier's first.
  private var names: [String] {
    (columns.showsObjects ? [FetchColumns.identifier] : []) + columns.columns.map(\.name)
  }

  /// Returns the cells of a row in the words of a table.
  private mutating func words(_ key: ObjectKey?, _ cells: [ResultText.Cell]) -> [String] {
    (key.map { [Wording.text(.object($0))] } ?? [])
      + zip(columns.columns, cells).map { column, cell in
        var cell = cell
        if case .value(.string(let text)) = cell,
          let marked = found.marked(text, ofColumn: column.name)
        {
          cell = .value(.string(marked))
        }
        if countsObjects, case .list(let keys) = cell {
          return keys.isEmpty ? "" : Wording.count(keys.count, "object")
        }
        // A reader of Markdown expects text without quotes.
        if form == .markdown, case .value(.string(let text)) = cell {
          return text.replacing("\n", with: " ")
        }
        return Wording.text(cell, column.form, as: choices.texts)
      }
  }

  /// Writes a row with a line for each value. Cells without a value are skipped.
  private func writeLines(_ cells: [String]) throws {
    let width = names.map(\.displayWidth).max() ?? 0
    var text = rowCount == 0 ? "" : "\n"
    for (name, cell) in zip(names, cells) where !cell.isEmpty {
      text += Table.line([name, output.isTerminal ? oneLine(cell) : cell], [width, 1])
    }
    try output.write(text)
  }

  /// Returns a row of a table in Markdown.
  private func markdown(_ cells: [String]) -> String {
    let cells = cells.map { cell in
      (output.isTerminal ? oneLine(cell) : cell).replacing("\\", with: "\\\\")
        .replacing("|", with: "\\|")
    }
    return "| \(cells.joined(separator: " | ")) |\n"
  }

  /// Returns a row of an Arrow table.
  private static func record(
    _ key: ObjectKey?, _ cells: [ResultText.Cell]
  ) -> [RecordValues.Cell] {
    (key.map { [.value(.object($0))] } ?? [])
      + cells.map { cell in
        switch cell {
        case .value(let value): .value(value)
        case .list(let keys): .list(keys.map { .object($0) })
        case .values(let values): .list(values)
        }
      }
  }

  private func writeRecords() throws {
    let first = columns.showsObjects ? 1 : 0
    let lists = columns.columns.indices.filter {
      if case .value = columns.columns[$0].content { false } else { true }
    }
    let precisions = Array(repeating: nil, count: first) + columns.columns.map(\.form.precision)
    try RecordValues(
      names, records, listColumns: Set(lists.map { $0 + first }), precisions: precisions
    )
    .write { try output.write(bytes: $0) }
  }

  /// Writes the end of the results.
  mutating func finish() throws {
    if form == .arrow { return try writeRecords() }
    try begin()
    text?.finish()
    try flush()
    try table?.finish()
  }

  /// Writes what comes before the first row.
  ///
  /// - Parameter part: The first rows; `nil` if there are no rows.
  private mutating func begin(_ part: ResultTable? = nil) throws {
    guard !hasBegun else { return }
    hasBegun = true
    text?.begin(
      columnsText, namesEntities: columns.showsObjects && !subentities.isEmpty,
      namesObjects: columns.showsObjects && (form != .csv || choices.namesObjects))
    let names = names
    try table?.add(names)
    if form == .markdown {
      let numbers = part.map(numberColumns) ?? []
      let rules = names.indices.map { numbers.contains($0) ? " ---: |" : " --- |" }
      try output.write(markdown(names) + "|\(rules.joined())\n")
    }
  }

  /// Returns the columns with numbers, which Markdown aligns at the right.
  private func numberColumns(of part: ResultTable) -> [Int] {
    let first = columns.showsObjects ? 1 : 0
    // Only these columns have a place in the rows.
    let single = columns.columns.indices.filter { columns.columns[$0].isSingle }
    return single.enumerated().filter { place, _ in
      let kinds = part.rows.map { $0[place + first] }.filter { !$0.isNull }.map(\.kind)
      return !kinds.isEmpty && kinds.allSatisfy { $0?.isNumber ?? false }
    }.map { $0.element + first }
  }

  private mutating func append(
    _ key: ObjectKey?, _ cells: [ResultText.Cell], _ source: ViewSource
  ) throws {
    guard let key, let subentity = subentities[key.entity] else {
      text!.append(key, cells, columnsText)
      return
    }
    var cells = cells
    if !subentity.added.isEmpty, let row = try source.row(of: key) {
      for column in subentity.added {
        if case .value = column.content {
          let own = subentity.layout.columns[subentity.layout.index(of: column.name)!]
          cells.append(.value(try row.value(own)))
        } else {
          cells.append(try cell(column, of: key, source))
        }
      }
    }
    text!.append(key, cells, subentity.text)
  }

  private mutating func flush() throws {
    guard var bytes = text?.take(), !bytes.isEmpty else { return }
    if output.isTerminal {
      bytes = form == .csv ? TerminalText.shown(bytes) : TerminalText.shownJSON(bytes)
    }
    try output.write(bytes: bytes)
  }
}
