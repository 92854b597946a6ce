/// An error in reading or writing XML, with its place.
public struct XMLError: Error, Sendable, Hashable {
  public let code: Code
  /// The description of the error, in a sentence. For malformed input the words are libxml2's.
  public let message: String
  /// The position at which reading stopped; `nil` for an error in writing.
  public let position: XMLPosition?

  /// A kind of error, for programs to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The input is not well-formed XML.
    public static let malformed = Code(rawValue: "malformed")
    /// The input declares or uses entities or default attributes, which are never expanded.
    public static let entityRefused = Code(rawValue: "entityRefused")
    /// The input is in an unsupported encoding, or declares an encoding that its first bytes contradict.
    public static let encodingRefused = Code(rawValue: "encodingRefused")
    /// The input exceeds one of the ``XMLLimits``.
    public static let limitExceeded = Code(rawValue: "limitExceeded")
    /// The text to write contains a character that XML can't represent in any form.
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
  /// The position, if known, and the message.
  public var description: String { position.map { "\($0): \(message)" } ?? message }
}

/// A position in an XML text.
public struct XMLPosition: Sendable, Hashable {
  /// The number of the line; the first is 1.
  public let line: Int
  /// The number of the byte in the line; the first is 1.
  public let column: Int

  /// Creates a position from a line and a column.
  @inlinable public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

extension XMLPosition: CustomStringConvertible {
  public var description: String { "line \(line), column \(column)" }
}

extension XMLError {
  static func limit(_ what: String, _ limit: Int, at position: XMLPosition) -> XMLError {
    XMLError(.limitExceeded, "\(what) exceeds the limit of \(limit).", at: position)
  }

  /// Returns the error for a text in an unsupported encoding.
  ///
  /// - Parameters:
  ///   - name: The encoding that the text declares.
  ///   - found: The encoding that the first bytes show; `nil` for single bytes.
  static func encoding(_ name: String, butIs found: XMLEncoding? = nil) -> XMLError {
    let known = "The supported encodings are UTF-8, UTF-16, ISO-8859-1 and US-ASCII."
    let name = name.prefix(60)
    let reason =
      if let found {
        "The text names the encoding '\(name)', but its first bytes are \(found.title)."
      } else if name.uppercased().hasPrefix("UTF-16") {
        "The text names the encoding '\(name)', but its first bytes are not UTF-16."
      } else {
        "The text is in the encoding '\(name)', which is not supported. \(known)"
      }
    return XMLError(.encodingRefused, reason, at: XMLPosition(line: 1, column: 1))
  }

  static func version(_ version: String) -> XMLError {
    XMLError(
      .malformed,
      "The text declares the version '\(version.prefix(60))' of XML, which is not a number.",
      at: XMLPosition(line: 1, column: 1))
  }

  static func badBytes(of encoding: XMLEncoding, at position: XMLPosition) -> XMLError {
    XMLError(
      .malformed,
      "Some bytes of the text are not valid \(encoding.title).",
      at: position)
  }

  static func entityDeclared(_ name: String, at position: XMLPosition) -> XMLError {
    XMLError(
      .entityRefused,
      "The entity '\(name)' is declared, but entities are refused and never expanded.",
      at: position)
  }

  static func entityUsed(_ name: String, at position: XMLPosition) -> XMLError {
    XMLError(.entityRefused, "The entity '\(name)' is used but unknown.", at: position)
  }

  static func defaultAttribute(
    _ attribute: String, of element: String, at position: XMLPosition
  ) -> XMLError {
    XMLError(
      .entityRefused,
      "The document type gives '\(attribute)' of '\(element)' a default value; default values are refused.",
      at: position)
  }

  static func unwritableCharacter(_ scalar: UInt32) -> XMLError {
    let hex = String(scalar, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: max(0, 4 - hex.count)) + hex
    return XMLError(.unwritableCharacter, "XML cannot contain the character U+\(padded).")
  }

  static func unwritableName(_ name: String) -> XMLError {
    XMLError(.unwritableName, "'\(name)' is not an XML name.")
  }
}
