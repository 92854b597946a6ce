/// Limits for the size of predicates and expressions, so that any text is parsed in bounded time and memory.
package enum QueryLimits {
  /// The longest text, in UTF-8 bytes.
  package static let textByteCount = 1 << 20
  /// The deepest nesting of expressions and predicates.
  package static let depth = 128
  /// The largest number of parts in a tree.
  package static let nodeCount = 100_000
}
