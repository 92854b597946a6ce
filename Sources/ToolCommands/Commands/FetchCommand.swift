import Foundation
import JSONText
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// The command `quire fetch`.
enum FetchCommand {
  static let condition = Option(
    "where", value: "PREDICATE", "The condition for the objects, in the syntax of NSPredicate.")
  static let sort = Option(
    "sort", value: "KEYS",
    "The key paths to sort by, separated by commas. A leading - sorts in descending order.")
  static let limit = Option(
    "limit", value: "COUNT", "The maximum number of objects; 0 shows no objects.")
  static let offset = Option("offset", value: "COUNT", "The number of objects to skip.")
  static let columns = Option(
    "columns", value: "PATHS",
    "The key paths or expressions to show, separated by commas. The default is all properties."
  )
  static let form = Option(
    "format", value: "FORMAT", choices: ["text", "json", "jsonl", "csv"],
    "The format of the results; the default is text.")

  /// Returns the command. It opens stores through `reader`.
  static func command(
    _ reader: StoreReader, _ models: ModelReader = .files
  ) -> Command {
    Command(
      "fetch", "shows the objects of an entity that match a predicate",
      discussion: """
        Each object is shown with its identifier as @id: the number of the entity and the number of the \
        object. References and to-many relationships contain identifiers too. Unsorted objects appear while \
        the search still runs.

        With jsonl each object is one line of JSON. With csv the first line contains the column names. \
        'quire import' reads both if each column is a property. JSON contains the entity as @entity, and \
        decimals as text to keep all digits. Tables show text in quotes, with \\ before quotes and \
        backslashes, and the first eight objects of a to-many relationship.

        On a terminal, control characters are escaped in every format. Files and pipes receive the text \
        unchanged.
        """,
      arguments: [.store, .entity],
      options: [
        condition, sort, limit, offset, columns, .version, .storeName, .storeModel, .damaged, form,
      ],
      examples: [
        Example(
          "quire fetch Trips.store Trip --where 'name CONTAINS[cd] \"lis\"' --sort=-start",
          "Shows the trips with 'lis' in their names, the latest first."),
        Example(
          "quire fetch Trips.store Trip --columns 'name,stops.@count' --format csv",
          "Writes the names and the numbers of stops as a table for other programs."),
      ]
    ) { invocation in
      let store = try reader.open(invocation[.store], invocation, models)
      let snapshot = try store.snapshot()
      try checkEntity(invocation, snapshot.model)
      try show(invocation, try snapshot.model, snapshot.schema) { request, body in
        try store.forEachPart(of: request, in: snapshot, rowCount: partRowCount, body)
      }
      return .done
    }
  }

  /// Prints the objects that the command line asks for, one part of the results after another.
  ///
  /// - Parameter fetch: Fetches a request, and calls its second argument with each part of the results.
  static func show(
    _ invocation: Invocation, _ model: Model, _ schema: Schema,
    _ fetch: (QueryRequest, (ResultTable, ViewSource) throws -> Void) throws -> Void
  ) throws {
    var request = try request(invocation)
    let text = invocation.value(of: columns)
    let columns =
      try text.map { try FetchColumns($0, of: request.entity, model, schema) }
      ?? FetchColumns(of: request.entity, model, schema)
    request.resultType = .dictionaries
    request.propertiesToFetch = columns.fetchedValues
    for key in (invocation.value(of: sort) ?? "").split(separator: ",") {
      let path = key.drop { $0 == "-" || $0 == " " }
      request.sortKeys.append(SortKey(String(path), ascending: !key.hasPrefix("-")))
    }
    let limit = try count(limit, invocation)
    // A request with limit 0 is bound like any other, so that its errors are found.
    request.fetchLimit = limit == 0 ? 1 : limit ?? 0
    request.fetchOffset = try count(offset, invocation) ?? 0
    var output = FetchOutput(
      columns, showsAll: text == nil, format: invocation.value(of: form), model, schema,
      to: invocation.console.output)
    try placed(invocation) {
      try fetch(request) { part, source in
        if limit != 0 { try output.write(part, source) }
      }
    }
    try output.finish()
  }

  /// The number of rows in one part of the results.
  static let partRowCount = 512

  /// Returns the request of the command line: an entity and a predicate.
  static func request(_ invocation: Invocation) throws -> QueryRequest {
    let entity = invocation[.entity]
    let text = invocation.value(of: condition)
    return QueryRequest(entity, where: try text.map { try QueryPredicate($0) })
  }

  /// Throws an error if the store's model does not have the entity of the command line.
  static func checkEntity(_ invocation: Invocation, _ model: Model) throws(CommandError) {
    try checkEntity(invocation[.entity], model, in: invocation.value(of: .store) ?? "the store")
  }

  /// Throws an error if the model does not have an entity with the name.
  static func checkEntity(
    _ name: String, _ model: Model, in place: String
  ) throws(CommandError) {
    guard model[name] == nil else { return }
    throw .unknown(
      "entity", name, in: "in '\(place)'",
      known: model.entities.map(\.name),
      otherwise: "It has \(model.entities.map { "'\($0.name)'" }.joined(separator: ", ")).")
  }

  /// Calls `body`, and adds the place in the predicate to a `QueryError`.
  static func placed<R>(_ invocation: Invocation, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as QueryError {
      throw invocation.value(of: condition).map { error.located(in: $0) } ?? error
    }
  }

  private static func count(_ option: Option, _ invocation: Invocation) throws -> Int? {
    guard let text = invocation.value(of: option) else { return nil }
    guard let count = Int(text), count >= 0 else {
      throw CommandError.wrongUsage("--\(option.name) needs a whole number, not '\(text)'.")
    }
    return count
  }
}

/// The command `quire count`.
enum CountCommand {
  /// Returns the command. It opens stores through `reader`.
  static func command(
    _ reader: StoreReader, _ models: ModelReader = .files
  ) -> Command {
    Command(
      "count", "prints the number of objects of an entity that match a predicate",
      arguments: [.store, .entity],
      options: [
        FetchCommand.condition, .version, .storeName, .storeModel, .damaged, .format,
      ],
      examples: [
        Example(
          "quire count Trips.store Trip --where 'days > 3'", "Prints the number of such trips.")
      ]
    ) { invocation in
      let store = try reader.open(invocation[.store], invocation, models)
      let snapshot = try store.snapshot()
      try FetchCommand.checkEntity(invocation, snapshot.model)
      try show(invocation) { try store.count($0, in: snapshot) }
      return .done
    }
  }

  /// Prints the number of objects that the command line asks for.
  static func show(_ invocation: Invocation, _ count: (QueryRequest) throws -> Int) throws {
    let request = try FetchCommand.request(invocation)
    let count = try FetchCommand.placed(invocation) { try count(request) }
    let output = invocation.console.output
    switch invocation.format {
    case .text: try output.writeLine("\(count)")
    case .json: try output.writeLine(JSON.object(["count": .number(count)]))
    }
  }
}
