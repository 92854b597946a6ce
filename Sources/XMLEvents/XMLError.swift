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
    /// The input is in an encoding that is not read, or names another one than its first bytes show.
    public static let encodingRefused = Code(rawValue: "encodingRefused")
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

  /// Returns the error for a text whose encoding is not read.
  ///
  /// - Parameters:
  ///   - name: The encoding, as the text names it.
  ///   - found: The encoding that the first bytes show; `nil` for single bytes.
  static func encoding(_ name: String, butIs found: XMLEncoding? = nil) -> XMLError {
    let known = "Encodings that are read: UTF-8, UTF-16, ISO-8859-1, US-ASCII."
    let name = name.prefix(60)
    let reason =
      if let found {
        "The text names the encoding '\(name)', and its first bytes are \(found.title)."
      } else if name.uppercased().hasPrefix("UTF-16") {
        "The text names the encoding '\(name)', and its first bytes are not UTF-16."
      } else {
        "The text is in the encoding '\(name)', which is not read. \(known)"
      }
    return XMLError(.encodingRefused, reason, at: XMLPosition(line: 1, column: 1))
  }

  static func badBytes(of encoding: XMLEncoding, at position: XMLPosition) -> XMLError {
    XMLError(
      .malformed, "The text is \(encoding.title), and some of its bytes are not.", at: position)
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
