import Foundation
import Interchange
import JSONText
import ObjectModel
import PropertyLists

/// Descriptions of models and values: text for readers, and JSON for programs.
enum Wording {
  /// Returns the value as a person would write it: text in quotes, moments in ISO 8601.
  static func text(
    _ value: Value, _ precision: Attribute.Precision? = nil, as texts: ValueText = .exchange
  ) -> String {
    switch value {
    case .string(let value): value.inQuotationMarks()
    case .binary(let value):
      ShownBytes.text(value)
        ?? count(value.count, "byte") + (archive(value).map { ", \($0)" } ?? "")
    default: texts.text(value, precision)
    }
  }

  /// Returns the content of a table cell, on one line.
  ///
  /// Characters that control a terminal stay unchanged, because a table may be written to a file.
  static func text(
    _ cell: ResultText.Cell, _ form: ValueForm = ValueForm(), as texts: ValueText = .exchange
  ) -> String {
    switch cell {
    case .value(.null): ""
    case .value(let value): line(value, form, texts)
    case .list(let keys): list(keys.lazy.map { line(.object($0), form, texts) }, separator: " ")
    case .values(let values): list(values.lazy.map { line($0, form, texts) }, separator: ", ")
    }
  }

  /// Returns the first values, and the number of the others.
  private static func list(
    _ values: some Collection<String>, separator: String
  ) -> String {
    let shown = Array(values.prefix(mostShownObjects))
    let rest = values.count - shown.count
    return (shown + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: separator)
  }

  private static func line(_ value: Value, _ form: ValueForm, _ texts: ValueText) -> String {
    let text = text(form.shown(value), form.precision, as: texts)
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

  /// Returns a count with its noun: "1 byte", "2 bytes".
  static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
