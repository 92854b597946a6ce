import ObjectModel
import Rows
import StoreInterface

extension StoreConformance {
  /// Returns the differences between objects, in words. Values are compared to the last bit.
  static func differences(
    _ expected: Objects, _ found: Objects, _ schema: Schema
  ) -> [String] {
    var differences: [String] = []
    for key in Set(expected.keys).union(found.keys).sorted() {
      let name = name(key, schema)
      guard let values = found[key] else {
        differences.append("\(name) is missing")
        continue
      }
      guard let wanted = expected[key] else {
        differences.append("\(name) is unexpected")
        continue
      }
      for property in Set(wanted.keys).union(values.keys).sorted() {
        let (one, other) = (wanted[property] ?? .null, values[property] ?? .null)
        if one.isIdentical(to: other) { continue }
        differences.append("\(name) has '\(property)' \(text(other)) instead of \(text(one))")
      }
    }
    return differences
  }

  /// Returns the name of an object in messages: its entity and its number.
  static func name(_ key: ObjectKey, _ schema: Schema) -> String {
    "\(schema[key.entity]?.entity ?? "of no entity, number \(key.entity),") \(key.number)"
  }

  /// Returns the text of a value in messages: cut, or the first bytes of binary data.
  static func text(_ value: Value) -> String {
    switch value {
    case .null: return "no value"
    case .binary(let bytes):
      let first = bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: " ")
      return "\(bytes.count) bytes" + (bytes.isEmpty ? "" : " that begin \(first)")
    case .string(let text): return cut("\(text.utf8.count) bytes of text \"\(text)\"")
    default: return cut("\(value)")
    }
  }

  static func count(_ count: Int) -> String { count == 1 ? "1 object" : "\(count) objects" }

  /// Returns the beginning of a text, for messages.
  static func cut(_ text: String) -> String {
    let first = text.unicodeScalars.prefix(120)
    return first.endIndex == text.unicodeScalars.endIndex ? text : String(first) + "…"
  }
}
