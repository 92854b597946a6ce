// SAFETY: The session owns the context from its creation to `close()`, and only one thread at a time uses it.

import CLibXML2

/// A libxml2 push parser with its limits.
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

  /// The libxml2 parser; `nil` after ``close()``.
  private(set) var context: xmlParserCtxtPtr?
  /// The first error. No event is delivered after an error.
  private(set) var failure: (any Error)? { didSet { unsafe hasFailed = failure != nil } }
  // Only one thread at a time parses, and none of these properties is borrowed during a change. They are unchecked
  // because every event reads them.
  /// Whether an error has occurred.
  @exclusivity(unchecked) private(set) var hasFailed = false
  /// The number of open elements.
  @exclusivity(unchecked) var depth = 0
  /// The number of bytes of text since the last tag.
  @exclusivity(unchecked) var textByteCount = 0
  /// Converts the text to UTF-8.
  private var decoder = TextDecoder()
  /// Finds tags that exceed a limit before libxml2 reads them.
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
    // SAFETY: libxml2 copies the callbacks. It calls them only from `xmlParseChunk`, which only `push` calls, on a
    // live session. So the unretained reference is valid.
    let session = unsafe Unmanaged.passUnretained(self).toOpaque()
    guard let context = unsafe xmlCreatePushParserCtxt(&callbacks, session, nil, 0, nil) else {
      fatalError("Out of memory.")
    }
    // `HUGE` removes libxml2's fixed limits; `XMLLimits` replaces them. `NOENT` makes libxml2 deliver `&` for `&amp;`
    // in attributes, and not `&#38;`. It enables no further entities: the declaration of an entity ends the parse,
    // and no lookup succeeds. `IGNORE_ENC` makes libxml2 ignore the declared encoding, because `TextDecoder` has
    // converted the text to UTF-8.
    unsafe xmlCtxtUseOptions(
      context,
      Int32(
        XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue | XML_PARSE_NOENT.rawValue
          | XML_PARSE_IGNORE_ENC.rawValue))
    // SAFETY: The new parser has stored no string in its first table yet, so the table can be replaced. libxml2
    // releases the reference taken here when it frees the parser.
    unsafe xmlDictFree(context.pointee.dict)
    unsafe xmlDictReference(names.dictionary)
    unsafe context.pointee.dict = names.dictionary
    return unsafe context
  }

  /// Frees the parser. A second call does nothing.
  @usableFromInline
  func close() {
    // SAFETY: The session owns the context, and does not use it after this call. There is a document only if libxml2
    // created one for its own use.
    guard let context = unsafe context else { return }
    unsafe self.context = nil
    if let document = unsafe context.pointee.myDoc { unsafe xmlFreeDoc(document) }
    unsafe context.pointee.myDoc = nil
    unsafe xmlFreeParserCtxt(context)
  }
}

extension ParserSession {
  /// The size of the pieces that libxml2 gets. libxml2 scans unparsed bytes again with each piece. This size keeps
  /// that cheap, and lets ``XMLLimits/tokenByteCount`` be checked in time.
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
      // A token longer than a piece is scanned again with each piece, so the pieces grow with the token.
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
    // SAFETY: The context is valid until `close()`, which also ends the parser. The bytes are valid during the call,
    // and libxml2 copies them.
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

  /// Catches the errors that libxml2 reports to no parser (a failed character conversion, exhausted memory) and would
  /// otherwise print to standard error.
  private func withErrorsCaught(_ body: () -> Void) {
    // SAFETY: libxml2 keeps both variables for each thread, so no concurrent code sees the change.
    let handler = unsafe __xmlStructuredError()!
    let argument = unsafe __xmlStructuredErrorContext()!
    let previous = unsafe (handler.pointee, argument.pointee)
    unsafe handler.pointee = ParserSession.reportError
    unsafe argument.pointee = Unmanaged.passUnretained(self).toOpaque()
    body()
    unsafe (handler.pointee, argument.pointee) = previous
  }

  /// The number of bytes that libxml2 has received and not parsed yet.
  private var waitingByteCount: Int {
    guard let input = unsafe context?.pointee.input else { return 0 }
    // SAFETY: Both pointers are within the parser's single buffer.
    return unsafe input.pointee.end - input.pointee.cur
  }

  private func checkWaitingBytes() throws {
    if waitingByteCount > limits.tokenByteCount {
      stop(.limit("A tag or comment", limits.tokenByteCount, at: position))
    }
    if let failure { throw failure }
  }

  /// Records the first error and stops the parser.
  func stop(_ error: any Error) {
    guard failure == nil else { return }
    failure = error
    // Never called where libxml2 reports an error: libxml2 may be changing the encoding there, and would continue
    // with an input that stopping has freed.
    if let context = unsafe context { unsafe xmlStopParser(context) }
  }

  func stop(_ error: XMLError) { stop(error as any Error) }

  /// Records the first error without stopping the parser. No event is delivered afterwards, and the error is thrown
  /// after the piece.
  func record(_ error: XMLError) {
    if failure == nil { failure = error }
  }

  /// The parser's position in the text.
  @usableFromInline
  var position: XMLPosition {
    guard let input = unsafe context?.pointee.input else { return XMLPosition(line: 1, column: 1) }
    return unsafe XMLPosition(line: Int(input.pointee.line), column: Int(input.pointee.col))
  }
}
