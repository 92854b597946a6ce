// SAFETY: The context is the session's own from its making to `close()`, and is used by one thread at a
// time.

import CLibXML2

/// One libxml2 push parser: from its making to its end, with the limits it is held to.
///
/// The callbacks in `ParserSession+Callbacks.swift` find the session through libxml2's user data.
@usableFromInline
@safe
final class ParserSession {
  let names: XMLNames
  let limits: XMLLimits
  let deliverStart: (borrowing XMLStartTag) throws -> Void
  let deliverEnd: (XMLNameID) throws -> Void
  let deliverText: (Span<UInt8>) throws -> Void

  /// libxml2's parser; `nil` after ``close()``.
  private(set) var context: xmlParserCtxtPtr?
  /// The first error. Nothing more is delivered after it.
  private(set) var failure: (any Error)? { didSet { unsafe hasFailed = failure != nil } }
  // One thread at a time parses, and none of these is borrowed while it is changed: they are looked at
  // for every event.
  /// Whether there is an error.
  @exclusivity(unchecked) private(set) var hasFailed = false
  /// The number of open elements.
  @exclusivity(unchecked) var depth = 0
  /// The number of bytes of text since the last tag.
  @exclusivity(unchecked) var textByteCount = 0
  /// Turns the text into UTF-8.
  private var decoder = TextDecoder()
  /// Finds tags with more attributes than libxml2 should see.
  private var tags: TagLimits

  @usableFromInline
  init(
    names: XMLNames, limits: XMLLimits,
    start: @escaping (borrowing XMLStartTag) throws -> Void,
    end: @escaping (XMLNameID) throws -> Void,
    text: @escaping (Span<UInt8>) throws -> Void
  ) {
    self.names = names
    self.limits = limits
    deliverStart = start
    deliverEnd = end
    deliverText = text
    tags = TagLimits(limits)
    unsafe context = makeContext()
  }

  deinit { close() }

  private func makeContext() -> xmlParserCtxtPtr {
    var callbacks = unsafe ParserSession.callbacks
    // SAFETY: libxml2 copies the callbacks. It calls them only from `xmlParseChunk`, which only
    // `push` calls, on a session that is alive; so the unretained reference is good.
    let session = unsafe Unmanaged.passUnretained(self).toOpaque()
    guard let context = unsafe xmlCreatePushParserCtxt(&callbacks, session, nil, 0, nil) else {
      fatalError("Out of memory.")
    }
    // `HUGE` lifts libxml2's fixed limits, `XMLLimits` takes their place. `NOENT` has libxml2 write
    // `&` for `&amp;` in attributes, where it would write `&#38;`; it opens nothing, since any other
    // entity ends the parse where it is declared and none can be looked up. `IGNORE_ENC` has it pass
    // over the encoding that the text names: `TextDecoder` has made it UTF-8.
    unsafe xmlCtxtUseOptions(
      context,
      Int32(
        XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue | XML_PARSE_NOENT.rawValue
          | XML_PARSE_IGNORE_ENC.rawValue))
    // SAFETY: The fresh parser holds no string of its first table yet, so the tables may change
    // places; the count taken here is given back when libxml2 frees the parser.
    unsafe xmlDictFree(context.pointee.dict)
    unsafe xmlDictReference(names.dictionary)
    unsafe context.pointee.dict = names.dictionary
    return unsafe context
  }

  /// Frees the parser. Does nothing the second time.
  @usableFromInline
  func close() {
    // SAFETY: The context is this session's own and is forgotten at once. A document is only
    // there when libxml2 made one to keep its books.
    guard let context = unsafe context else { return }
    unsafe self.context = nil
    if let document = unsafe context.pointee.myDoc { unsafe xmlFreeDoc(document) }
    unsafe context.pointee.myDoc = nil
    unsafe xmlFreeParserCtxt(context)
  }
}

extension ParserSession {
  /// libxml2 scans what it has not yet parsed again with each piece; pieces of this size keep that
  /// cheap and let ``XMLLimits/tokenByteCount`` be checked in time.
  private static let pieceByteCount = 1 << 16

  @usableFromInline
  func parse(_ bytes: Span<UInt8>) throws {
    if let failure { throw failure }
    do { try decoder.decode(bytes, at: position) { try feed($0) } } catch {
      if failure == nil { failure = error }
      throw error
    }
  }

  /// Parses the next piece of the text in UTF-8.
  private func feed(_ bytes: Span<UInt8>) throws {
    var rest = bytes
    while !rest.isEmpty {
      // A token that is longer than a piece is scanned again with each: so pieces grow with it.
      let piece = rest.extracting(first: max(ParserSession.pieceByteCount, waitingByteCount / 2))
      rest = rest.extracting(droppingFirst: piece.count)
      if let excess = tags.scan(piece) {
        try push(piece.extracting(first: excess.offset), isLast: false)
        stop(
          excess.isName
            ? .limit("The number of bytes of a name", limits.nameByteCount, at: position)
            : .limit("The number of attributes", limits.attributeCount, at: position))
      }
      if let failure { throw failure }
      try push(piece, isLast: false)
      try checkWaitingBytes()
    }
  }

  @usableFromInline
  func finish() throws {
    if let failure { throw failure }
    do { try decoder.finish(at: position) { try feed($0) } } catch {
      if failure == nil { failure = error }
      throw error
    }
    let nothing: InlineArray<0, UInt8> = []
    try push(nothing.span, isLast: true)
    guard unsafe context?.pointee.wellFormed == 1 else {
      throw XMLError(.malformed, "The document is not well-formed.", at: position)
    }
  }

  private func push(_ bytes: Span<UInt8>, isLast: Bool) throws {
    if let failure { throw failure }
    // SAFETY: The context is alive until `close()`, after which the parser is gone too. The bytes
    // are there during the call, which copies them.
    guard let context = unsafe context else { preconditionFailure("The parser is closed.") }
    withErrorsCaught {
      unsafe bytes.withUnsafeBufferPointer { buffer in
        let start = unsafe UnsafeRawPointer(buffer.baseAddress)
        _ = unsafe xmlParseChunk(
          context, start?.assumingMemoryBound(to: CChar.self), Int32(buffer.count),
          isLast ? 1 : 0)
      }
    }
    if let failure { throw failure }
  }

  /// Takes the errors that libxml2 reports to no parser in particular (a failing character
  /// conversion, exhausted memory) and would print to standard error otherwise.
  private func withErrorsCaught(_ body: () -> Void) {
    // SAFETY: libxml2 keeps both variables for each thread, so nobody else sees them change.
    let handler = unsafe __xmlStructuredError()!
    let argument = unsafe __xmlStructuredErrorContext()!
    let previous = unsafe (handler.pointee, argument.pointee)
    unsafe handler.pointee = ParserSession.reportError
    unsafe argument.pointee = Unmanaged.passUnretained(self).toOpaque()
    body()
    unsafe (handler.pointee, argument.pointee) = previous
  }

  /// How many bytes libxml2 keeps that are not parsed yet.
  private var waitingByteCount: Int {
    guard let input = unsafe context?.pointee.input else { return 0 }
    // SAFETY: Both point into the parser's one buffer.
    return unsafe input.pointee.end - input.pointee.cur
  }

  private func checkWaitingBytes() throws {
    if waitingByteCount > limits.tokenByteCount {
      stop(.limit("A tag or comment", limits.tokenByteCount, at: position))
    }
    if let failure { throw failure }
  }

  /// Keeps the first error and stops the parser.
  func stop(_ error: any Error) {
    guard failure == nil else { return }
    failure = error
    // Only from the callbacks of elements and text: where libxml2 reports an error it may be in the
    // middle of a change of encoding, and goes on with an input that stopping has freed.
    if let context = unsafe context { unsafe xmlStopParser(context) }
  }

  func stop(_ error: XMLError) { stop(error as any Error) }

  /// Keeps the first error; nothing is delivered after it, and it is thrown when the piece is done.
  func note(_ error: XMLError) {
    if failure == nil { failure = error }
  }

  /// Where the parser is.
  @usableFromInline
  var position: XMLPosition {
    guard let input = unsafe context?.pointee.input else { return XMLPosition(line: 1, column: 1) }
    return unsafe XMLPosition(line: Int(input.pointee.line), column: Int(input.pointee.col))
  }
}
