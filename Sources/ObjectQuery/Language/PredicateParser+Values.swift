import Foundation
import ObjectModel
import TextMatching

extension PredicateParser {
  mutating func literal(
    _ expression: QueryExpression, _ start: Int
  ) throws(QueryError) -> Part {
    var part = try made(.expression(expression), above: [], at: start)
    part.isLiteral = true
    return part
  }

  /// Reads a value with its suffixes: `.name`, `[FIRST]`.
  mutating func postfixed() throws(QueryError) -> Part {
    var part = try primary()
    var path: [String] = []
    // A path of any length is one part, so all names are collected first.
    func closed(_ part: Part, _ parser: inout PredicateParser) throws(QueryError) -> Part {
      guard !path.isEmpty else { return part }
      let base = try parser.expression(part)
      return try parser.made(
        .expression(.keyPath(of: base, path)), above: [part], at: part.start)
    }
    if case .expression(.keyPath(of: .evaluatedObject, let names)) = part.kind, !part.isLiteral,
      part.isOpenPath
    {
      path = names
      part.kind = .expression(.evaluatedObject)
    }
    while true {
      if try take(".") {
        switch token {
        case .word(let word, _): path.append(word)
        case .operation(let name): path.append(name)
        case .placeholder("K"):
          guard case .keyPath(of: .evaluatedObject, let names) = try argument(for: "K") else {
            throw unexpected("a name")
          }
          path += names
        default: throw unexpected("a name after the dot")
        }
        try advance()
      } else if isSign("[") {
        part = try closed(part, &self)
        path = []
        try advance()
        part = try element(of: part)
      } else {
        return try closed(part, &self)
      }
    }
  }

  private mutating func element(of collection: Part) throws(QueryError) -> Part {
    let base = try expression(collection)
    var parts = [collection]
    let index: QueryExpression.Index
    switch keyword(among: ["FIRST", "LAST", "SIZE"]) {
    case "FIRST"?: index = .first
    case "LAST"?: index = .last
    case "SIZE"?: index = .size
    default:
      let place = try argument()
      parts.append(place)
      index = .at(try expression(place))
      try need("]", "after the index of the element")
      return try made(
        .expression(.element(of: base, index)), above: parts, at: collection.start)
    }
    try advance()
    try need("]", "after the index of the element")
    return try made(.expression(.element(of: base, index)), above: parts, at: collection.start)
  }

  private mutating func primary() throws(QueryError) -> Part {
    let start = start
    switch token {
    case .integer(let number):
      try advance()
      return try literal(
        .constant(Int64(exactly: number).map { .integer($0) } ?? .double(Double(number))), start)
    case .real(let number):
      try advance()
      return try literal(.constant(.double(number)), start)
    case .string(let text):
      try advance()
      return try literal(.constant(.string(text)), start)
    case .variable(let name):
      try advance()
      return try made(.expression(.variable(name)), above: [], at: start)
    case .placeholder(let letter):
      let expression = try argument(for: letter)
      try advance()
      var part = try made(.expression(expression), above: [], at: start)
      part.isOpenPath = letter == "K"
      part.depth = expression.depth
      return part
    case .operation(let name):
      try advance()
      var part = try made(
        .expression(.keyPath(of: .evaluatedObject, [name])), above: [], at: start)
      part.isOpenPath = true
      return part
    case .sign("("):
      try advance()
      var inner = try argument()
      if isSign(",") {
        let place = start
        let list = try list(after: inner)
        throw fault(
          "A list of values is written in braces: {\(list)}. Round brackets hold one value.", place)
      }
      try need(")", "to close the bracket")
      inner.start = start
      inner.isLiteral = false
      inner.isOpenPath = false
      inner.isBracketed = true
      return inner
    case .sign("{"): return try aggregate()
    case .word(let word, let isName): return try self.word(word, isName: isName)
    default: throw unexpected("a value")
    }
  }

  private mutating func aggregate() throws(QueryError) -> Part {
    let start = start
    try advance()
    let parts = try list(until: "}")
    var expressions: [QueryExpression] = []
    for part in parts { expressions.append(try expression(part)) }
    return try made(.expression(.aggregate(expressions)), above: parts, at: start)
  }

  /// Reads values separated by commas, including the closing sign.
  private mutating func list(until end: String) throws(QueryError) -> [Part] {
    var parts: [Part] = []
    if try take(end) { return [] }
    while true {
      parts.append(try argument())
      if try take(end) { return parts }
      guard try take(",") else { throw unexpected("\",\" or \"\(end)\"") }
    }
  }

  // MARK: - Words

  private mutating func word(_ word: String, isName: Bool) throws(QueryError) -> Part {
    let start = start
    if !isName {
      if let part = try constant(word.uppercased(), start) { return part }
      let name = functionName(word)
      try advance()
      if isSign("(") { return try call(name, start) }
      if Self.reserved.contains(word.uppercased()) {
        throw fault(misplaced(word), start)
      }
    } else {
      try advance()
    }
    var part = try made(
      .expression(.keyPath(of: .evaluatedObject, [word])), above: [], at: start)
    part.isOpenPath = true
    return part
  }

  private mutating func constant(
    _ keyword: String, _ start: Int
  ) throws(QueryError) -> Part? {
    let kind: Part.Kind
    switch keyword {
    case "TRUE", "YES": kind = .expression(.constant(.boolean(true)))
    case "FALSE", "NO": kind = .expression(.constant(.boolean(false)))
    case "NULL", "NIL": kind = .expression(.null)
    case "SELF": kind = .expression(.evaluatedObject)
    case "TRUEPREDICATE": kind = .predicate(.constant(true))
    case "FALSEPREDICATE": kind = .predicate(.constant(false))
    default: return nil
    }
    try advance()
    return try made(kind, above: [], at: start)
  }

  /// The words that are names only after a `#`.
  static let reserved: Set<String> = [
    "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH",
    "ENDSWITH", "LIKE", "MATCHES", "TRUEPREDICATE", "FALSEPREDICATE", "TRUE", "FALSE", "YES", "NO",
    "NULL", "NIL", "SELF", "UNION", "INTERSECT", "MINUS",
  ]

  // MARK: - Calls

  /// Reads a call: a function, or a language form that looks like one.
  private mutating func call(_ name: String, _ start: Int) throws(QueryError) -> Part {
    try advance()
    switch name.uppercased() {
    case "AND": return try join(start) { .and($0) }
    case "OR": return try join(start) { .or($0) }
    case "CAST": return try cast(start)
    case "SUBQUERY": return try subquery(start)
    case "TERNARY": return try ternary(start)
    case "FUNCTION": return try method(start)
    case "FETCH": return try fetch(start)
    case "NONE", "ANY", "SOME", "ALL", "NOT":
      throw fault(misplaced(name), start)
    default: break
    }
    guard let function = QueryExpression.Function(name: name) else {
      var suggestion = NameSuggestion()
      throw fault(
        "The function \"\(name)\" is unknown."
          + suggestion.sentence(for: name, among: QueryExpression.Function.suggestions), start)
    }
    let parts = try list(until: ")")
    var arguments: [QueryExpression] = []
    for part in parts { arguments.append(try expression(part)) }
    return try made(.expression(.function(function, arguments)), above: parts, at: start)
  }

  /// Reads `AND(…)` and `OR(…)`, the printed form of trees with fewer than two parts.
  private mutating func join(
    _ start: Int, _ join: ([QueryPredicate]) -> QueryPredicate
  ) throws(QueryError) -> Part {
    let parts = try list(until: ")")
    var predicates: [QueryPredicate] = []
    for part in parts { predicates.append(try predicate(part)) }
    return try made(.predicate(join(predicates)), above: parts, at: start)
  }

  /// Reads a list of values in round brackets, as SQL has it, and returns the values as a text.
  private mutating func list(after first: Part) throws(QueryError) -> String {
    var values = [try expression(first)]
    while isSign(",") {
      try advance()
      values.append(try expression(argument()))
    }
    return values.map(\.description).joined(separator: ", ")
  }

  /// Reads any part, one level deeper.
  private mutating func argument() throws(QueryError) -> Part {
    try goDeeper()
    let part = try part(.or)
    depth -= 1
    return part
  }

  private mutating func cast(_ start: Int) throws(QueryError) -> Part {
    let value = try argument()
    try need(",", "and a type after the value to cast")
    guard case .string(let name) = token else { throw unexpected("the name of a type, in quotes") }
    guard let type = QueryExpression.CastType(name: name) else {
      var suggestion = NameSuggestion()
      throw fault(
        "The type \"\(name)\" of a cast is unknown."
          + suggestion.sentence(for: name, among: QueryExpression.CastType.allCases.map(\.rawValue)),
        self.start)
    }
    try advance()
    try need(")", "after the type")
    let inner = try expression(value)
    // A literal is cast immediately: dates and similar values are written this way.
    if value.isLiteral, case .constant(let constant) = inner,
      let made = QueryExpression(literal: constant, as: type)
    {
      return try self.made(.expression(made), above: [], at: start)
    }
    return try made(.expression(.cast(inner, type)), above: [value], at: start)
  }

  private mutating func subquery(_ start: Int) throws(QueryError) -> Part {
    let collection = try argument()
    try need(",", "after the collection")
    guard case .variable(let name) = token else {
      throw unexpected("a variable such as $x for the collection's objects")
    }
    try advance()
    try need(",", "after the variable")
    let condition = try argument()
    let predicate = try predicate(condition)
    try need(")", "after the predicate")
    return try made(
      .expression(.subquery(try expression(collection), variable: name, predicate)),
      above: [collection, condition], at: start)
  }

  private mutating func ternary(_ start: Int) throws(QueryError) -> Part {
    let condition = try argument()
    let predicate = try predicate(condition)
    try need(",", "after the predicate")
    let then = try argument()
    try need(",", "after the first value")
    let otherwise = try argument()
    try need(")", "after the second value")
    return try made(
      .expression(.conditional(predicate, try expression(then), try expression(otherwise))),
      above: [condition, then, otherwise], at: start)
  }

  private mutating func method(_ start: Int) throws(QueryError) -> Part {
    let target = try argument()
    try need(",", "and the name of a method after the value")
    guard case .string(let name) = token else {
      throw unexpected("the name of a method, in quotes")
    }
    try advance()
    var parts: [Part] = []
    if try take(",") {
      parts = try list(until: ")")
    } else {
      try need(")", "after the name of the method")
    }
    var arguments: [QueryExpression] = []
    for part in parts { arguments.append(try expression(part)) }
    return try made(
      .expression(.call(try expression(target), name, arguments)), above: [target] + parts,
      at: start)
  }

  /// Reads `FETCH(%@, %@, NO)`, as in Core Data, and `FETCH("Trip", predicate, NO)`.
  private mutating func fetch(_ start: Int) throws(QueryError) -> Part {
    let request = try argument()
    try need(",", "after the request")
    let second = try argument()
    try need(",", "and YES (count only) or NO after the context or predicate")
    let last = try argument()
    guard case .expression(.constant(.boolean(let countOnly))) = last.kind else {
      throw fault("YES (count only) or NO is expected here.", last.start)
    }
    try need(")", "after YES or NO")
    switch (try expression(request), second.kind) {
    case (.constant(.string(let entity)), .predicate(let predicate)):
      return try made(
        .expression(.fetch(entity: entity, predicate, countOnly: countOnly)), above: [second],
        at: start)
    case (.fetch(let entity, let predicate, _), .expression):
      return try made(
        .expression(.fetch(entity: entity, predicate, countOnly: countOnly)), above: [request],
        at: start)
    default:
      throw fault(
        "FETCH needs a request and a context, or the name of an entity and a predicate, and then YES or NO.",
        request.start, .badArgument)
    }
  }
}

// MARK: - Names

extension QueryExpression.CastType {
  static let names: [String: QueryExpression.CastType] = {
    var names = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    let others: [String: QueryExpression.CastType] = [
      "Date": .date, "String": .string, "Decimal": .decimal, "Double": .number, "Int": .number,
      "UUID": .uuid, "URL": .uri, "Data": .binary, "ObjectID": .object,
    ]
    names.merge(others) { one, _ in one }
    return names
  }()

  init?(name: String) {
    guard let type = Self.names[name] else { return nil }
    self = type
  }
}
