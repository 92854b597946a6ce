import Foundation
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

  init(_ statement: SQLiteStatement, _ cell: Int, _ kind: ColumnKind) {
    switch (kind, statement.kind(cell)) {
    case (.string, .text), (.uri, .text):
      self = statement.withBytes(cell) { $0.isUTF8 } ? .sound : .noText
    case (.binary, .blob), (.binary, .text): self = .sound
    case (.uuid, .blob): self = statement.byteCount(cell) == 16 ? .sound : .wrong
    case (.boolean, let found), (.int16, let found), (.int32, let found), (.int64, let found):
      let number: Int64? =
        switch found {
        case .integer: statement.integer(cell)
        case .real: Int64(exactly: statement.real(cell))
        default: nil
        }
      self = number.map(kind.integerRange.contains) ?? false ? .sound : .wrong
    case (.reference, .integer):
      self =
        (0...Int64(ObjectKey.highestNumber)).contains(statement.integer(cell)) ? .sound : .wrong
    case (.float, .integer), (.float, .real), (.double, .integer), (.double, .real),
      (.date, .integer), (.date, .real):
      self = .sound
    // The blob contains the bits of a number that SQLite does not preserve (spec §10.4.3).
    case (.float, .blob), (.double, .blob), (.date, .blob):
      self = statement.byteCount(cell) == 8 ? .sound : .wrong
    case (.decimal, .integer): self = .sound
    case (.decimal, .real):
      let number = statement.real(cell)
      self = number.isFinite && Decimal(string: "\(number)") != nil ? .sound : .wrong
    case (.decimal, .blob), (.decimal, .text):
      let bytes = statement.bytes(cell)
      let isNumber =
        bytes.elementsEqual("NaN".utf8) || DecimalParts(text: bytes.span) != nil
      self = isNumber ? .sound : .wrong
    default: self = .wrong
    }
  }
}
