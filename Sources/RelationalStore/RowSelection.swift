/// The rows of an entity that are read at once.
package enum RowSelection: Sendable {
  case all
  case range(Range<UInt64>)
  /// The rows with some keys, which ascend. A key without a row is passed over.
  case keys([UInt64])
}
