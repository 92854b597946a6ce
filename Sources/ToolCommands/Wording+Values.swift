import Foundation
import JSONText
import ObjectModel
import PropertyLists

/// How the tool puts a model into words. People read it; programs read the JSON.
enum Wording {
  /// The value as a person would write it: text in quotes, moments in ISO 8601.
  static func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value): "\"\(value)\""
    case .date(let value): moment(value)
    case .uuid(let value): value.uuidString
    case .uri(let value): value
    case .binary(let value): count(value.count, "byte") + (archive(value).map { ", \($0)" } ?? "")
    case .object(let key): "\(key.entity)/p\(key.number)"
    }
  }

  /// What a keyed archive holds, which is what the values of transformable attributes are mostly kept as: its class and what
  /// it says in a few words.
  private static func archive(_ bytes: Data) -> String? {
    guard bytes.count <= 1 << 20, bytes.starts(with: Array("bplist00".utf8)),
      let root = try? KeyedArchive(Array(bytes)).root
    else { return nil }
    return root.summary
  }

  /// The value for programs: a number where JSON has one, text otherwise.
  static func json(_ value: Value) -> JSON {
    switch value {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .number("\(value)")
    case .float(let value): number(value)
    case .double(let value): number(value)
    case .decimal(let value): value.isNaN ? .string("nan") : .number("\(value)")
    case .string(let value), .uri(let value): .string(value)
    case .date(let value): .string(moment(value))
    case .uuid(let value): .string(value.uuidString)
    case .binary(let value): .string(value.base64EncodedString())
    case .object: .string(text(value))
    }
  }

  /// "1 byte", "2 bytes".
  static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func number(_ value: some BinaryFloatingPoint & LosslessStringConvertible) -> JSON
  {
    value.isFinite ? .number("\(value)") : .string("\(value)")
  }

  private static func moment(_ date: Date) -> String { date.isoText(includingFractions: true) }
}
