private import Foundation
import ObjectModel

// Properties: attributes, relationships and fetched properties.

extension ModelTextReader {
  /// Reads a property after its name and the colon.
  mutating func property(
    _ name: String, _ cursor: inout ModelTextCursor
  ) throws(ModelTextFault) -> Property {
    if cursor.accept("[") {
      let place = cursor.place
      let destination = try cursor.name("the name of an entity")
      try cursor.expect("]", before: "the other characteristics")
      return .relationship(
        try relationship(Relationship(name, to: destination, count: .toMany), place, &cursor))
    }
    if cursor.next == .name("fetch"), cursor.afterNext?.isNameOrText ?? false {
      cursor.skip()
      return .fetched(try fetchedProperty(name, &cursor))
    }
    if cursor.next == .name("composite"), cursor.afterNext?.isNameOrText ?? false {
      cursor.skip()
      var attribute = Attribute(name, .composite)
      attribute.compositeName = try cursor.name("the name of a composite type")
      return .attribute(try self.attribute(attribute, &cursor))
    }
    if case .name(let word) = cursor.next,
      let attribute = ModelTextType.attribute(name, word)
    {
      cursor.skip()
      return .attribute(try self.attribute(attribute, &cursor))
    }
    let place = cursor.place
    let destination = try cursor.name("a type, such as String, or the name of an entity")
    var relationship = Relationship(name, to: destination)
    relationship.isOptional = cursor.accept("?")
    return .relationship(try self.relationship(relationship, place, &cursor))
  }

  // MARK: - Attributes

  private mutating func attribute(
    _ start: Attribute, _ cursor: inout ModelTextCursor
  ) throws(ModelTextFault) -> Attribute {
    var attribute = start
    attribute.isOptional = cursor.accept("?")
    if cursor.accept("=") { attribute.defaultValue = try value(attribute, &cursor) }
    try clauses(&cursor) { (reader, cursor) throws(ModelTextFault) in
      try reader.attributeClause(&cursor, &attribute)
    }
    return attribute
  }

  private static let attributeWords =
    ["min", "max", "length", "matches", "check", "derived"]
    + Attribute.facets.compactMap(\.clause)

  private mutating func attributeClause(
    _ cursor: inout ModelTextCursor, _ attribute: inout Attribute
  ) throws(ModelTextFault) {
    let before = cursor
    let word = try cursor.name("a characteristic of the attribute")
    switch word {
    case "min" where attribute.type != .string:
      attribute.validation.minimum = try value(attribute, &cursor)
    case "max" where attribute.type != .string:
      attribute.validation.maximum = try value(attribute, &cursor)
    case "min", "max":
      throw ModelTextFault(
        before.place, "The bounds of a text are written as 'length 1...100'.")
    case "length" where attribute.type == .string:
      let (least, most) = try range(&cursor)
      attribute.validation.minimum = least.map { .integer(Int64($0)) } ?? .null
      attribute.validation.maximum = most.map { .integer(Int64($0)) } ?? .null
    case "length":
      throw ModelTextFault(
        before.place, "Only texts have a length. The bounds of a number are 'min' and 'max'.")
    case "matches":
      attribute.validation.pattern = try cursor.string("a regular expression")
    case "check": attribute.validation.predicates.append(try predicate(&cursor))
    case "derived":
      var derivation = Attribute.Derivation(try cursor.string("an expression"))
      if cursor.acceptWord("where") { derivation.filter = try cursor.string("a predicate") }
      attribute.derivation = derivation
    default:
      let isFacet = try clause(word, of: Attribute.facets, &cursor, &attribute)
      if !isFacet { throw unknown(before, "of an attribute", Self.attributeWords) }
    }
  }

  /// Reads a default value or a bound of an attribute.
  private func value(
    _ attribute: Attribute, _ cursor: inout ModelTextCursor
  ) throws(ModelTextFault) -> Value {
    let type = attribute.type
    let value: Value? =
      switch (type, cursor.next) {
      case (.boolean, .name("true")), (.undefined, .name("true")): .boolean(true)
      case (.boolean, .name("false")), (.undefined, .name("false")): .boolean(false)
      // An attribute without a type accepts values of any type.
      case (.undefined, .string(let text)): .string(text)
      case (.undefined, .number(let digits)):
        Int64(digits).map { .integer($0) } ?? Double(digits).map { .double($0) }
      case (_, .string(let text)) where type.traits.isWrittenAsText:
        ValueText.modelText.value(text, of: type)
      case (_, .number(let digits)) where type.traits.isNumber:
        ValueText.modelText.value(digits, of: type)
      // Numbers without digits, such as "inf" and "nan", are written as text.
      case (_, .string(let text))
      where type.traits.isNumber
        && !text.unicodeScalars.contains(where: { ("0"..."9").contains($0) }):
        ValueText.modelText.value(text, of: type)
      default: nil
      }
    guard let value else {
      let name = ModelText.typeName(of: attribute)
      let example = attribute.validation.isDay ? "\"2026-01-31\"" : type.traits.example
      throw cursor.fault(expecting: "a value of the type \(name), such as \(example)")
    }
    cursor.skip()
    return value
  }

  /// Reads a range of whole numbers: `1...5`, `1...`, `...5` or a single number.
  private func range(
    _ cursor: inout ModelTextCursor
  ) throws(ModelTextFault) -> (least: Int?, most: Int?) {
    if cursor.accept("...") { return (nil, try cursor.integer("a whole number")) }
    let least = try cursor.integer("a range, such as 1...100")
    guard cursor.accept("...") else { return (least, least) }
    guard case .number = cursor.next else { return (least, nil) }
    return (least, try cursor.integer("a whole number"))
  }

  private func predicate(
    _ cursor: inout ModelTextCursor
  ) throws(ModelTextFault) -> ValidationPredicate {
    var predicate = ValidationPredicate(try cursor.string("a predicate"))
    if cursor.acceptWord("message") { predicate.message = try cursor.string("the message") }
    if cursor.acceptWord("code") { predicate.code = try cursor.integer("the number of the error") }
    return predicate
  }

  // MARK: - Relationships

  /// Reads the clauses of a relationship.
  ///
  /// - Parameter place: The place of the destination's name.
  private mutating func relationship(
    _ start: Relationship, _ place: ModelTextFault.Place?, _ cursor: inout ModelTextCursor
  ) throws(ModelTextFault) -> Relationship {
    recordDestination(start.destination, place)
    do throws(ModelTextFault) { return try relationship(start, &cursor) } catch {
      var fault = error
      fault.destination = start.destination
      throw fault
    }
  }

  private mutating func relationship(
    _ start: Relationship, _ cursor: inout ModelTextCursor
  ) throws(ModelTextFault) -> Relationship {
    if cursor.next == .symbol("=") {
      throw ModelTextFault(cursor.place, "Only an attribute can have a default value.")
    }
    var relationship = start
    let isToMany = start.isToMany
    try clauses(&cursor) { (reader, cursor) throws(ModelTextFault) in
      let before = cursor
      switch try cursor.name("a characteristic of the relationship") {
      case "inverse":
        let name = try cursor.name("the name of the inverse relationship")
        relationship.inverse = name
        relationship.inverseEntity = relationship.destination
        if cursor.accept(".") {
          relationship.inverseEntity = name
          relationship.inverse = try cursor.name("the name of the inverse relationship")
        }
      case "required" where isToMany: relationship.isOptional = false
      case "required":
        throw ModelTextFault(
          before.place, "A relationship to one object is required if its type has no '?'.")
      case "delete":
        let rule = try? cursor.name("a delete rule")
        guard let known = ModelTextWords.deleteRules.first(where: { $0.word == rule }) else {
          throw ModelTextFault(
            before.place, "The delete rules are: nullify, cascade, deny and none.")
        }
        relationship.deleteRule = known.rule
      case "count":
        let (least, most) = try reader.range(&cursor)
        relationship.count = .init(minimum: least ?? 0, maximum: most ?? 0)
        if relationship.isToMany != isToMany {
          throw ModelTextFault(
            before.place,
            isToMany
              ? "A relationship with at most one object has the type '\(start.destination)?'."
              : "A relationship with more than one object has the type '[\(start.destination)]'.")
        }
      case "check": relationship.validationPredicates.append(try reader.predicate(&cursor))
      case let word:
        let facets = Relationship.facets
        guard try reader.clause(word, of: facets, &cursor, &relationship) else {
          throw reader.unknown(
            before, "of a relationship",
            ["inverse", "required", "delete", "count", "check"] + facets.compactMap(\.clause))
        }
      }
    }
    return relationship
  }

  // MARK: - Fetched properties and requests

  private mutating func fetchedProperty(
    _ name: String, _ cursor: inout ModelTextCursor
  ) throws(ModelTextFault) -> FetchedProperty {
    let request = FetchRequestTemplate(
      ModelTextWords.requestName, entity: try cursor.name("the name of an entity"))
    var property = FetchedProperty(name, request: request)
    try clauses(&cursor) { (reader, cursor) throws(ModelTextFault) in
      let before = cursor
      switch try cursor.name("a characteristic of the property") {
      case "required": property.isOptional = false
      case "named": property.request.name = try cursor.name("the name of the request")
      case let word:
        let facets = FetchedProperty.facets
        if try reader.clause(word, of: facets, &cursor, &property) { return }
        cursor = before
        try reader.requestClause(
          &cursor, &property.request, others: ["required", "named"] + facets.compactMap(\.clause))
      }
    }
    return property
  }

  /// Reads a clause of a fetch request.
  ///
  /// - Parameter others: The further words that the caller accepts, for messages.
  mutating func requestClause(
    _ cursor: inout ModelTextCursor, _ request: inout FetchRequestTemplate, others: [String]
  ) throws(ModelTextFault) {
    let before = cursor
    switch try cursor.name("a characteristic of the request") {
    case "where": request.predicate = try cursor.string("a predicate")
    case "sort":
      let isDescending = cursor.accept("-")
      var key = FetchRequestTemplate.SortKey(
        try cursor.keyPath("a key path to sort by"), isAscending: !isDescending)
      if cursor.acceptWord("by") { key.selector = try cursor.name("the name of a comparison") }
      request.sortKeys.append(key)
    case "gives":
      let word = try? cursor.name("a kind of result")
      guard let known = ModelTextWords.results.first(where: { $0.word == word }) else {
        throw ModelTextFault(
          before.place,
          "The kinds of results are: \(ModelTextWords.results.map(\.word).joined(separator: ", "))."
        )
      }
      request.resultType = known.type
    case "limit": request.fetchLimit = try cursor.integer("a whole number")
    case "offset": request.fetchOffset = try cursor.integer("a whole number")
    case "batch": request.fetchBatchSize = try cursor.integer("a whole number")
    case "distinct": request.flags.insert(.returnsDistinctResults)
    case "without":
      let word = try? cursor.name("a part of the result")
      guard let known = ModelTextWords.usualFlags.first(where: { $0.word == word }) else {
        throw ModelTextFault(
          before.place,
          "A request can be without \(ModelTextWords.usualFlags.map(\.word).joined(separator: ", "))."
        )
      }
      request.flags.remove(known.flag)
    default:
      throw unknown(
        before, "of a request",
        ["where", "sort", "gives", "limit", "offset", "batch", "distinct", "without"] + others)
    }
  }
}

extension ModelTextToken.Kind {
  fileprivate var isNameOrText: Bool {
    switch self {
    case .name, .string: true
    case .number, .symbol: false
    }
  }
}
