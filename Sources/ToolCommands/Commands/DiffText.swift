import CommandInterface
import Comparison
import JSONText
import ObjectModel

/// Changes as lines of text.
struct DiffText {
  private let output: Console.Stream
  /// The number of columns to which a value is cut; `nil` to show all of it.
  private let valueWidth: Int?
  /// The number of members of a relationship that are shown; `nil` to show all.
  private let mostMembers: Int?

  init(_ output: Console.Stream, width: Int) {
    self.output = output
    valueWidth = output.isTerminal ? max(20, width / 2) : nil
    mostMembers = output.isTerminal ? 8 : nil
  }

  /// Returns a change as one line: `~ Trip 4/p1  name "Lisbon" -> "Porto"; stops +3/p12`.
  func line(_ change: ObjectChange) -> String {
    let object =
      change.object.key.isEmpty
      ? "\(change.entity) \(text(change.object))"
      : text(change.object)
    return line(change.kind, object, change.properties.map { text($0, change.kind) })
  }

  func line(_ kind: ObjectChange.Kind, _ object: String, _ properties: [String]) -> String {
    let (sign, style, separator): (String, Console.Style, String) =
      switch kind {
      case .inserted: ("+", .inserted, ", ")
      case .deleted: ("-", .deleted, ", ")
      case .changed: ("~", .changed, "; ")
      }
    let head = output.styled("\(sign) \(object)", style)
    return properties.isEmpty ? head : "\(head)  \(properties.joined(separator: separator))"
  }

  private func text(_ property: PropertyChange, _ kind: ObjectChange.Kind) -> String {
    func pair(_ old: String, _ new: String) -> String {
      switch kind {
      case .inserted: "\(property.name) \(new)"
      case .deleted: "\(property.name) \(old)"
      case .changed: "\(property.name) \(old) -> \(new)"
      }
    }
    switch property.content {
    case .value(let values):
      return pair(text(values.old, property.precision), text(values.new, property.precision))
    case .reference(let objects):
      return pair(
        objects.old.map(text) ?? "null", objects.new.map(text) ?? "null")
    case .members(let members):
      switch kind {
      case .inserted: return "\(property.name) \(list(members.added, sign: ""))"
      case .deleted: return "\(property.name) \(list(members.removed, sign: ""))"
      case .changed:
        let parts = [
          list(members.added, sign: "+"), list(members.removed, sign: "-"),
          members.isReordered ? "reordered" : "",
        ]
        return "\(property.name) \(parts.filter { !$0.isEmpty }.joined(separator: " "))"
      }
    }
  }

  /// Returns the value of a property of an object that was inserted, without the name of the property.
  func value(_ property: PropertyChange) -> String {
    String(text(property, .inserted).dropFirst(property.name.count + 1))
  }

  private func list(_ members: [ComparedObject], sign: String) -> String {
    let shown = members.prefix(mostMembers ?? .max)
    let rest = members.count - shown.count
    return (shown.map { sign + text($0) } + (rest > 0 ? ["\(sign)\(rest) more"] : []))
      .joined(separator: " ")
  }

  /// Returns an object by its identifier, or by its key: `4/p1`, `Trip "Lisbon"`, `Stop ("Porto", Trip "Lisbon")`.
  private func text(_ object: ComparedObject) -> String {
    if object.key.isEmpty { return Wording.text(.object(object.id)) }
    let parts = object.key.map { part in part.object.map(text) ?? text(part.value, part.precision) }
    let key = parts.count == 1 ? parts[0] : "(\(parts.joined(separator: ", ")))"
    return "\(object.entity) \(key)"
  }

  /// Returns a value on one line. On a terminal a long value is cut.
  func text(_ value: Value, _ precision: Attribute.Precision? = nil) -> String {
    let text = Wording.text(value, precision).replacing("\n", with: "\\n").replacing(
      "\r", with: "\\r")
    return valueWidth.map { printable(text).cut(to: $0) } ?? text
  }
}

/// Changes as JSON.
enum DiffJSON {
  /// Returns a change as an object.
  ///
  /// - Parameter store: The name of the store in a document with several stores.
  static func json(_ change: ObjectChange, _ store: String?) -> JSON {
    let object = change.object
    let oldId = change.old.flatMap { $0.id == object.id ? nil : $0.id }
    return .object([
      "change": .string(change.kind.rawValue), "store": store.map(JSON.string),
      "entity": .string(change.entity), "id": ValueText.exchange.json(.object(object.id)),
      "oldId": oldId.map { ValueText.exchange.json(.object($0)) }, "key": key(object),
      "properties": .members(
        change.properties.map { property in
          JSON.Member(name: property.name, value: json(property, change.kind))
        }),
    ])
  }

  /// Returns the value of a property of an object that was inserted.
  static func json(_ property: PropertyChange) -> JSON { json(property, .inserted) }

  private static func json(_ property: PropertyChange, _ kind: ObjectChange.Kind) -> JSON {
    func pair(_ old: JSON, _ new: JSON) -> JSON {
      .object(["old": kind == .inserted ? nil : old, "new": kind == .deleted ? nil : new])
    }
    switch property.content {
    case .value(let values):
      return pair(
        ValueText.exchange.json(values.old, property.precision),
        ValueText.exchange.json(values.new, property.precision))
    case .reference(let objects):
      return pair(objects.old.map(json) ?? .null, objects.new.map(json) ?? .null)
    case .members(let members):
      func list(_ objects: [ComparedObject]) -> JSON? {
        objects.isEmpty ? nil : .array(objects.map(json))
      }
      return .object([
        "added": list(members.added), "removed": list(members.removed),
        "reordered": members.isReordered ? .boolean(true) : nil,
        "order": members.order.map { .array($0.map(json)) },
      ])
    }
  }

  /// Returns a reference: the identifier, or an object with the key.
  private static func json(_ object: ComparedObject) -> JSON {
    guard let key = key(object) else { return ValueText.exchange.json(.object(object.id)) }
    return .object([
      "entity": .string(object.entity), "id": ValueText.exchange.json(.object(object.id)),
      "key": key,
    ])
  }

  /// Returns the properties of an object's key; `nil` if it is matched by identifier.
  private static func key(_ object: ComparedObject) -> JSON? {
    if object.key.isEmpty { return nil }
    return .members(
      object.key.map { part in
        JSON.Member(
          name: part.name,
          value: part.object.map(json) ?? ValueText.exchange.json(part.value, part.precision))
      })
  }
}
