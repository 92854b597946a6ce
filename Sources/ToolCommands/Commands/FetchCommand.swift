import CommandInterface
import DurableFiles
import Foundation
import JSONText
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// The command `quire fetch`.
enum FetchCommand {
  static let entity = Argument(
    "ENTITY",
    "The entity of the objects. The objects of its subentities are included. Without an entity, the "
      + "command lists the entities.", isRequired: false, kind: .entity)
  static let variables = Argument(
    "NAME=VALUE", "The value of a variable in the predicate, such as DATE=today.",
    isRequired: false, isRepeating: true, kind: .variables)
  static let condition = Option(
    "where", value: "PREDICATE", kind: .predicate,
    "The condition for the objects, in the syntax of NSPredicate.")
  static let template = Option(
    "template", value: "NAME", kind: .template,
    "A fetch request template of the model, in place of a predicate.")
  static let sort = Option(
    "sort", value: "KEYS", kind: .sortKeys,
    "The key paths, expressions or names of columns to sort by, separated by commas. A leading - sorts in descending "
      + "order. relevance begins with the objects whose texts answer TEXT best.")
  static let limit = Option(
    "limit", value: "COUNT", "The maximum number of objects; 0 shows no objects.")
  static let offset = Option("offset", value: "COUNT", "The number of objects to skip.")
  static let all = Option(
    "all", "Shows all objects on a terminal, and not only as many as the terminal has lines.")
  static let pager = Option(
    "pager", "Shows all objects in the program that PAGER names, or in less.")
  static let columns = Option(
    "columns", value: "PATHS", kind: .keyPaths,
    "The key paths or expressions to show, separated by commas. AS NAME behind an expression names its column. The "
      + "default is all properties.")
  static let distinct = Option(
    "distinct", "Shows each combination of the values of --columns once, without identifiers.")
  static let groups = Option(
    "group-by", value: "PATHS", kind: .keyPaths,
    "The key paths or expressions whose values define groups, separated by commas, each perhaps with AS NAME. Each "
      + "group is one row.")
  static let aggregates = Option(
    "aggregate", value: "VALUES", kind: .aggregates,
    "The values of each group, separated by commas: count, sum(VALUE), avg(VALUE), min(VALUE), "
      + "max(VALUE), each perhaps with AS NAME. The default is count. Without --group-by all objects are one group."
  )
  static let having = Option(
    "having", value: "PREDICATE", kind: .predicate,
    "The condition for groups, such as 'count() > 3'.")
  static let form = Option(
    "format", value: "FORMAT",
    choices: ["text", "table", "line", "markdown", "json", "jsonl", "csv", "arrow"],
    "The format of the results. The default is table, and text is another name for it.")

  static let ids = Option("ids", "With csv, begins each line with the identifier of its object.")
  static let numbers = Option(
    "numbers",
    "With json and jsonl, writes decimals as numbers. A program may read them with fewer digits.")

  /// The options that select and arrange the results of a store.
  static let options = [
    condition, template, .identifiers, sort, limit, offset, all, pager, columns, distinct, groups,
    aggregates, having, .zone, ids, numbers,
  ]

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

        On a terminal a table shows as many objects as the terminal has lines, and the last line says how \
        many more there are. Long values end with an ellipsis, and a to-many relationship is the number of \
        its objects. --all, --pager and --limit show more objects, and --format line shows whole values.

        A text that is compared with a date is a date: ISO 8601, today, yesterday, now, -3d, +2h. A value of \
        a variable in the predicate has the type of the property that it is compared with.

        Dates are computed with: YEAR(start), MONTH, DAY, WEEKDAY, HOUR and the like are numbers, \
        TRUNC(start, "month") is the first moment of the month, and now() - 30d is thirty days ago. The functions \
        read dates in UTC, or in the zone of --zone. docs/predicates.md lists all functions.

        TEXT looks for words: 'body TEXT "lisbon tram* -bus"'. Tables, lines and Markdown show up to 160 characters \
        around the words found, each in square brackets. With --sort relevance, the texts come first in which the \
        words are frequent, and words that are rare in all texts count more. This reads the texts of all objects.

        With jsonl each object is one line of JSON. With arrow a program gets columns with their types. With csv the first line contains the column names, \
        and --ids adds the identifiers. 'quire import' reads both if each column is a property. JSON contains the entity as \
        @entity, and decimals as text to keep all digits, or as numbers with --numbers. Tables show text in quotes, with \\ before quotes and \
        backslashes, and the first eight objects of a to-many relationship.

        On a terminal, control characters are escaped in every format. Files and pipes receive the text \
        unchanged.
        """,
      arguments: [.store, entity, variables],
      options: options + [.explain, .version, .storeName, .storeModel, .damaged, form],
      examples: [
        Example(
          "quire fetch Trips.store Trip --where 'name CONTAINS[cd] \"lis\"' --sort -start",
          "Shows the trips with 'lis' in their names, the latest first."),
        Example(
          "quire fetch Trips.store Trip --where 'start > \"-30d\"'",
          "Shows the trips of the last thirty days."),
        Example(
          "quire fetch Trips.store Trip --where 'start > \"-30d\"' --explain",
          "Shows the index or the scan that finds the trips, the rows that are read, and the time."),
        Example(
          "quire fetch Trips.store Trip --where 'name TEXT \"lisbon week*\"' --sort relevance",
          "Shows the trips with both words in their names, the best answers first, and marks the words."
        ),
        Example(
          "quire fetch Trips.store Stop --group-by trip.name --aggregate 'count, sum(nights)'",
          "Shows the number of stops and the sum of the nights of each trip."),
        Example(
          "quire fetch Trips.store Trip --group-by 'MONTH(start) AS month' --sort month",
          "Counts the trips of each month."),
        Example(
          "quire fetch Trips.store Trip --columns 'name, budget/7 AS week' --sort -week",
          "Shows a computed value of each trip, the highest first."),
        Example(
          "quire fetch Trips.store --template tripsAfter DATE=today",
          "Shows the objects that a fetch request template of the model describes."),
        Example(
          "quire fetch Trips.store Trip --columns 'name,stops.@count' --format csv",
          "Writes the names and the numbers of stops as a table for other programs."),
      ]
    ) { invocation in
      let path = invocation[.store]
      guard asksForObjects(invocation) else {
        try EntityCounts.show(
          try reader.isDocument(path) && !invocation.has(.storeName)
            ? InfoCommand.counts(in: reader.document(path, toRead: invocation))
            : EntityCounts.all(in: reader.open(path, invocation, models)), invocation)
        return .done
      }
      let store = try reader.open(path, invocation, models)
      let snapshot = try store.snapshot()
      try show(invocation, try snapshot.model, snapshot.schema, store.tag) {
        try store.count($0, in: snapshot)
      } fetch: { request, body in
        try store.forEachPart(of: request, in: snapshot, rowCount: partRowCount, body)
      } explain: {
        try store.explain($0, in: snapshot)
      }
      return .done
    }
  }

  /// Returns the name of the entity that the command line of a fetch asks for; `nil` if it names none.
  static func entityName(_ invocation: Invocation, _ model: Model) -> String? {
    if let name = FetchWords(invocation).entity { return name }
    let template = invocation.value(of: template)
    return model.description.fetchRequestTemplates.first { $0.name == template }?.entity
  }

  /// Whether the command line names objects in any way.
  static func asksForObjects(_ invocation: Invocation) -> Bool {
    invocation.value(of: entity) != nil || invocation.has(template) || invocation.has(.identifiers)
  }

  /// Prints the objects that the command line asks for, one part of the results after another.
  ///
  /// - Parameters:
  ///   - count: Counts the objects of a request.
  ///   - fetch: Fetches a request, and calls its second argument with each part of the results.
  ///   - explain: Answers a request, and returns the way and the work.
  static func show(
    _ invocation: Invocation, _ model: Model, _ schema: Schema, _ store: StoreTag,
    count: (QueryRequest) throws -> Int,
    fetch: (QueryRequest, (ResultTable, ViewSource) throws -> Void) throws -> Void,
    explain: (QueryRequest) throws -> QueryExplanation
  ) throws {
    let selection = try FetchSelection(invocation, model, schema, store)
    try placed(invocation) {
      if invocation.has(.explain) {
        return try ExplainOutput.show(explain(selection.request), invocation)
      }
      try Pager.show(invocation.has(pager), on: invocation.console) { console in
        try FetchPrinting(selection, invocation, on: console, model, schema)
          .run(count: count, fetch: fetch)
      }
    }
  }

  /// The number of rows in one part of the results.
  static let partRowCount = 512

  /// Returns the request of the command line: an entity and a predicate.
  static func request(_ invocation: Invocation, _ model: Model) throws -> QueryRequest {
    let entity = invocation[.entity]
    return QueryRequest(
      entity,
      where: try invocation.value(of: condition).map {
        try CommandZone(invocation).placed(
          PredicateValues(model, of: entity).typed(QueryPredicate($0)))
      })
  }

  /// Returns the names of the entities that an option lists, with their subentities; `nil` without the option.
  static func families(
    of option: Option, _ model: Model, _ invocation: Invocation
  ) throws -> Set<String>? {
    guard let text = invocation.value(of: option) else { return nil }
    var names: Set<String> = []
    for name in text.split(separator: ",").map(String.init) {
      try checkEntity(name, model, in: invocation[.store])
      names.formUnion(model.family(of: name).map(\.name))
    }
    return names
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
    if name.wholeMatch(of: /[0-9]+\/p[0-9]+/) != nil {
      throw .wrongUsage("'\(name)' is an identifier.", hint: "Write --id \(name).")
    }
    let path = name.split(separator: ".").map(String.init)
    if path.count > 1, model[path[0]] != nil {
      let rest = path.dropFirst().joined(separator: ".")
      throw .wrongUsage(
        "'\(oneLine(name))' is not an entity of '\(place)', but may be a path.",
        hint: "Write \(path[0]) --columns \(oneLine(rest).shellWord).")
    }
    throw .unknown(
      "entity", name, in: "in '\(place)'",
      known: model.entities.map(\.name),
      otherwise: "It has \(model.entities.map { "'\($0.name)'" }.joined(separator: ", ")).")
  }

  /// Calls `body`, and adds the place in the predicate, or in another expression of the command line, to a `QueryError`.
  static func placed<R>(_ invocation: Invocation, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as QueryError {
      if error.name == "propertiesToGroupBy" {
        throw CommandError.wrongUsage(
          "A row shows one object, and an aggregate has the values of many objects.",
          hint: "Write --aggregate in place of --columns. --group-by adds a row for each group.")
      }
      // An error of the syntax has its place already.
      guard error.offset == nil else { throw error }
      let predicate = invocation.value(of: condition)
      let lists = [columns, groups, aggregates, sort].compactMap { invocation.value(of: $0) }
      var texts = [predicate, invocation.value(of: having)].compactMap(\.self)
      texts += lists.flatMap { NamedExpression.list($0).map(\.text) }
      for text in texts {
        let placed = error.located(in: text)
        if placed.offset != nil { throw placed }
      }
      throw predicate.map { error.located(in: $0) } ?? error
    }
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
        FetchCommand.condition, .zone, .explain, .version, .storeName, .storeModel, .damaged,
        .format,
      ],
      examples: [
        Example(
          "quire count Trips.store Trip --where 'stops.@count > 2'",
          "Prints the number of such trips.")
      ]
    ) { invocation in
      let store = try reader.open(invocation[.store], invocation, models)
      let snapshot = try store.snapshot()
      try FetchCommand.checkEntity(invocation, snapshot.model)
      try show(invocation, snapshot.model) {
        try store.count($0, in: snapshot)
      } explain: {
        try store.explain($0, in: snapshot)
      }
      return .done
    }
  }

  /// Prints the number of objects that the command line asks for.
  static func show(
    _ invocation: Invocation, _ model: Model, _ count: (QueryRequest) throws -> Int,
    explain: (QueryRequest) throws -> QueryExplanation
  ) throws {
    if invocation.has(.explain) {
      return try FetchCommand.placed(invocation) {
        var request = try FetchCommand.request(invocation, model)
        request.resultType = .count
        try ExplainOutput.show(explain(request), invocation)
      }
    }
    let (count, predicate) = try FetchCommand.placed(invocation) {
      let request = try FetchCommand.request(invocation, model)
      return (try count(request), request.predicate)
    }
    if count == 0 { try ForeignPattern.note(predicate, on: invocation.console) }
    let output = invocation.console.output
    switch invocation.format {
    case .text: try output.writeLine("\(count)")
    case .json: try output.writeLine(JSON.object(["count": .number(count)]))
    }
  }
}
