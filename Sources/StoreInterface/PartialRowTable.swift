public import Rows

/// A table that finds a few rows sooner than all of them, such as one over a database.
///
/// Whoever looks at single objects of it, on the other side of the plug-in boundary say, asks for those around.
public protocol PartialRowTable: RowTable {
  /// The whole rows of an entity whose keys lie in the given range; `nil` when all are at hand and may as well be asked for.
  func rows(ofEntity number: UInt16, keys: ClosedRange<UInt64>) throws -> BlockRun?
}
