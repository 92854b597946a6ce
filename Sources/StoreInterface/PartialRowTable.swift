public import Rows

/// A table of whole rows that finds a few rows faster than all of them, such as a table of a database. It neither
/// changes nor removes rows of a table below it.
///
/// A reader of single objects, such as one across the plug-in boundary, requests the rows around each object.
public protocol PartialRowTable: RowTable {
  /// Returns the whole rows of an entity with keys in the given range; `nil` if all rows are available and may be
  /// read instead.
  func rows(ofEntity number: UInt16, keys: ClosedRange<UInt64>) throws -> BlockRun?
}

extension PartialRowTable {
  /// `true`: a few rows are faster than all of them.
  public var readsOnDemand: Bool { true }
}
