import ObjectModel
import Rows
import SQLiteFiles
import StoreInterface

/// The check of one cell with a value: whether a reader can convert it to a value of a kind (spec §10.4).
enum CellCheck {
  /// The cell contains a valid value.
  case sound
  /// The cell contains another kind of value.
  case wrong
  /// The cell contains text that is not UTF-8.
  case noText

  init(_ cell: SQLiteCell, _ kind: ColumnKind) {
    let isSound =
      switch kind.content {
      case .string, .uri: cell.kind == .text
      case .binary: cell.kind == .blob || cell.kind == .text
      case .uuid: cell.kind == .blob && cell.byteCount == 16
      case .boolean, .integer:
        RowReader.integer(cell).map(kind.integerRange.contains) ?? false
      case .object:
        cell.kind == .integer && (0...Int64(ObjectKey.highestNumber)).contains(cell.integer)
      case .float, .double, .date: RowReader.real(cell) != nil
      case .decimal: RowReader.decimal(cell) != nil
      }
    let isText = !kind.isText || cell.withBytes { $0.isUTF8 }
    self = !isSound ? .wrong : isText ? .sound : .noText
  }
}
