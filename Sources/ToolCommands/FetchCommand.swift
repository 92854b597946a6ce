import Foundation
import JSONText
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// `quire fetch`
enum FetchCommand {
  static let condition = Option(
    "where", value: "PREDICATE", "What objects must meet, in the language of NSPredicate.")
  static let sort = Option(
    "sort", value: "KEYS", "Key paths to sort by, with commas between; - before one turns it over.")
  static let limit = Option("limit", value: "COUNT", "The most objects that are shown.")
  static let offset = Option("offset", value: "COUNT", "How many objects are passed over first.")
  static let columns = Option(
    "columns", value: "PATHS",
    "What is shown of each: key paths or expressions, with commas between; all properties unless said."
  )
  static let form = Option(
    "format", value: "FORMAT", choices: ["text", "json", "jsonl", "csv"],
    "The form of the results; text unless said otherwise.")

  /// The command, over stores from the given reader.
  static func command(
    _ reader: StoreReader, _ models: ModelReader = .files
  ) -> Command {
    Command(
      "fetch", "shows the objects of an entity that meet a predicate",
      discussion: """
        Objects are shown with their identifiers: the entity's number and the object's. References to \
        other objects are such identifiers too. With jsonl each object is a line; with csv the first \
        line has the names.
        """,
      arguments: [.store, .entity],
      options: [
        condition, sort, limit, offset, columns, .version, .storeName, .storeModel, .damaged, form,
      ],
      examples: [
        Example(
          "quire fetch Trips.store Trip --where 'name CONTAINS[cd] \"lis\"' --sort=-start",
          "Shows the trips with such a name, the latest first."),
        Example(
          "quire fetch Trips.store Trip --columns 'name,stops.@count' --format csv",
          "Writes names and numbers of stops as a table for other programs."),
      ]
    ) { invocation in
      let store = try reader.open(invocation[.store], invocation, models)
      let snapshot = try store.snapshot()
      try checkEntity(invocation, snapshot.model)
      try show(invocation, snapshot.schema) { try store.table($0, in: snapshot) }
      return .done
    }
  }

  /// Shows the objects that the command line asks for.
  static func show(
    _ invocation: Invocation, _ schema: Schema, _ fetch: (FetchRequest) throws -> ResultTable
  ) throws {
    var request = try request(invocation)
    request.resultType = .dictionaries
    request.propertiesToFetch = try values(invocation, request.entity, schema)
    for key in (invocation.value(of: sort) ?? "").split(separator: ",") {
      let path = key.drop { $0 == "-" || $0 == " " }
      request.sortKeys.append(SortKey(String(path), ascending: !key.hasPrefix("-")))
    }
    request.fetchLimit = try count(limit, invocation)
    request.fetchOffset = try count(offset, invocation)
    try write(try placed(invocation) { try fetch(request) }, invocation)
  }

  /// What is asked of which objects.
  static func request(_ invocation: Invocation) throws -> FetchRequest {
    let entity = invocation[.entity]
    let text = invocation.value(of: condition)
    return FetchRequest(entity, where: try text.map { try QueryPredicate($0) })
  }

  /// Refuses an entity that the store's model does not have.
  static func checkEntity(_ invocation: Invocation, _ model: Model) throws(CommandError) {
    try checkEntity(invocation[.entity], model, in: invocation.value(of: .store) ?? "the store")
  }

  /// Refuses an entity that the store's model does not have.
  static func checkEntity(
    _ name: String, _ model: Model, in place: String
  ) throws(CommandError) {
    guard model[name] == nil else { return }
    throw .unknown(
      "entity", name, in: "in '\(place)'",
      known: model.entities.map(\.name),
      otherwise: "It has \(model.entities.map { "'\($0.name)'" }.joined(separator: ", ")).")
  }

  /// Calls `body`, and shows where in the predicate a fault is.
  static func placed<R>(_ invocation: Invocation, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as QueryError {
      throw invocation.value(of: condition).map { error.located(in: $0) } ?? error
    }
  }

  private static func count(_ option: Option, _ invocation: Invocation) throws -> Int {
    guard let text = invocation.value(of: option) else { return 0 }
    guard let count = Int(text), count >= 0 else {
      throw CommandError.wrongUsage("--\(option.name) takes a whole number, and not '\(text)'.")
    }
    return count
  }

  /// What is shown of each object: its identifier, and the columns asked for or all properties.
  private static func values(
    _ invocation: Invocation, _ entity: String, _ schema: Schema
  ) throws -> [FetchedValue] {
    let identifier = FetchedValue("id", .evaluatedObject)
    guard let text = invocation.value(of: columns) else {
      let names = schema[entity]!.columns.map(\.name).filter { !$0.contains("#") }
      return [identifier] + names.filter { $0 != "id" }.map { FetchedValue($0) }
    }
    return try [identifier]
      + separated(text).map { part in FetchedValue(part, try QueryExpression(part)) }
  }

  /// The parts between commas that are not within brackets or quotes.
  static func separated(_ text: String) -> [String] {
    var parts = [""]
    var depth = 0
    var quote: Character?
    for character in text {
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if "([{".contains(character) {
        depth += 1
      } else if ")]}".contains(character) {
        depth -= 1
      } else if character == ",", depth == 0 {
        parts.append("")
        continue
      }
      parts[parts.count - 1].append(character)
    }
    return parts.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  // MARK: - Writing

  private static func write(_ result: ResultTable, _ invocation: Invocation) throws {
    let output = invocation.console.output
    switch invocation.value(of: form) {
    case "json":
      try output.writeLine(JSON.array(result.rows.map { json($0, result.names) }).text)
    case "jsonl":
      for row in result.rows { try output.writeLine(json(row, result.names).line) }
    case "csv":
      try output.writeLine(result.names.map(quoted).joined(separator: ","))
      for row in result.rows {
        try output.writeLine(row.map { quoted(plain($0)) }.joined(separator: ","))
      }
    default:
      var table = Table()
      table.add(result.names)
      for row in result.rows { table.add(row.map { $0.isNull ? "" : Wording.text($0) }) }
      try output.write(table.text())
    }
  }

  private static func json(_ row: [Value], _ names: [String]) -> JSON {
    .members(
      zip(names, row).filter { !$1.isNull }.map { JSON.Member(name: $0, value: Wording.json($1)) })
  }

  /// The value without quotes, as a cell has it.
  private static func plain(_ value: Value) -> String {
    switch value {
    case .null: ""
    case .string(let text): text
    case .binary(let bytes): bytes.base64EncodedString()
    default: Wording.text(value)
    }
  }

  /// The text as a field of comma-separated values (RFC 4180).
  private static func quoted(_ text: String) -> String {
    guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}

/// `quire count`
enum CountCommand {
  /// The command, over stores from the given reader.
  static func command(
    _ reader: StoreReader, _ models: ModelReader = .files
  ) -> Command {
    Command(
      "count", "prints how many objects of an entity meet a predicate",
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

  /// Shows how many objects the command line asks for.
  static func show(_ invocation: Invocation, _ count: (FetchRequest) throws -> Int) throws {
    let request = try FetchCommand.request(invocation)
    let count = try FetchCommand.placed(invocation) { try count(request) }
    let output = invocation.console.output
    switch invocation.format {
    case .text: try output.writeLine("\(count)")
    case .json: try output.writeLine(JSON.object(["count": .number(count)]).text)
    }
  }
}
