// SAFETY: A tag is made in a callback of libxml2, whose pointers live until that returns, and can't
// outlive it.

/// What takes the events of an XML text, in the order of the text.
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
/// An error thrown by a handler stops the parser, which throws it on. Comments and processing
/// instructions are passed over.
public protocol XMLEventHandler {
  /// An element begins. Its name and attributes can be read until the call returns.
  mutating func start(_ tag: borrowing XMLStartTag) throws
  /// The element of the given name ends.
  mutating func end(_ name: XMLNameID) throws
  /// Text, in UTF-8. One run of text may come in several pieces, split anywhere.
  mutating func text(_ bytes: Span<UInt8>) throws
}

/// The beginning of an element: its name, its attributes, its place.
///
/// Values are read where the parser keeps them; nothing is copied until a `String` is asked for.
@safe
public struct XMLStartTag: ~Escapable {
  /// Where the tag ends.
  public let position: XMLPosition
  /// The number of attributes.
  public let attributeCount: Int
  /// The element's name.
  public let name: XMLNameID
  @usableFromInline let nameStart: UnsafePointer<UInt8>
  /// libxml2's array: local name, prefix, URI, start and end of the value for each attribute.
  @usableFromInline let attributes: UnsafePointer<UnsafePointer<UInt8>?>?

  // SAFETY: The pointers are libxml2's and live until its callback returns. The parser makes a
  // tag only there, and lends it to the handler, which cannot keep it.
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

  /// The name of the attribute at `index`, without its prefix.
  @inlinable public func attributeName(_ index: Int) -> XMLNameID {
    unsafe XMLNameID(field(0, of: index))
  }

  /// The name of the attribute at `index` as text, with its prefix if it has one.
  public func attributeNameString(_ index: Int) -> String {
    // SAFETY: Names in libxml2's table end with a zero byte.
    let local = unsafe String(cString: field(0, of: index))
    guard let prefix = unsafe attributes.unsafelyUnwrapped[index * 5 + 1] else { return local }
    return unsafe String(cString: prefix) + ":" + local
  }

  /// The value of the attribute at `index`, in UTF-8, where the parser keeps it.
  @inlinable @_lifetime(copy self)
  public func attributeValue(_ index: Int) -> Span<UInt8> {
    let span = unsafe Span(_unsafeElements: attributeBuffer(index))
    return unsafe _overrideLifetime(span, copying: self)
  }

  /// The value of the attribute at `index` as text.
  public func attributeString(_ index: Int) -> String {
    unsafe String(decoding: unsafe attributeBuffer(index), as: UTF8.self)
  }

  // SAFETY: The precondition keeps the index inside the array, whose first, fourth and fifth
  // entry for each attribute are never `nil`.
  @inlinable func field(_ field: Int, of index: Int) -> UnsafePointer<UInt8> {
    precondition(index >= 0 && index < attributeCount, "There is no attribute at this index.")
    return unsafe attributes.unsafelyUnwrapped[index &* 5 &+ field].unsafelyUnwrapped
  }

  @inlinable func attributeBuffer(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = unsafe field(3, of: index)
    return unsafe UnsafeBufferPointer(start: start, count: field(4, of: index) - start)
  }
}
