import Foundation
import JSONText
import ObjectModel
import PropertyLists

/// The content of bytes as JSON, for people who look at a value: bytes that are JSON or a property list, as programs store
/// `Codable` values, and keyed archives of plain values, as they store transformable ones.
struct ShownBytes {
  /// The number of values that may still be shown. An archive may refer to the same part again and again.
  private var budget = 1000

  private static let mostBytes = 1 << 16
  private static let mostDepth = 32

  private struct NotPlain: Error {}

  /// Returns the content on one line; `nil` if the bytes are something else, or too much to show.
  static func text(_ data: Data) -> String? {
    guard data.count <= mostBytes, let first = data.first else { return nil }
    let bytes = Array(data)
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      return (try? JSON.read(bytes, depthLimit: mostDepth))?.line
    }
    guard bytes.starts(with: "bplist00".utf8) else { return nil }
    var shown = ShownBytes()
    if let archive = try? KeyedArchive(bytes) {
      let root = archive.root
      guard root.array != nil || root.dictionary != nil else { return nil }
      return (try? shown.json(root, depth: 0))?.line
    }
    return (try? BinaryPropertyList.read(bytes)).flatMap { try? shown.json($0, depth: 0) }?.line
  }

  private mutating func spend(_ depth: Int) throws(NotPlain) {
    budget -= 1
    guard budget > 0, depth < ShownBytes.mostDepth else { throw NotPlain() }
  }

  private mutating func json(_ list: PropertyList, depth: Int) throws(NotPlain) -> JSON {
    try spend(depth)
    switch list {
    case .string(let text): return .string(text)
    case .integer(let number): return .number("\(number)")
    case .unsigned(let number): return .number("\(number)")
    case .real(let number): return ValueText.exchange.json(.double(number))
    case .boolean(let isTrue): return .boolean(isTrue)
    case .date(let date): return ValueText.exchange.json(.date(date))
    case .data(let data): return ValueText.exchange.json(.binary(data))
    case .array(let items), .set(let items):
      var values: [JSON] = []
      for item in items { values.append(try json(item, depth: depth + 1)) }
      return .array(values)
    case .dictionary(let items):
      var members: [JSON.Member] = []
      for (name, item) in items.sorted(by: { $0.key < $1.key }) {
        members.append(JSON.Member(name: name, value: try json(item, depth: depth + 1)))
      }
      return .members(members)
    case .null: return .null
    case .uid: throw NotPlain()
    }
  }

  private mutating func json(_ object: ArchivedObject, depth: Int) throws(NotPlain) -> JSON {
    try spend(depth)
    if let text = object.string { return .string(text) }
    if let url = object.url { return .string(url) }
    if let uuid = object.uuid { return .string(uuid.uuidString) }
    if let decimal = object.decimal { return ValueText.exchange.json(.decimal(decimal)) }
    if let date = object.date { return ValueText.exchange.json(.date(date)) }
    if let number = object.integer { return .number("\(number)") }
    if let number = object.real { return ValueText.exchange.json(.double(number)) }
    if let members = object.members {
      var shown: [JSON.Member] = []
      for (name, member) in members.sorted(by: { $0.0 < $1.0 }) {
        shown.append(JSON.Member(name: name, value: try json(member, depth: depth + 1)))
      }
      return .members(shown)
    }
    guard let array = object.array else { throw NotPlain() }
    var shown: [JSON] = []
    for member in array { shown.append(try json(member, depth: depth + 1)) }
    return .array(shown)
  }
}
