import Interchange
import ObjectModel
import ObjectQuery
import Rows

/// The output of a fetch. In every format, at most one part of the results is in memory.
struct FetchOutput {
  private let output: Console.Stream
  private let columns: FetchColumns
  private let columnsText: ResultText.Columns
  /// The columns of each subentity. Lines of JSON show all properties of a subentity's objects.
  private let subentities: [UInt16: Subentity]
  private var table: StreamedTable?
  private var text: ResultText?
  private let isCSV: Bool
  private var hasBegun = false

  private struct Subentity {
    let text: ResultText.Columns
    let added: [FetchColumns.Column]
    let layout: Layout
  }

  /// Creates the output of a fetch.
  ///
  /// - Parameter showsAll: Whether the columns are all properties of the entity.
  init(
    _ columns: FetchColumns, showsAll: Bool, format: String?, _ model: Model, _ schema: Schema,
    to output: Console.Stream
  ) {
    self.output = output
    self.columns = columns
    columnsText = columns.text
    isCSV = format == "csv"
    switch format {
    case "json": text = ResultText(.json)
    case "jsonl": text = ResultText(.jsonl)
    case "csv": text = ResultText(.csv)
    default: table = StreamedTable(output)
    }
    var subentities: [UInt16: Subentity] = [:]
    for entity in model.family(of: columns.entity) where entity.name != columns.entity {
      guard let layout = schema[entity.name] else { continue }
      let known = Set(columns.columns.map(\.name))
      let all = FetchColumns(of: entity.name, model, schema)
      let added = showsAll && !isCSV ? all.columns.filter { !known.contains($0.name) } : []
      subentities[layout.entityNumber] = Subentity(
        text: ResultText.Columns(
          of: entity.name,
          (columns.columns + added).map {
            ResultText.Column($0.name, isPart: $0.isPart, writesNull: $0.hasDefault)
          }),
        added: added, layout: layout)
    }
    self.subentities = subentities
  }

  /// Writes a part of the results.
  ///
  /// - Parameter source: The source in which the objects of relationships are looked up.
  mutating func write(_ part: ResultTable, _ source: ViewSource) throws {
    try begin()
    for row in part.rows {
      guard case .object(let key)? = row.first else { continue }
      var next = 1
      let cells = try columns.columns.map { column -> ResultText.Cell in
        switch column.content {
        case .value:
          defer { next += 1 }
          return .value(row[next])
        case .list(let relationship):
          return .list(try source.objects(relatedTo: key, through: relationship))
        }
      }
      if table != nil {
        try table!.add([Wording.text(.object(key))] + cells.map { Wording.text($0) })
      } else {
        try append(key, cells, source)
      }
    }
    try flush()
  }

  /// Writes the end of the results.
  mutating func finish() throws {
    try begin()
    text?.finish()
    try flush()
    try table?.finish()
  }

  private mutating func begin() throws {
    guard !hasBegun else { return }
    hasBegun = true
    text?.begin(columnsText, namesEntities: !subentities.isEmpty)
    try table?.add([FetchColumns.identifier] + columns.columns.map(\.name))
  }

  private mutating func append(
    _ key: ObjectKey, _ cells: [ResultText.Cell], _ source: ViewSource
  ) throws {
    guard let subentity = subentities[key.entity] else {
      text!.append(key, cells, columnsText)
      return
    }
    var cells = cells
    if !subentity.added.isEmpty, let row = try source.row(of: key) {
      for column in subentity.added {
        switch column.content {
        case .value:
          let own = subentity.layout.columns[subentity.layout.index(of: column.name)!]
          cells.append(.value(try row.value(own)))
        case .list(let relationship):
          cells.append(.list(try source.objects(relatedTo: key, through: relationship)))
        }
      }
    }
    text!.append(key, cells, subentity.text)
  }

  private mutating func flush() throws {
    guard var bytes = text?.take(), !bytes.isEmpty else { return }
    if output.isTerminal {
      bytes = isCSV ? TerminalText.shown(bytes) : TerminalText.shownJSON(bytes)
    }
    try output.write(bytes: bytes)
  }
}

/// A table that is written while rows arrive. The first rows determine the widths of the columns.
struct StreamedTable {
  private let output: Console.Stream
  private var waiting: [[String]] = []
  private var widths: [Int]?

  /// The number of rows that determine the widths.
  private static let widthRowCount = 512

  init(_ output: Console.Stream) { self.output = output }

  /// Adds a row. A cell that is wider than its column moves the following cells of its row.
  mutating func add(_ cells: [String]) throws {
    let cells = cells.map { output.isTerminal ? printable($0) : $0 }
    waiting.append(cells)
    guard widths != nil || waiting.count > StreamedTable.widthRowCount else { return }
    // After the first rows are written, lines are written in groups.
    if widths == nil || waiting.count >= StreamedTable.widthRowCount { try flush() }
  }

  /// Writes the remaining rows.
  mutating func finish() throws { try flush() }

  private mutating func flush() throws {
    let widths = widths ?? Table.widths(of: waiting)
    self.widths = widths
    guard !waiting.isEmpty else { return }
    try output.write(waiting.map { Table.line($0, widths) }.joined())
    waiting.removeAll(keepingCapacity: true)
  }
}
