/// How large predicates and expressions may be, so that any text is read in bounded time and memory.
public enum QueryLimits {
  /// The longest text, in UTF-8 bytes.
  public static let textByteCount = 1 << 20
  /// How deeply expressions and predicates may lie in one another.
  public static let depth = 128
  /// How many parts a tree may have.
  public static let nodeCount = 100_000
}
