/// The limits on an XML text. A text that exceeds a limit is an ``XMLError``.
///
/// ``tokenByteCount`` bounds the memory of the parser, regardless of the size of the input.
public struct XMLLimits: Sendable {
  /// The maximum number of open elements. libxml2 itself allows at most 2048.
  public var depth: Int
  /// The maximum number of bytes in a name.
  public var nameByteCount: Int
  /// The maximum number of attributes of an element, including namespace declarations.
  public var attributeCount: Int
  /// The maximum number of bytes of text between two tags.
  public var textByteCount: Int
  /// The maximum number of bytes of a tag with its attributes, or of a comment.
  public var tokenByteCount: Int

  /// Creates limits with the given values.
  public init(
    depth: Int = 512,
    nameByteCount: Int = 4096,
    attributeCount: Int = 256,
    textByteCount: Int = 1 << 30,
    tokenByteCount: Int = 16 << 20
  ) {
    self.depth = depth
    self.nameByteCount = nameByteCount
    self.attributeCount = attributeCount
    self.textByteCount = textByteCount
    self.tokenByteCount = tokenByteCount
  }
}
