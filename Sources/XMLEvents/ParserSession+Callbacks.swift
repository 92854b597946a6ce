// SAFETY: libxml2 calls back only from within `xmlParseChunk`, on a live session, with pointers that are valid until
// the callback returns.

import CLibXML2

// The callbacks of libxml2. Each callback finds its session, checks the limits and delivers the event.

extension ParserSession {
  /// The callbacks, as a SAX2 handler. libxml2 ignores events without a callback.
  static var callbacks: xmlSAXHandler {
    var sax = unsafe xmlSAXHandler()
    unsafe sax.initialized = UInt32(XML_SAX2_MAGIC)
    unsafe sax.startElementNs = startElement
    unsafe sax.endElementNs = endElement
    unsafe sax.characters = characters
    unsafe sax.cdataBlock = characters
    unsafe sax.ignorableWhitespace = characters
    unsafe sax.entityDecl = { user, name, _, _, _, _ in
      let session = unsafe ParserSession.at(user)
      unsafe session.stop(.entityDeclared(text(name), at: session.position))
    }
    unsafe sax.unparsedEntityDecl = { user, name, _, _, _ in
      let session = unsafe ParserSession.at(user)
      unsafe session.stop(.entityDeclared(text(name), at: session.position))
    }
    unsafe sax.reference = { user, name in
      let session = unsafe ParserSession.at(user)
      unsafe session.stop(.entityUsed(text(name), at: session.position))
    }
    unsafe sax.attributeDecl = attributeDeclared
    unsafe sax.serror = reportError
    return unsafe sax
  }

  // SAFETY: The user data of every parser is its session, see `makeContext()`.
  fileprivate static func at(_ user: UnsafeMutableRawPointer?) -> ParserSession {
    unsafe Unmanaged<ParserSession>.fromOpaque(user.unsafelyUnwrapped).takeUnretainedValue()
  }

  // SAFETY: As in `at`. The session is alive while libxml2 parses, so it need not be retained for every
  // event.
  @inline(__always)
  private static func lent(
    _ user: UnsafeMutableRawPointer?, _ body: (ParserSession) -> Void
  ) {
    unsafe Unmanaged<ParserSession>.fromOpaque(user.unsafelyUnwrapped)
      ._withUnsafeGuaranteedRef(body)
  }

  private static let startElement: startElementNsSAX2Func = {
    user, localName, prefix, _, _, _, attributeCount, _, attributes in
    unsafe lent(user) { session in
      guard unsafe !session.hasFailed, let localName = unsafe localName else { return }
      unsafe session.start(localName, prefix, Int(attributeCount), attributes)
    }
  }

  private static let endElement: endElementNsSAX2Func = { user, localName, prefix, _ in
    unsafe lent(user) { session in
      guard unsafe !session.hasFailed, let localName = unsafe localName else { return }
      unsafe session.depth -= 1
      unsafe session.textByteCount = 0
      do {
        try session.deliverEnd(unsafe XMLNameID(session.qualified(localName, prefix)))
      } catch { session.stop(error) }
    }
  }

  private static let characters: charactersSAXFunc = { user, start, count in
    unsafe lent(user) { session in unsafe session.take(start, count) }
  }

  private func take(_ start: UnsafePointer<UInt8>?, _ count: Int32) {
    let session = self
    // Text outside the root is white space; libxml2 reports anything else as an error.
    guard unsafe !session.hasFailed, unsafe session.depth > 0, count > 0 else { return }
    unsafe session.textByteCount += Int(count)
    guard unsafe session.textByteCount <= session.limits.textByteCount else {
      let limit = session.limits.textByteCount
      return session.stop(.limit("A run of text", limit, at: session.position))
    }
    do {
      // SAFETY: libxml2's buffer holds `count` bytes until the callback returns.
      try session.deliverText(unsafe Span(_unsafeStart: start.unsafelyUnwrapped, count: Int(count)))
    } catch { session.stop(error) }
  }

  private static let attributeDeclared: attributeDeclSAXFunc = {
    user, element, attribute, _, _, defaultValue, choices in
    // The receiver of the declaration must free the list of choices.
    unsafe xmlFreeEnumeration(choices)
    let session = unsafe ParserSession.at(user)
    guard unsafe defaultValue != nil else { return }
    unsafe session.stop(
      .defaultAttribute(text(attribute), of: text(element), at: session.position))
  }

  /// Records the errors of one parser, and the errors that belong to no parser (see `withErrorsCaught`).
  static let reportError: xmlStructuredErrorFunc = { user, error in
    guard let error = unsafe error?.pointee else { return }
    guard unsafe error.level.rawValue >= XML_ERR_ERROR.rawValue else { return }
    let session = unsafe ParserSession.at(user)
    let words = unsafe error.message.map { unsafe String(cString: $0) } ?? "Unknown error."
    let message = words.split(whereSeparator: \.isNewline).joined(separator: " ")
    let position =
      unsafe error.line > 0
      ? XMLPosition(line: Int(error.line), column: max(1, Int(error.int2))) : session.position
    session.record(XMLError(.malformed, message, at: position))
  }
}

extension ParserSession {
  private func start(
    _ localName: UnsafePointer<UInt8>, _ prefix: UnsafePointer<UInt8>?, _ attributeCount: Int,
    _ attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
  ) {
    unsafe depth += 1
    unsafe textByteCount = 0
    guard unsafe depth <= limits.depth else {
      return stop(.limit("The depth of elements", limits.depth, at: position))
    }
    guard attributeCount <= limits.attributeCount else {
      return stop(.limit("The number of attributes", limits.attributeCount, at: position))
    }
    // libxml2 searches all namespaces for every name with a prefix. Its table has two entries for each namespace.
    if let context = unsafe context, unsafe context.pointee.nsNr > 2 * limits.attributeCount {
      return stop(.limit("The number of namespaces", limits.attributeCount, at: position))
    }
    let tag = unsafe XMLStartTag(
      name: qualified(localName, prefix), attributes: UnsafePointer(attributes),
      attributeCount: attributeCount, position: position)
    do { try deliverStart(tag) } catch { stop(error) }
  }

  /// Returns the name as written, with its prefix, from the table of names.
  private func qualified(
    _ localName: UnsafePointer<UInt8>, _ prefix: UnsafePointer<UInt8>?
  ) -> UnsafePointer<UInt8> {
    guard let prefix = unsafe prefix else { return unsafe localName }
    // SAFETY: Both names end with a zero byte, as all names in the table do.
    return unsafe xmlDictQLookup(names.dictionary, prefix, localName) ?? localName
  }
}

// SAFETY: libxml2's names end with a zero byte.
private func text(_ name: UnsafePointer<UInt8>?) -> String {
  unsafe name.map { unsafe String(cString: $0) } ?? ""
}
