import ObjectModel
import Rows

// The values that the context's own rows give, from the topmost row down.
extension RowSource {
  /// Returns the version that a row of the context's own changes is based on.
  func basis(_ row: Int) throws -> Int64 {
    if let draft { return draft.basis(row: row) }
    return try block.map { try RowLocation(block: $0, row: row).basis } ?? 0
  }

  /// Returns the values of a row, from this row or the rows below it. The topmost row with a value in a column counts.
  ///
  /// The search ends at a source that the context has not written, or that `isWanted` rejects. `below` is the row there.
  func given(
    _ row: Int, while isWanted: (RowSource) -> Bool
  ) -> (values: [Int: Value], beneath: (source: RowSource, row: Int)?) {
    var values: [Int: Value] = [:]
    var next: (source: RowSource, row: Int)? = (self, row)
    while let (source, row) = next, source.isOwn, isWanted(source) {
      for column in source.givenColumns(row) where values[column] == nil {
        values[column] = source.given(column, row) ?? .null
      }
      next = source.below(row)
    }
    return (values, next)
  }

  /// Returns the unsaved values of a row, by column.
  func pendingValues(_ row: Int) -> [(column: Int, value: Value)] {
    guard isPending else { return [] }
    if below(row)?.source.isPending != true {
      return givenColumns(row).map { ($0, given($0, row) ?? .null) }
    }
    let values = given(row, while: \.isPending).values
    return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
