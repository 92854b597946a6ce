import Interchange
import ObjectModel
import Rows

/// One row of a side, read in a walk through all rows or found by its key.
struct ComparedRow {
  let key: ObjectKey
  private let place: Place

  private enum Place {
    case stream(RowStream, RowWalk.Place)
    case found(ViewRow, Layout)
  }

  init(_ place: RowWalk.Place, in stream: RowStream) {
    key = ObjectKey(entity: stream.layout.entityNumber, number: place.key)
    self.place = .stream(stream, place)
  }

  /// Finds a row by its key, or returns `nil`.
  init?(_ number: UInt64, _ layout: Layout, in view: View) throws {
    key = ObjectKey(entity: layout.entityNumber, number: number)
    guard let row = try view.row(of: key) else { return nil }
    place = .found(row, layout)
  }

  /// Returns the value in the column at the given position of the layout. A row of a walk must be read before the walk
  /// continues.
  func value(_ column: Int) throws -> Value {
    switch place {
    case .stream(let stream, let place): try stream.value(column, place)
    case .found(let row, let layout): try row.value(layout.columns[column])
    }
  }
}
