/// The versions that a merge of one head into another compares.
package struct MergeBase: Sendable, Hashable {
  /// The version from which both heads derive.
  package let base: Int64
  /// The newest version of the head with the changes.
  package let theirs: Int64
  /// Whether the receiving head contains that newest version already.
  package let isMerged: Bool
}
