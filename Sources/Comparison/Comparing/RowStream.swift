package import Interchange
package import ObjectModel
package import Rows

/// The rows of one entity, or the links of one table, in the order of their keys. Memory holds a few columns of a
/// few blocks at a time.
package final class RowStream {
  let layout: Layout
  private var walk: RowWalk
  private var values: WalkValues

  package init(_ view: View, _ layout: Layout) throws {
    self.layout = layout
    walk = try RowWalk(view, layout)
    values = WalkValues(layout)
  }

  /// Returns the place of the next row; `nil` after the last.
  package func next() throws -> RowWalk.Place? { try walk.next() }

  /// Returns the value of a row in the column at the given position of the layout.
  package func value(_ column: Int, _ place: RowWalk.Place) throws -> Value {
    try values.value(column, place)
  }
}
