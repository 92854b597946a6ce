import Foundation
import ObjectModel
import Rows
import SQLiteFiles

/// Values of the tables of other programs in forms that a store does not write: dates and UUIDs in text, and numbers
/// among texts.
enum PlainCell {
  /// Returns the value of a cell; `nil` if the cell has the form that a store writes.
  static func value(_ cell: SQLiteCell, of kind: ColumnKind) -> Value? {
    switch (kind.content, cell.kind) {
    case (.date, .text):
      MomentText.seconds(text(cell)).map {
        .date(Date(timeIntervalSinceReferenceDate: $0))
      }
    case (.uuid, .text): UUID(uuidString: text(cell)).map { .uuid($0) }
    case (.string, .integer), (.string, .real): .string(number(cell))
    case (.binary, .integer), (.binary, .real): .binary(Data(number(cell).utf8))
    default: nil
    }
  }

  private static func text(_ cell: SQLiteCell) -> String {
    String(decoding: cell.bytes, as: UTF8.self)
  }

  private static func number(_ cell: SQLiteCell) -> String {
    cell.kind == .integer ? String(cell.integer) : RealText.text(cell.real)
  }
}
