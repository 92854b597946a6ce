import CommandInterface
import ObjectModel
import ObjectQuery
import Rows

/// Prints the results of a `fetch`. On a terminal, a table ends with a line about the objects that it does not show.
struct FetchPrinting {
  private let selection: FetchSelection
  private let invocation: Invocation
  private let console: Console
  private let model: Model
  private let schema: Schema
  private let form: FetchOutput.Form
  /// Whether the table is cut to the size of the terminal.
  private let isFitted: Bool

  init(
    _ selection: FetchSelection, _ invocation: Invocation, on console: Console, _ model: Model,
    _ schema: Schema
  ) {
    self.selection = selection
    self.invocation = invocation
    self.console = console
    self.model = model
    self.schema = schema
    form =
      FetchOutput.Form(invocation)
    isFitted =
      console.output.isTerminal && form == .table && !invocation.has(FetchCommand.pager)
  }

  /// Fetches the objects and prints them.
  func run(
    count: (QueryRequest) throws -> Int,
    fetch: (QueryRequest, (ResultTable, ViewSource) throws -> Void) throws -> Void
  ) throws {
    if form == .arrow, console.output.isTerminal { throw ExportCommand.notForTerminals }
    var request = selection.request
    let limit =
      try invocation.number(of: FetchCommand.limit)
      ?? (request.fetchLimit > 0 ? request.fetchLimit : nil)
    // If one row more than is printed comes back, there are more. A request with limit 0 is bound like any other, so that
    // its errors are found.
    request.fetchLimit = limit.map { max($0, 1) } ?? shownCount.map { $0 + 1 } ?? 0
    if let offset = try invocation.number(of: FetchCommand.offset) {
      request.fetchOffset = offset
    }
    try checkWanted(request, count)
    var output = FetchOutput(
      selection.columns, showsAll: !invocation.has(FetchCommand.columns), form: form,
      FetchOutput.Choices(
        namesObjects: invocation.has(FetchCommand.ids),
        writesNumbers: invocation.has(FetchCommand.numbers),
        texts: try CommandZone(invocation).texts),
      width: isFitted ? console.width : nil, request.predicate, model, schema, to: console.output)
    var isMore = false
    try fetch(request) { part, source in
      let left = (limit ?? shownCount ?? .max) - output.rowCount
      isMore = isMore || limit == nil && part.rows.count > left
      try output.write(part, source, most: left)
    }
    try output.finish()
    if output.rowCount == 0 { try ForeignPattern.note(request.predicate, on: console) }
    if isMore { try noteRest(request, shown: output.rowCount, count) }
    if !output.hiddenColumns.isEmpty { try noteColumns(output.hiddenColumns) }
  }

  /// The number of rows for which the terminal has lines, besides the names, the notes and the prompt; `nil` for all
  /// rows.
  private var shownCount: Int? {
    guard isFitted, !invocation.has(FetchCommand.all) else { return nil }
    return console.height.map { max(5, $0 - 4) }
  }

  /// Throws an error if an object that `--id` names does not exist.
  private func checkWanted(
    _ request: QueryRequest, _ count: (QueryRequest) throws -> Int
  ) throws {
    guard let wanted = selection.wanted,
      try count(QueryRequest(request.entity, where: request.predicate)) < Set(wanted).count
    else { return }
    let missing = try wanted.filter { key in
      try count(QueryRequest(request.entity, where: selection.predicate(for: [key]))) == 0
    }
    throw CommandError(
      .no,
      "There is no object \(missing.map { Wording.text(.object($0)) }.joined(separator: ", ")).")
  }

  private func noteRest(
    _ request: QueryRequest, shown: Int, _ count: (QueryRequest) throws -> Int
  ) throws {
    var text = "There are more results."
    if selection.columns.showsObjects {
      var all = QueryRequest(request.entity, where: request.predicate)
      all.includesSubentities = request.includesSubentities
      let rest = try count(all) - request.fetchOffset - shown
      text = "\(Wording.count(rest, "more object"))."
    }
    try console.messages.writeLine(
      "\(text) '--all' shows all, '--pager' all in a pager, '--limit COUNT' some of them.")
  }

  private func noteColumns(_ names: [String]) throws {
    let list = oneLine(names.joined(separator: ", "))
    try console.messages.writeLine(
      "Columns without room: \(list.cut(to: max(20, console.width * 2))). '--columns' selects columns, "
        + "'--format line' shows all.")
  }
}
