/// From which key to which the rows reach that a table has of an entity: those put, those changed and
/// those removed.
///
/// A key outside of all three is one of which the table says nothing.
public struct KeyRanges: Sendable, Hashable {
  /// The lowest and the highest key of the whole rows; `nil` when there are none.
  public var put: ClosedRange<UInt64>?
  /// Those of the rows of which some values change.
  public var changed: ClosedRange<UInt64>?
  /// Those of what is taken out.
  public var removed: ClosedRange<UInt64>?

  /// The given ranges.
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
  /// Those of ``changes(ofEntity:)``.
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
