import CommandInterface
import DurableFiles
import Foundation
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// The request of a `fetch` command line, and the columns of its results.
struct FetchSelection {
  let request: QueryRequest
  let columns: FetchColumns
  /// The identifiers that `--id` names; `nil` without `--id`.
  let wanted: [ObjectKey]?
  private let store: StoreTag

  /// Reads the command line.
  ///
  /// - Throws: ``CommandError``, or `QueryError` for a predicate or an expression that can't be read.
  init(_ invocation: Invocation, _ model: Model, _ schema: Schema, _ store: StoreTag) throws {
    let words = FetchWords(invocation)
    self.store = store
    wanted = try FetchSelection.wanted(words)
    // Only an error in the predicate has its place there. The columns have errors of their own.
    var request = try FetchCommand.placed(invocation) { [wanted] in
      try FetchSelection.request(words, model, schema, wanted)
    }
    if let wanted {
      for key in wanted { try key.check(in: request.entity, model, schema) }
      request.predicate = FetchSelection.predicate(for: wanted, in: store)
    }
    if let predicate = request.predicate {
      request.predicate = try PredicateValues(model, of: request.entity)
        .typed(predicate, words.values)
    }
    let zone = CommandZone(invocation)
    request.predicate = request.predicate.map { zone.placed($0) }
    columns = try FetchSelection.columns(words, of: request.entity, model, schema)
    request.resultType = .dictionaries
    request.propertiesToFetch = columns.fetchedValues
    request.propertiesToGroupBy = columns.groups
    request.returnsDistinctResults = invocation.has(FetchCommand.distinct)
    if let text = invocation.value(of: FetchCommand.having) {
      guard invocation.has(FetchCommand.groups) else {
        throw CommandError.wrongUsage("--having needs --group-by.")
      }
      request.havingPredicate = try zone.groupPredicate(text)
    }
    if let text = invocation.value(of: FetchCommand.sort) {
      request.sortKeys = try FetchSelection.sortKeys(text, columns, words, zone)
    }
    self.request = request
  }

  /// Returns the sort keys of a text: paths, expressions, or names of columns, separated by commas.
  private static func sortKeys(
    _ text: String, _ columns: FetchColumns, _ words: FetchWords, _ zone: CommandZone
  ) throws -> [SortKey] {
    let lists = [FetchCommand.columns, FetchCommand.groups, FetchCommand.aggregates]
    let given = lists.flatMap { words.invocation.value(of: $0).map(NamedExpression.list) ?? [] }
    let named = columns.expressions(named: Set(given.compactMap(\.given)))
    return try FetchColumns.parts(of: text).map { part in
      let value = String(part.drop { $0 == "-" || $0 == " " })
      try refuseDirection(in: value)
      var key: SortKey
      if let expression = named[value] {
        key = SortKey(expression)
      } else if value.wholeMatch(of: /[@\p{L}_][@\p{L}\p{N}_.]*/) != nil {
        key = SortKey(value)
      } else {
        key = SortKey(try zone.expression(value))
      }
      // Groups are sorted by the column of this name, if there is one.
      if key.expression != nil { key.path = value }
      key.isAscending = !part.hasPrefix("-")
      return key
    }
  }

  /// Throws an error for a direction in the words of SQL, with the form that means the same here.
  private static func refuseDirection(in key: String) throws(CommandError) {
    guard let match = key.wholeMatch(of: /(?is)(.*\S)\s+(asc|desc|ascending|descending)\s*/) else {
      return
    }
    let sign = match.2.lowercased().hasPrefix("d") ? "-" : ""
    throw .wrongUsage(
      "The direction of a sort key is a sign before it, and not a word behind it.",
      hint: "Write --sort='\(sign)\(match.1)'. A leading - sorts in descending order.")
  }

  /// Returns the predicate that only the objects with the given keys meet.
  func predicate(for keys: [ObjectKey]) -> QueryPredicate {
    FetchSelection.predicate(for: keys, in: store)
  }

  static func predicate(for keys: [ObjectKey], in store: StoreTag) -> QueryPredicate {
    .comparison(
      .init(
        .evaluatedObject, .in,
        .aggregate(keys.map { .object(ObjectID(store: store, key: $0)) })))
  }

  /// Returns the keys of the objects that `--id` names; `nil` without `--id`.
  private static func wanted(_ words: FetchWords) throws -> [ObjectKey]? {
    guard let text = words.invocation.value(of: .identifiers) else { return nil }
    try words.refuse([FetchCommand.condition, FetchCommand.template], with: .identifiers)
    return try text.split(separator: ",").map { try ObjectKey(word: String($0)) }
  }

  /// Returns the request without columns: the entity, the predicate, and what a template adds.
  private static func request(
    _ words: FetchWords, _ model: Model, _ schema: Schema, _ wanted: [ObjectKey]?
  ) throws -> QueryRequest {
    let place = words.invocation.value(of: .store) ?? "the store"
    var request: QueryRequest
    if let name = words.invocation.value(of: FetchCommand.template) {
      try words.refuse([FetchCommand.condition], with: FetchCommand.template)
      let templates = model.description.fetchRequestTemplates.map(\.name)
      guard templates.contains(name) else {
        throw CommandError.unknown(
          "template", name, in: "in '\(place)'", known: templates,
          otherwise: templates.isEmpty
            ? "The model has no templates."
            : "It has \(templates.map { "'\($0)'" }.joined(separator: ", ")).")
      }
      request = try QueryRequest(template: name, in: model)
      if let entity = words.entity, entity != request.entity {
        throw CommandError.wrongUsage(
          "The template '\(name)' fetches objects of '\(request.entity)', not of '\(entity)'.")
      }
    } else {
      guard let entity = words.entity ?? wanted?.first.flatMap({ schema[$0.entity]?.entity }) else {
        throw CommandError.wrongUsage("Give the entity of the objects.")
      }
      try FetchCommand.checkEntity(entity, model, in: place)
      request = QueryRequest(
        entity,
        where: try words.invocation.value(of: FetchCommand.condition).map { try QueryPredicate($0) }
      )
    }
    try words.checkValues(of: request.predicate?.variables ?? [])
    return request
  }

  /// Returns the columns of the results: groups, chosen columns, or all properties.
  private static func columns(
    _ words: FetchWords, of entity: String, _ model: Model, _ schema: Schema
  ) throws -> FetchColumns {
    let paths = words.invocation.value(of: FetchCommand.columns)
    let groups = words.invocation.value(of: FetchCommand.groups)
    let aggregates = words.invocation.value(of: FetchCommand.aggregates)
    let distinct = FetchCommand.distinct
    if groups != nil || aggregates != nil {
      if let paths { throw refusal(of: paths, groups) }
      try words.refuse([distinct], with: FetchCommand.groups)
      return try FetchColumns(
        groupedBy: groups ?? "", aggregates ?? "count", of: entity, model,
        CommandZone(words.invocation))
    }
    guard let paths else {
      guard !words.invocation.has(distinct) else {
        throw CommandError.wrongUsage(
          "--distinct needs --columns.", hint: "All objects differ, because each has its own @id.")
      }
      return FetchColumns(of: entity, model, schema)
    }
    return try FetchColumns(
      paths, of: entity, model, schema, CommandZone(words.invocation),
      showsObjects: !words.invocation.has(distinct))
  }

  /// Returns the error for columns of groups, which SQL would list together, with the options that mean the same here.
  private static func refusal(of columns: String, _ groups: String?) -> CommandError {
    let keys = NamedExpression.list(groups ?? "").flatMap { [$0.text, $0.name] }
    let values = FetchColumns.parts(of: columns).filter { !keys.contains(NamedExpression($0).text) }
    var options = groups.map { ["--group-by \($0.shellWord)"] } ?? []
    if !values.isEmpty { options.append("--aggregate \(values.joined(separator: ", ").shellWord)") }
    return .wrongUsage(
      "A row of groups has no other columns than its keys and aggregates.",
      hint: "Write \(options.joined(separator: " ")).")
  }
}

/// The words after the store on the command line of a `fetch`: the entity, and values of variables as `NAME=VALUE`.
struct FetchWords {
  let invocation: Invocation
  let entity: String?
  /// The texts of the variables' values.
  let values: [String: String]

  init(_ invocation: Invocation) {
    self.invocation = invocation
    var words = invocation.values(of: FetchCommand.variables)
    if let entity = invocation.value(of: FetchCommand.entity) { words.insert(entity, at: 0) }
    let isEntity = words.first.map { !$0.contains("=") } ?? false
    entity = isEntity ? words.removeFirst() : nil
    var values: [String: String] = [:]
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].hasPrefix("$") ? parts[0].dropFirst() : parts[0]
      values[String(name)] = parts.count == 2 ? String(parts[1]) : ""
    }
    self.values = values
  }

  /// Throws an error if one of some options was given together with another option.
  func refuse(_ options: [Option], with other: Option) throws(CommandError) {
    for option in options where invocation.has(option) {
      throw .wrongUsage("Give either --\(option.name) or --\(other.name).")
    }
  }

  /// Throws an error unless each variable has a value, and each value a variable.
  func checkValues(of variables: Set<String>) throws(CommandError) {
    if let missing = variables.subtracting(values.keys).min() {
      throw .wrongUsage(
        "The variable $\(missing) has no value.", hint: "Add \(missing)=VALUE to the command.")
    }
    if let unknown = Set(values.keys).subtracting(variables).min() {
      if variables.isEmpty, !invocation.has(FetchCommand.condition) {
        let word =
          (invocation.value(of: FetchCommand.entity).map { [$0] } ?? [])
          .first { $0.hasPrefix(unknown) }
          ?? invocation.values(of: FetchCommand.variables).first { $0.hasPrefix(unknown) }
        if let sort = invocation.value(of: FetchCommand.sort),
          ["asc", "desc"].contains(unknown.lowercased())
        {
          let sign = unknown.lowercased() == "desc" ? "-" : ""
          throw .wrongUsage(
            "The direction of a sort key is a sign before it, and not a word behind it.",
            hint: "Write --sort=\(sign)\(sort). A leading - sorts in descending order.")
        }
        let condition = oneLine(word ?? unknown)
        throw .wrongUsage(
          "'\(condition)' has no option before it, and there is no predicate with a variable.",
          hint: "Write --where before a condition: --where \(condition.shellWord).")
      }
      throw .unknown(
        "variable", unknown, in: "in the predicate", known: variables.sorted(),
        otherwise: variables.isEmpty
          ? "It has no variables."
          : "It has \(variables.sorted().map { "$\($0)" }.joined(separator: ", ")).")
    }
  }
}

extension ObjectKey {
  /// Creates the key that an identifier in the form `2/p17` names.
  init(word: String) throws(CommandError) {
    let parts = word.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let entity = UInt16(parts[0]), parts[1].first == "p",
      let number = UInt64(parts[1].dropFirst()), number > 0, number <= ObjectKey.highestNumber
    else {
      throw .wrongUsage(
        "'\(word)' is not an identifier.",
        hint: "Write identifiers as 'quire fetch' prints them: 2/p17.")
    }
    self.init(entity: entity, number: number)
  }

  /// Throws an error if the key can't be the key of an object of an entity.
  func check(in entity: String, _ model: Model, _ schema: Schema) throws(CommandError) {
    guard let layout = schema[self.entity], model.entity(layout.entity, isOrInheritsFrom: entity)
    else {
      throw CommandError(.no, "'\(Wording.text(.object(self)))' is not an object of '\(entity)'.")
    }
  }
}
