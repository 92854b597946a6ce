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
  package var text: String { string { write(to: &$0, depth: 0) } }

  /// The value as text on one line.
  package var line: String { string { write(to: &$0, depth: nil) } }

  private func string(_ write: (inout [UInt8]) -> Void) -> String {
    var bytes: [UInt8] = []
    write(&bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the text of the value.
  ///
  /// - Parameter depth: The number of indentations of the current line; `nil` to write everything on one line.
  private func write(to bytes: inout [UInt8], depth: Int?) {
    switch self {
    case .null: bytes += "null".utf8
    case .boolean(let value): bytes += value ? "true".utf8 : "false".utf8
    case .number(let digits): bytes += digits.utf8
    case .string(let value): JSON.append(quoted: value, to: &bytes, escapesAllControls: true)
    case .array(let values):
      JSON.writeItems(values, between: "[", "]", to: &bytes, depth) { value, bytes, depth in
        value.write(to: &bytes, depth: depth)
      }
    case .members(let members):
      JSON.writeItems(members, between: "{", "}", to: &bytes, depth) { member, bytes, depth in
        JSON.append(quoted: member.name, to: &bytes, escapesAllControls: true)
        bytes += depth == nil ? ":".utf8 : ": ".utf8
        member.value.write(to: &bytes, depth: depth)
      }
    }
  }

  private static func writeItems<Item>(
    _ items: [Item], between opening: Unicode.Scalar, _ closing: Unicode.Scalar,
    to bytes: inout [UInt8], _ depth: Int?, write: (Item, inout [UInt8], Int?) -> Void
  ) {
    func beginLine(_ depth: Int) {
      bytes.append(UInt8(ascii: "\n"))
      bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }
    bytes.append(UInt8(ascii: opening))
    for (index, item) in items.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      if let depth { beginLine(depth + 1) }
      write(item, &bytes, depth.map { $0 + 1 })
    }
    if let depth, !items.isEmpty { beginLine(depth) }
    bytes.append(UInt8(ascii: closing))
  }
}
