/// An error of a predicate, an expression or a fetch request that can't be read, compiled or run.
///
/// ```text
/// name BEGINSWTH 'Sm'
///      ^
/// error: There is no operator "BEGINSWTH". Did you mean "BEGINSWITH"?
/// ```
public struct QueryError: Error, Sendable, Hashable {
  public let code: Code
  /// The description of the fault, in sentences.
  public let message: String
  /// The text that was parsed; `nil` if the tree was not made from text.
  public internal(set) var text: String?
  /// The place of the fault in the text, in UTF-8 bytes from its start.
  public internal(set) var offset: Int?
  /// The name that the fault is about, if any.
  public let name: String?
  /// The parts of the tree that contain the fault, from the innermost to the whole tree.
  var parts: [QueryPart] = []

  /// Creates an error of the given kind.
  public init(
    _ code: Code, _ message: String, text: String? = nil, offset: Int? = nil, name: String? = nil
  ) {
    self.code = code
    self.message = message
    self.text = text
    self.offset = offset
    self.name = name
  }

  /// A kind of fault.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    /// Creates the code with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text is not a predicate or an expression.
    public static let syntax = Code(rawValue: "syntax")
    /// A placeholder without an argument, an argument without a placeholder, or an argument of an unsuitable type.
    public static let badArgument = Code(rawValue: "badArgument")
    /// The text or the tree is larger or deeper than the limits.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// The model has no entity with this name.
    public static let unknownEntity = Code(rawValue: "unknownEntity")
    /// The entity has no property with this name.
    public static let unknownProperty = Code(rawValue: "unknownProperty")
    /// The model has no fetch request template with this name.
    public static let unknownTemplate = Code(rawValue: "unknownTemplate")
    /// The types of two operands, or of an operand and its function, are incompatible.
    public static let typeMismatch = Code(rawValue: "typeMismatch")
    /// The value of a variable is missing.
    public static let missingVariable = Code(rawValue: "missingVariable")
    /// A constant part, such as `1 / 0`, has no value.
    public static let missingValue = Code(rawValue: "missingValue")
    /// An expression is not allowed in its position.
    public static let notSupported = Code(rawValue: "notSupported")
    /// A pattern is not a regular expression.
    public static let badPattern = Code(rawValue: "badPattern")
    /// Matching a text takes more steps than the limit.
    public static let patternLimit = Code(rawValue: "patternLimit")
    /// One object was requested, and there are several.
    public static let notUnique = Code(rawValue: "notUnique")
  }
}

extension QueryError: CustomStringConvertible {
  /// The message, below the line of the text and a caret if both are known.
  ///
  /// If only the tree is known, the text of the faulty part follows the message.
  public var description: String {
    if let excerpt { return "\(excerpt)\n\(message)" }
    guard text == nil, let part else { return message }
    return "\(message)\nThe part is: \(part)"
  }

  /// The line of the text with the fault, and a line with a caret below; `nil` if the place is not known.
  ///
  /// Long lines are cut to the part around the fault.
  public var excerpt: String? {
    guard let text, let offset, offset <= text.utf8.count else { return nil }
    var place = text.utf8.index(text.utf8.startIndex, offsetBy: offset)
    if let rounded = place.samePosition(in: text) {
      place = rounded
    } else {
      place = text.rangeOfCharacter(around: place)
    }
    let lineStart = text[..<place].lastIndex(where: \.isNewline).map(text.index(after:))
    let lineEnd = text[place...].firstIndex(where: \.isNewline) ?? text.endIndex
    let before = text[(lineStart ?? text.startIndex)..<place].suffix(60)
    let after = text[place..<lineEnd].prefix(60)
    let indentation = String(before.map { $0 == "\t" ? "\t" : " " })
    return "\(before)\(after)\n\(indentation)^"
  }
}

extension String {
  /// Returns the start of the character that contains an index.
  fileprivate func rangeOfCharacter(around place: Index) -> Index {
    var place = place
    while place > startIndex, place.samePosition(in: self) == nil {
      place = utf8.index(before: place)
    }
    return place
  }
}
