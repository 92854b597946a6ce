/// A part of a tree: a predicate or an expression.
enum QueryPart: Sendable, Hashable {
  case predicate(QueryPredicate)
  case expression(QueryExpression)

  var text: String {
    switch self {
    case .predicate(let predicate): predicate.description
    case .expression(let expression): expression.description
    }
  }
}

extension QueryError {
  /// The part of the predicate or expression with the fault, as text; `nil` if the fault is in a text or a request.
  public var part: String? { parts.first.map { String($0.text.prefix(200)) } }

  /// Returns the error with one more part of the tree around the fault.
  func within(_ part: QueryPart) -> QueryError {
    var error = self
    error.parts.append(part)
    return error
  }

  /// Returns the error of an unknown name with a sentence about quotes, if the name may be meant as a text.
  func suggestingQuotes(
    around expression: QueryExpression, comparedWith type: OperandType
  ) -> QueryError {
    guard code == .unknownProperty, case .keyPath(of: .evaluatedObject, let path) = expression,
      path.count == 1, path.first == name
    else { return self }
    let advice: String
    switch type.element {
    case .text, .date, .uuid: advice = "A text is written in quotes: \"\(path[0])\"."
    case .number: advice = "It is compared with a number, and a number is written in digits."
    default: return self
    }
    var error = QueryError(code, "\(message) \(advice)", text: text, offset: offset, name: name)
    error.parts = parts
    return error
  }

  /// Returns the error with its place in the text that the tree was made from.
  ///
  /// A tree does not contain its text. Faults of names, types and values are found when the tree is bound to a model,
  /// and this method finds their places afterwards.
  ///
  /// - Parameter arguments: The values of the placeholders in the text, in their order.
  public func located(in text: String, _ arguments: (any QueryArgument)?...) -> QueryError {
    located(in: text, arguments: arguments)
  }

  /// Returns the error with its place in the text that the tree was made from.
  ///
  /// - Parameter arguments: The values of the placeholders in the text, in their order.
  public func located(
    in text: String, arguments: [(any QueryArgument)?]
  ) -> QueryError {
    var error = self
    error.text = text
    guard offset == nil else { return error }
    let place = PlacedParts(text, arguments)?.place(of: parts)
    error.offset = name.flatMap { PlacedParts.offset(ofName: $0, in: text, place) }
    if error.offset == nil, let place {
      error.offset = code == .typeMismatch ? place.operatorStart : place.start
    }
    return error
  }
}

/// The parts of a text with their places, found by parsing the text again.
private struct PlacedParts {
  private let places: [PredicateParser.Place]

  /// Parses the text; `nil` if it is neither a predicate nor an expression.
  init?(_ text: String, _ arguments: [(any QueryArgument)?]) {
    guard let places = try? PredicateParser.places(text, arguments) else { return nil }
    self.places = places
  }

  /// Returns the place of the innermost part that the text contains.
  ///
  /// If several parts are equal, the one enclosed by the most of the outer parts wins, because equal texts may refer
  /// to objects of different entities.
  func place(of parts: [QueryPart]) -> PredicateParser.Place? {
    for (index, part) in parts.enumerated() {
      let candidates = places.filter { $0.part == part }
      guard candidates.count > 1 else {
        if let only = candidates.first { return only }
        continue
      }
      let outer = Set(parts[(index + 1)...])
      let around = places.filter { outer.contains($0.part) }
      func score(_ place: PredicateParser.Place) -> Int {
        around.count { $0.start <= place.start && place.end <= $0.end }
      }
      let best = candidates.prefix(64).map { (place: $0, score: score($0)) }
      let most = best.map(\.score).max()
      return best.filter { $0.score == most }.map(\.place).min { $0.start < $1.start }
    }
    return nil
  }

  /// Returns the first occurrence of a name in a part of the text, or in the whole text.
  static func offset(
    ofName name: String, in text: String, _ place: PredicateParser.Place?
  ) -> Int? {
    var lexer = PredicateLexer(text)
    while true {
      let start = lexer.skipSpace()
      guard let token = try? lexer.next(), token != .end else { return nil }
      if let place, start < place.start || start >= place.end { continue }
      switch token {
      case .word(name, _), .operation(name), .variable(name), .string(name): return start
      default: continue
      }
    }
  }
}
