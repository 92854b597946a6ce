import Foundation
import PluginSupport

/// A reader that makes rows from the objects and links of a file.
struct RowReader {
  let rows: AtomicRows
  private let schema: Schema
  private let path: String

  init(_ schema: Schema, path: String) {
    self.schema = schema
    self.path = path
    rows = AtomicRows(schema, path: path)
  }

  /// Inserts the row of an object.
  ///
  /// - Parameter place: The place of the object in the file, for messages.
  func insert(_ object: [String: JSONValue], _ entity: String, _ place: String) throws {
    guard case .integer(let number)? = object["#"], let number = UInt64(exactly: number) else {
      throw damaged(place, "The object has no number \"#\".")
    }
    let key = try at(place) { try rows.insert(entity, number) }
    let layout = schema[key.entity]!
    for (name, value) in object where name != "#" {
      let place = "\(place).\(name)"
      guard let index = layout.index(of: name) else {
        throw damaged(place, "The entity '\(entity)' has no such property.")
      }
      let value = try self.value(value, layout.columns[index].kind, place)
      try at(place) { try rows.set(value, name, of: key) }
    }
  }

  /// Inserts a link.
  func link(_ link: [JSONValue], _ name: String, _ place: String) throws {
    guard let side = schema.links(named: name) else {
      throw damaged(place, "There is no relationship '\(name)' that keeps links.")
    }
    guard link.count == 4, case .object(let owner) = try value(link[0], .reference, place),
      case .object(let other) = try value(link[1], .reference, place)
    else {
      throw damaged(place, "A link is two objects and two places.")
    }
    try at(place) {
      try rows.link(
        owner, to: other, along: side, place: position(link[2], place),
        placeBack: position(link[3], place))
    }
  }

  private func position(_ value: JSONValue, _ place: String) throws -> Int64? {
    guard case .integer(let number) = try self.value(value, .int64, place) else { return nil }
    return number
  }

  /// Returns the value of a column of the given kind.
  private func value(_ value: JSONValue, _ kind: ColumnKind, _ place: String) throws -> Value {
    switch (kind, value) {
    case (_, .null): return .null
    case (.boolean, .boolean(let value)): return .boolean(value)
    case (.int16, .integer(let value)), (.int32, .integer(let value)),
      (.int64, .integer(let value)):
      return .integer(value)
    case (.float, _), (.double, _), (.date, _):
      guard let number = number(value) else { break }
      switch kind {
      case .float: return .float(Float(number))
      case .double: return .double(number)
      default: return .date(Date(timeIntervalSinceReferenceDate: number))
      }
    case (.string, .text(let text)): return .string(text)
    case (.uri, .text(let text)): return .uri(text)
    case (_, .text(let text)):
      if let value = self.value(text, kind) { return value }
    default: break
    }
    throw damaged(place, "This is not a value of type \(kind).")
  }

  private func number(_ value: JSONValue) -> Double? {
    switch value {
    case .integer(let value): Double(exactly: value)
    case .number(let value): value
    case .text(let text): JSONText.number(text)
    default: nil
    }
  }

  /// Returns the value that a text stands for, or `nil` if the text is not a value of this kind.
  private func value(_ text: String, _ kind: ColumnKind) -> Value? {
    switch kind {
    case .int64: return Int64(text).map { .integer($0) }
    case .decimal:
      if text == "nan" { return .decimal(.nan) }
      return Decimal(string: text, locale: nil).map { .decimal($0) }
    case .binary: return Data(base64Encoded: text).map { .binary($0) }
    case .uuid: return UUID(uuidString: text).map { .uuid($0) }
    case .reference:
      guard let space = text.lastIndex(of: " "), let layout = schema[String(text[..<space])],
        let number = UInt64(text[text.index(after: space)...]), number > 0,
        number <= ObjectKey.highestNumber
      else { return nil }
      return .object(ObjectKey(entity: layout.entityNumber, number: number))
    default: return nil
    }
  }

  private func damaged(_ place: String, _ words: String) -> StoreError {
    StoreError(.damaged, "\(place): \(words)", path: path)
  }

  /// Calls `body`, and adds the place in the file to the message of an error.
  private func at<R>(_ place: String, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as StoreError {
      throw StoreError(error.code, "\(place): \(error.message)", path: path, cause: error.cause)
    }
  }
}
