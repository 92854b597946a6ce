extension QueryPredicate {
  /// Parses a predicate.
  ///
  ///     try QueryPredicate("lastName BEGINSWITH[cd] %@ AND age > %d", "sm", 40)
  ///
  /// The language is that of `NSPredicate` format strings; docs/predicates.md describes it. Placeholders take the
  /// arguments in their order: `%@` takes any value, `%K` a key path, and `%d` and similar ones a number. A value
  /// never becomes part of the text, so it needs no escapes and cannot change the predicate. Values for `$variables`
  /// are supplied later, by ``substituting(_:)``.
  ///
  /// - Throws: ``QueryError`` with the place in the text and the expected token.
  public init(_ text: String, _ arguments: (any QueryArgument)?...) throws(QueryError) {
    self = try PredicateParser.predicate(text, arguments)
  }

  /// Parses a predicate, with its arguments in an array.
  ///
  /// - Throws: ``QueryError`` with the place in the text and the expected token.
  public init(_ text: String, arguments: [(any QueryArgument)?]) throws(QueryError) {
    self = try PredicateParser.predicate(text, arguments)
  }
}

extension QueryExpression {
  /// Parses an expression.
  ///
  ///     try QueryExpression("stops.@sum.cost * %@", 1.2)
  ///
  /// - Throws: ``QueryError`` with the place in the text and the expected token.
  public init(_ text: String, _ arguments: (any QueryArgument)?...) throws(QueryError) {
    self = try PredicateParser.expression(text, arguments)
  }

  /// Parses an expression, with its arguments in an array.
  ///
  /// - Throws: ``QueryError`` with the place in the text and the expected token.
  public init(_ text: String, arguments: [(any QueryArgument)?]) throws(QueryError) {
    self = try PredicateParser.expression(text, arguments)
  }
}

extension QueryPredicate: CustomStringConvertible {
  /// The predicate as text that reads back as an equal tree.
  public var description: String {
    var printer = PredicatePrinter()
    printer.write(self)
    return printer.text
  }
}

extension QueryExpression: CustomStringConvertible {
  /// The expression as text that reads back as an equal tree.
  public var description: String {
    var printer = PredicatePrinter()
    printer.write(self)
    return printer.text
  }
}

extension QueryPredicate: Codable {
  /// Reads the predicate from its text.
  public init(from decoder: any Decoder) throws {
    self = try PredicateParser.predicate(decoder.singleValueContainer().decode(String.self), [])
  }

  /// Writes the predicate as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension QueryExpression: Codable {
  /// Reads the expression from its text.
  public init(from decoder: any Decoder) throws {
    self = try PredicateParser.expression(decoder.singleValueContainer().decode(String.self), [])
  }

  /// Writes the expression as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
