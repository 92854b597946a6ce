// SAFETY: The handler's place lives until `deinit`, which ends the session first.

/// Reads XML as it comes, in pieces of any size, and gives its events to a handler.
///
///     var parser = XMLPushParser(handler: ObjectCounter(object: names.id("object")), names: names)
///     while let piece = try file.read() { try parser.parse(piece.span) }
///     let count = try parser.finish().count
///
/// The text is UTF-8 or UTF-16, as its first bytes show, or ISO-8859-1 or US-ASCII, as its declaration says; any other encoding
/// is an error that names it. A document type declaration is passed over: nothing it names is loaded, and entities and default
/// attributes are refused. Nothing is fetched from disk or network, and nothing is printed. After
/// an error the parser is spent and throws the same error again.
///
/// Parsers share no state; several may run at once on different threads.
@safe
public struct XMLPushParser<Handler: XMLEventHandler>: ~Copyable {
  @usableFromInline let session: ParserSession
  @usableFromInline let handler: UnsafeMutablePointer<Handler>

  /// A parser that gives its events to `handler`.
  ///
  /// `names` is the table the handler has its name identifiers from.
  @inlinable
  public init(handler: Handler, names: XMLNames = XMLNames(), limits: XMLLimits = XMLLimits()) {
    // SAFETY: The handler lives until `deinit`, which ends the session first. The three functions
    // are made here, in inlinable code, so that the compiler specialises them to the handler's
    // type; a generic class's methods would stay unspecialised.
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
  /// - Throws: ``XMLError`` if the text is malformed, uses entities or exceeds a limit; whatever
  ///   the handler throws.
  @inlinable
  public mutating func parse(_ bytes: Span<UInt8>) throws { try session.parse(bytes) }

  /// Ends the text and gives the handler back.
  ///
  /// - Throws: ``XMLError`` if the text is incomplete; whatever the handler throws.
  @inlinable
  public consuming func finish() throws -> Handler {
    try session.finish()
    return unsafe handler.pointee
  }

  /// Ends the text, for whoever wants the handler in any case.
  ///
  /// - Throws: as ``finish()`` does.
  package mutating func end() throws { try session.finish() }

  /// The handler as the last event left it, whatever came then.
  package consuming func abandoned() -> Handler { unsafe handler.pointee }

  /// Where the parser is.
  @inlinable public var position: XMLPosition { session.position }
}

extension XMLPushParser {
  /// Parses a whole text and gives the handler back.
  ///
  /// - Throws: as ``parse(_:)`` and ``finish()`` do.
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
