// SAFETY: The memory of the handler is valid until `deinit`, which ends the session first.

/// Reads XML in pieces of any size, and delivers its events to a handler.
///
///     var parser = XMLPushParser(handler: ObjectCounter(object: names.id("object")), names: names)
///     while let piece = try file.read() { try parser.parse(piece.span) }
///     let count = try parser.finish().count
///
/// The text is UTF-8 or UTF-16 according to its first bytes, or ISO-8859-1 or US-ASCII according to its declaration.
/// An unsupported encoding is an error that names it. A document type declaration is skipped: no external part is
/// loaded, and entities and default attributes are errors. The parser accesses no disk and no network, and prints no
/// messages. After an error the parser can't continue, and throws the same error again.
///
/// Parsers share no state; several may run at once on different threads.
@safe
public struct XMLPushParser<Handler: XMLEventHandler>: ~Copyable {
  @usableFromInline let session: ParserSession
  @usableFromInline let handler: UnsafeMutablePointer<Handler>

  /// Creates a parser that delivers its events to `handler`.
  ///
  /// `names` is the table of the handler's name identifiers.
  @inlinable
  public init(handler: Handler, names: XMLNames = XMLNames(), limits: XMLLimits = XMLLimits()) {
    // SAFETY: The handler is valid until `deinit`, which ends the session first. The three closures are created in
    // inlinable code, so that the compiler specialises them to the handler's type. The methods of a generic class
    // would not be specialised.
    let place = UnsafeMutablePointer<Handler>.allocate(capacity: 1)
    unsafe place.initialize(to: handler)
    unsafe self.handler = place
    session = ParserSession(
      names: names, limits: limits,
      start: { tag in try unsafe place.pointee.start(tag) },
      end: { name in try unsafe place.pointee.end(name) },
      text: { bytes in try unsafe place.pointee.text(bytes) })
  }

  @inlinable
  deinit {
    session.close()
    unsafe handler.deinitialize(count: 1)
    unsafe handler.deallocate()
  }

  /// Parses the next piece of the text.
  ///
  /// - Throws: ``XMLError`` if the text is malformed, uses entities or exceeds a limit; the errors of the handler.
  @inlinable
  public mutating func parse(_ bytes: Span<UInt8>) throws { try session.parse(bytes) }

  /// Ends the text and returns the handler.
  ///
  /// - Throws: ``XMLError`` if the text is incomplete; the errors of the handler.
  @inlinable
  public consuming func finish() throws -> Handler {
    try session.finish()
    return unsafe handler.pointee
  }

  /// Ends the text, and keeps the handler available through ``abandoned()``.
  ///
  /// - Throws: The errors of ``finish()``.
  package mutating func end() throws { try session.finish() }

  /// Returns the handler in its state after the last event, also after an error.
  package consuming func abandoned() -> Handler { unsafe handler.pointee }

  /// The parser's position in the text.
  @inlinable public var position: XMLPosition { session.position }
}

extension XMLPushParser {
  /// Parses a whole text and returns the handler.
  ///
  /// - Throws: The errors of ``parse(_:)`` and ``finish()``.
  @inlinable
  public static func parse(
    _ bytes: Span<UInt8>, handler: Handler, names: XMLNames = XMLNames(),
    limits: XMLLimits = XMLLimits()
  ) throws -> Handler {
    var parser = XMLPushParser(handler: handler, names: names, limits: limits)
    try parser.parse(bytes)
    return try parser.finish()
  }
}
