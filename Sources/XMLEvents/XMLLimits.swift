/// How much an XML text may ask of its reader. What exceeds a limit is an ``XMLError``.
///
/// The memory a parser itself needs is bounded by ``tokenByteCount``, whatever the input's size.
public struct XMLLimits: Sendable {
  /// The greatest number of elements open at once. libxml2 itself refuses more than 2048.
  public var depth: Int
  /// The greatest number of bytes in a name.
  public var nameByteCount: Int
  /// The greatest number of attributes of one element, those that declare namespaces included.
  public var attributeCount: Int
  /// The greatest number of bytes of text between two tags.
  public var textByteCount: Int
  /// The greatest number of bytes of one tag with its attributes, or of one comment.
  public var tokenByteCount: Int

  /// Limits with the given values.
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
