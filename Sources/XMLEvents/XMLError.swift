/// Why XML could not be read or written, and where.
public struct XMLError: Error, Sendable, Hashable {
  /// What kind of fault it is.
  public let code: Code
  /// What is wrong, in a sentence. For malformed input these are libxml2's own words.
  public let message: String
  /// Where reading stopped; `nil` when writing.
  public let position: XMLPosition?

  /// A kind of fault, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public let rawValue: String
    /// The kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The input is not well-formed XML.
    public static let malformed = Code(rawValue: "malformed")
    /// The input declares or uses entities or default attributes, which are never expanded.
    public static let entityRefused = Code(rawValue: "entityRefused")
    /// The input exceeds one of the ``XMLLimits``.
    public static let limitExceeded = Code(rawValue: "limitExceeded")
    /// The text to write holds a character that XML cannot hold in any form.
    public static let unwritableCharacter = Code(rawValue: "unwritableCharacter")
    /// The name to write is not an XML name.
    public static let unwritableName = Code(rawValue: "unwritableName")
  }

  init(_ code: Code, _ message: String, at position: XMLPosition? = nil) {
    self.code = code
    self.message = message
    self.position = position
  }
}

extension XMLError: CustomStringConvertible {
  /// The place, if known, and the sentence.
  public var description: String { position.map { "\($0): \(message)" } ?? message }
}

/// A place in an XML text.
public struct XMLPosition: Sendable, Hashable {
  /// The line; the first is 1.
  public let line: Int
  /// The column in bytes; the first is 1.
  public let column: Int

  /// The place at the given line and column.
  @inlinable public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

extension XMLPosition: CustomStringConvertible {
  /// `line 3, column 14`.
  public var description: String { "line \(line), column \(column)" }
}

extension XMLError {
  static func limit(_ what: String, _ limit: Int, at position: XMLPosition) -> XMLError {
    XMLError(.limitExceeded, "\(what) exceeds the limit of \(limit).", at: position)
  }

  static func entityDeclared(_ name: String, at position: XMLPosition) -> XMLError {
    XMLError(
      .entityRefused, "Entity '\(name)' is declared; entities are refused, never expanded.",
      at: position)
  }

  static func entityUsed(_ name: String, at position: XMLPosition) -> XMLError {
    XMLError(.entityRefused, "Entity '\(name)' is used but not known.", at: position)
  }

  static func defaultAttribute(
    _ attribute: String, of element: String, at position: XMLPosition
  ) -> XMLError {
    XMLError(
      .entityRefused,
      "The document type gives '\(element)' a default '\(attribute)'; defaults are refused.",
      at: position)
  }

  static func unwritableCharacter(_ scalar: UInt32) -> XMLError {
    let hex = String(scalar, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: max(0, 4 - hex.count)) + hex
    return XMLError(.unwritableCharacter, "XML cannot hold the character U+\(padded).")
  }

  static func unwritableName(_ name: String) -> XMLError {
    XMLError(.unwritableName, "'\(name)' is not an XML name.")
  }
}
