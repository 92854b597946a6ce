/// The lowest and highest keys of a table's rows of one entity, separately for rows that are put, changed and
/// removed.
///
/// The table has no row with a key outside of all three ranges.
public struct KeyRanges: Sendable, Hashable {
  /// The lowest and the highest key of the whole rows; `nil` when there are no whole rows.
  public var put: ClosedRange<UInt64>?
  /// The lowest and the highest key of the changed rows; `nil` when there are no changed rows.
  public var changed: ClosedRange<UInt64>?
  /// The lowest and the highest key of the removed rows; `nil` when there are no removed rows.
  public var removed: ClosedRange<UInt64>?

  public init(
    put: ClosedRange<UInt64>? = nil, changed: ClosedRange<UInt64>? = nil,
    removed: ClosedRange<UInt64>? = nil
  ) {
    self.put = put
    self.changed = changed
    self.removed = removed
  }
}

extension RowTable {
  /// Returns the ranges of ``changes(ofEntity:)``.
  public func keyRanges(ofEntity number: UInt16) throws -> KeyRanges {
    guard let changes = try changes(ofEntity: number) else { return KeyRanges() }
    return KeyRanges(
      put: changes.put.keyRange, changed: changes.changed.keyRange,
      removed: changes.removed.keyRange)
  }
}

extension BlockRun {
  /// The lowest and the highest key; `nil` when there are no rows.
  package var keyRange: ClosedRange<UInt64>? {
    guard let first = blocks.first, let last = blocks.last else { return nil }
    return first.minimumKey...last.maximumKey
  }
}
