/// How large predicates and expressions may be, so that any text is read in bounded time and memory.
package enum QueryLimits {
  /// The longest text, in UTF-8 bytes.
  package static let textByteCount = 1 << 20
  /// How deeply expressions and predicates may lie in one another.
  package static let depth = 128
  /// How many parts a tree may have.
  package static let nodeCount = 100_000
}
