// SAFETY: A tag is created in a callback of libxml2 and can't outlive it. The pointers are valid until the callback
// returns.

/// A receiver of the events of an XML text, in the order of the text.
///
///     struct ObjectCounter: XMLEventHandler {
///       let object: XMLNameID
///       var count = 0
///
///       mutating func start(_ tag: borrowing XMLStartTag) throws {
///         if tag.name == object { count += 1 }
///       }
///       mutating func end(_ name: XMLNameID) throws {}
///       mutating func text(_ bytes: Span<UInt8>) throws {}
///     }
///
/// If a handler throws an error, the parser stops and rethrows it. Comments and processing instructions are ignored.
public protocol XMLEventHandler {
  /// Handles the start of an element. The tag is valid until the call returns.
  mutating func start(_ tag: borrowing XMLStartTag) throws
  /// Handles the end of the element of the given name.
  mutating func end(_ name: XMLNameID) throws
  /// Handles text in UTF-8. A run of text may come in several pieces, split anywhere.
  mutating func text(_ bytes: Span<UInt8>) throws
}

/// The start tag of an element, with its name, attributes and position.
///
/// Values are read in the parser's memory. They are copied only when a `String` is requested.
@safe
public struct XMLStartTag: ~Escapable {
  /// The position of the tag's end.
  public let position: XMLPosition
  public let attributeCount: Int
  public let name: XMLNameID
  @usableFromInline let nameStart: UnsafePointer<UInt8>
  /// libxml2's array: local name, prefix, URI, start and end of the value for each attribute.
  @usableFromInline let attributes: UnsafePointer<UnsafePointer<UInt8>?>?

  // SAFETY: libxml2 owns the pointers, which are valid until its callback returns. The parser creates a tag only
  // there, and lends it to the handler, which can't keep it.
  @_lifetime(immortal)
  init(
    name: UnsafePointer<UInt8>, attributes: UnsafePointer<UnsafePointer<UInt8>?>?,
    attributeCount: Int, position: XMLPosition
  ) {
    self.position = position
    self.attributeCount = attributeCount
    unsafe self.name = XMLNameID(name)
    unsafe self.nameStart = name
    unsafe self.attributes = attributes
  }
}

extension XMLStartTag {
  /// The element's name as text.
  public var nameString: String {
    // SAFETY: Names in libxml2's table end with a zero byte.
    unsafe String(cString: nameStart)
  }

  /// Returns the name of the attribute at `index`, without its prefix.
  @inlinable public func attributeName(_ index: Int) -> XMLNameID {
    unsafe XMLNameID(field(0, of: index))
  }

  /// Returns the name of the attribute at `index` as text, with its prefix if it has one.
  public func attributeNameString(_ index: Int) -> String {
    // SAFETY: Names in libxml2's table end with a zero byte.
    let local = unsafe String(cString: field(0, of: index))
    guard let prefix = unsafe attributes.unsafelyUnwrapped[index * 5 + 1] else { return local }
    return unsafe String(cString: prefix) + ":" + local
  }

  /// Returns the value of the attribute at `index` in UTF-8, without copying it.
  @inlinable @_lifetime(copy self)
  public func attributeValue(_ index: Int) -> Span<UInt8> {
    let span = unsafe Span(_unsafeElements: attributeBuffer(index))
    return unsafe _overrideLifetime(span, copying: self)
  }

  /// Returns the value of the attribute at `index` as text.
  public func attributeString(_ index: Int) -> String {
    unsafe String(decoding: unsafe attributeBuffer(index), as: UTF8.self)
  }

  // SAFETY: The precondition keeps the index inside the array, whose first, fourth and fifth
  // entry for each attribute are never `nil`.
  @inlinable func field(_ field: Int, of index: Int) -> UnsafePointer<UInt8> {
    precondition(index >= 0 && index < attributeCount, "The index of an attribute is out of range.")
    return unsafe attributes.unsafelyUnwrapped[index &* 5 &+ field].unsafelyUnwrapped
  }

  @inlinable func attributeBuffer(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = unsafe field(3, of: index)
    return unsafe UnsafeBufferPointer(start: start, count: field(4, of: index) - start)
  }
}
