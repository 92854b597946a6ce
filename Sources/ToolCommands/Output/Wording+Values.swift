import Foundation
import Interchange
import JSONText
import ObjectModel
import PropertyLists

/// Descriptions of models and values: text for readers, and JSON for programs.
enum Wording {
  /// Returns the value as a person would write it: text in quotes, moments in ISO 8601.
  static func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal: FieldText.text(value).text
    case .string(let value): value.inQuotationMarks()
    case .date(let value): FieldText.text(.date(value)).text
    case .uuid(let value): value.uuidString
    case .uri(let value): value
    case .binary(let value):
      ShownBytes.text(value)
        ?? count(value.count, "byte") + (archive(value).map { ", \($0)" } ?? "")
    case .object(let key): "\(key.entity)/p\(key.number)"
    }
  }

  /// Returns the content of a table cell, on one line.
  ///
  /// Characters that control a terminal stay unchanged, because a table may be written to a file.
  static func text(_ cell: ResultText.Cell) -> String {
    switch cell {
    case .value(.null): return ""
    case .value(let value): return line(value)
    case .list(let keys): return list(keys.map { .object($0) }, separator: " ")
    case .values(let values): return list(values, separator: ", ")
    }
  }

  /// Returns the first values, and the number of the others.
  private static func list(_ values: [Value], separator: String) -> String {
    let shown = values.prefix(mostShownObjects).map { line($0) }
    let rest = values.count - shown.count
    return (shown + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: separator)
  }

  /// Returns a value on one line.
  private static func line(_ value: Value) -> String {
    let text = text(value)
    guard text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return text }
    return text.replacing("\n", with: "\\n").replacing("\r", with: "\\r")
  }

  /// The maximum number of objects of a to-many relationship that a cell shows.
  private static let mostShownObjects = 8

  /// Returns a summary of a keyed archive: its class and its content in a few words. Most transformable attributes have keyed
  /// archives as values.
  private static func archive(_ bytes: Data) -> String? {
    guard bytes.count <= 1 << 20, bytes.starts(with: Array("bplist00".utf8)),
      let root = try? KeyedArchive(Array(bytes)).root
    else { return nil }
    return root.summary
  }

  /// Returns the value as JSON: a number where JSON has one, text otherwise.
  static func json(_ value: Value) -> JSON {
    switch value {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .number("\(value)")
    case .float(let value): number(value)
    case .double(let value): number(value)
    // Decimals and dates are texts, because most programs read numbers of JSON as floating-point numbers.
    case .decimal, .date: .string(FieldText.text(value).text)
    case .string(let value), .uri(let value): .string(value)
    case .uuid(let value): .string(value.uuidString)
    case .binary(let value): .string(value.base64EncodedString())
    case .object: .string(text(value))
    }
  }

  /// Returns a count with its noun: "1 byte", "2 bytes".
  static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func number(_ value: some BinaryFloatingPoint & LosslessStringConvertible) -> JSON
  {
    value.isFinite ? .number("\(value)") : .string("\(value)")
  }
}
