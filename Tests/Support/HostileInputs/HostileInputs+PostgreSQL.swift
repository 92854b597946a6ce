import ObjectModel
import ObjectQuery
import PostgreSQLConnection
import PostgreSQLStore
import Rows
import StoreInterface

extension HostileInputs {
  /// The parts of a store's reader.
  private enum AnswerKind: UInt8 {
    case rows, rowsOfKeys, description, history, requests
  }

  // Made for each input: the leak sanitizer can't follow the references in expressions that a static property keeps.
  private static var requests: [QueryRequest] {
    var sums = QueryRequest("Thing")
    sums.resultType = .dictionaries
    sums.propertiesToFetch = [
      FetchedValue("sum", .function(.sum, [.path("large")])),
      FetchedValue("mean", .function(.average, [.path("real")])),
    ]
    var groups = sums
    groups.propertiesToGroupBy = ["name"]
    groups.propertiesToFetch.append(FetchedValue("name"))
    var values = QueryRequest("Thing", sortedBy: [SortKey("name")], limit: 3)
    values.resultType = .dictionaries
    var references = QueryRequest("Special")
    references.resultType = .dictionaries
    references.propertiesToFetch = [FetchedValue("owner"), FetchedValue("grade")]
    return [QueryRequest("Thing", limit: 2), sums, groups, values, references]
  }

  /// Reads any bytes as the answers of a PostgreSQL server to a store: an error is allowed. A block of rows that was read
  /// must be readable to its end.
  ///
  /// The first byte chooses the part of the reader. The others are made-up answers (`MadeUpAnswers`).
  public static func postgreSQLResult(_ input: [UInt8]) {
    guard let first = input.first, let kind = AnswerKind(rawValue: first % 5) else { return }
    let source = MadeUpAnswers(Array(input.dropFirst()))
    let reading = try! AnswerReading(xmlModel, from: source)
    let requests = kind == .requests ? requests : []
    var turn = 0
    while !source.isEmpty, turn < 100 {
      do {
        switch kind {
        case .rows, .rowsOfKeys:
          let number = reading.numbers[turn % reading.numbers.count]
          check(try reading.blocks(number, of: kind == .rows ? nil : [1, 2]))
        case .description: _ = try reading.description()
        case .history: check(try reading.history())
        case .requests:
          let found = try reading.answers(requests[turn % requests.count])
          _ = found.table?.dictionaries
        }
      } catch {
        precondition(
          error is StoreError || error is PostgreSQLError || error is BlockError,
          "It is not an error of a store's: \(error)")
      }
      turn += 1
    }
  }

  private static func check(_ blocks: [Block]) {
    for block in blocks {
      try! block.verify()
      for number in block.columnNumbers {
        guard let column = try! block.column(number) else { continue }
        for row in 0..<block.rowCount { _ = column.value(at: row) }
      }
    }
    _ = BlockRun(blocks).keyRange
  }
}
