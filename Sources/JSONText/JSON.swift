/// A JSON value. Members stay in the given order, so output is stable and can be ordered for human readers.
package enum JSON: Sendable, Hashable {
  case null
  case boolean(Bool)
  /// A number as its digits, so a decimal of 38 digits keeps its precision.
  case number(String)
  case string(String)
  case array([JSON])
  case members([Member])

  /// A member of an object: a name and its value.
  package struct Member: Sendable, Hashable {
    package let name: String
    package let value: JSON

    package init(name: String, value: JSON) {
      self.name = name
      self.value = value
    }
  }

  package static func number(_ value: Int) -> JSON { .number(String(value)) }

  package static func strings(_ values: [String]) -> JSON { .array(values.map(JSON.string)) }

  /// Returns an object of the given members, without members that are `nil`.
  package static func object(_ members: KeyValuePairs<String, JSON?>) -> JSON {
    .members(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }
}

extension JSON {
  /// The value as text, indented by two spaces.
  package var text: String {
    var text = ""
    write(to: &text, indent: "")
    return text
  }

  /// The value as text on one line.
  package var line: String {
    switch self {
    case .array(let values): "[" + values.map(\.line).joined(separator: ",") + "]"
    case .members(let members):
      "{" + members.map { JSON.string($0.name).text + ":" + $0.value.line }.joined(separator: ",")
        + "}"
    default: text
    }
  }

  private func write(to text: inout String, indent: String) {
    switch self {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .number(let digits): text += digits
    case .string(let value): JSON.writeQuoted(value, to: &text)
    case .array(let values):
      JSON.writeItems(values, between: ("[", "]"), to: &text, indent: indent) {
        value, text, indent in
        value.write(to: &text, indent: indent)
      }
    case .members(let members):
      JSON.writeItems(members, between: ("{", "}"), to: &text, indent: indent) {
        member, text, indent in
        JSON.writeQuoted(member.name, to: &text)
        text += ": "
        member.value.write(to: &text, indent: indent)
      }
    }
  }

  private static func writeItems<Item>(
    _ items: [Item], between brackets: (String, String), to text: inout String, indent: String,
    write: (Item, inout String, String) -> Void
  ) {
    text += brackets.0
    let inner = indent + "  "
    for (index, item) in items.enumerated() {
      text += (index == 0 ? "\n" : ",\n") + inner
      write(item, &text, inner)
    }
    if !items.isEmpty { text += "\n" + indent }
    text += brackets.1
  }

  private static func writeQuoted(_ string: String, to text: inout String) {
    var bytes: [UInt8] = []
    JSON.append(quoted: string, to: &bytes, escapesAllControls: true)
    text += String(decoding: bytes, as: UTF8.self)
  }
}
