import Foundation
import ObjectModel
import Rows

extension XMLDocumentCheck {
  /// Begins an object (spec §5.3.2).
  func beginObject(_ id: String?, _ type: String?) {
    object = nil
    guard let number = id.flatMap(XMLValues.identifier) else {
      add(.xmlIdentifier, "'\(id?.prefix(60) ?? "")' is not the identifier of an object.")
      return
    }
    guard objects[number] == nil else {
      add(.xmlDoubledObject, "The object z\(number) occurs twice.")
      return
    }
    guard let type else {
      objects[number] = 0
      add(.xmlEntity, "The object z\(number) has no 'type'.")
      return
    }
    // Without a model the entities are unknown.
    guard model != nil else {
      objects[number] = 0
      return
    }
    guard let names = entities.entity(type) else {
      objects[number] = 0
      add(.xmlEntity, "The model has no entity '\(type.prefix(60))'.")
      return
    }
    let key = ObjectKey(entity: names.layout.entityNumber, number: number)
    objects[number] = key.entity
    builder?.insert(key)
    object = OpenObject(key: key, names: names)
  }

  /// Ends an object. Properties that it does not mention become null, even if they have a default (spec §5.3.3).
  func endObject() {
    guard let object else { return }
    for (index, column) in object.names.layout.columns.enumerated()
    where !column.defaultValue.isNull && !object.seen.contains(column.name) {
      builder?.set(.null, column: index, of: object.key)
    }
  }

  /// Begins a property (spec §5.3.1).
  func beginProperty(_ name: String?, isAttribute: Bool) {
    guard let names = object?.names else { return }
    object?.property = nil
    guard let name, let property = names.property(name) else {
      add(.xmlProperty, "The entity has no property '\(name?.prefix(60) ?? "")'.")
      return
    }
    guard object!.seen.insert(property.name).inserted else {
      add(.xmlDoubledProperty, "'\(property.name)' occurs twice.")
      return
    }
    guard isAttribute == (property.relationship == nil) else {
      add(
        .xmlPropertyRole,
        "'\(property.name)' is \(isAttribute ? "a relationship" : "an attribute") in the model.")
      return
    }
    object?.property = property
  }

  /// Checks and stores the text of an attribute (spec §5.4).
  func endAttribute(_ text: [UInt8]) {
    defer { object?.property = nil }
    guard let object, let property = object.property, let column = property.column else { return }
    let layout = object.names.layout.columns[column]
    // A draft can't store a larger value.
    guard text.count < 1 << 28 else {
      unchecked.append("A value of \(text.count) bytes was not checked.")
      return
    }
    if layout.kind.isText {
      guard let plain = XMLValues.unescaped(text) else {
        add(.xmlEscapes, "An escape is half of a character.")
        return
      }
      builder?.set(
        layout.kind == .uri ? .uri(plain) : .string(plain), column: column, of: object.key)
      return
    }
    guard let value = XMLValues.value(text, layout.kind) else {
      add(
        .xmlValue,
        "'\(String(decoding: text.prefix(60), as: UTF8.self))' is not a value of kind \(layout.kind)."
      )
      return
    }
    builder?.set(value, column: column, of: object.key)
  }

  /// Records the objects that a relationship names (spec §5.3.5).
  func record(_ references: String, line: Int) {
    guard let object, let property = object.property, let relationship = property.relationship
    else { return }
    var numbers: [UInt64] = []
    for word in references.utf8.split(whereSeparator: { $0 <= 0x20 }) {
      guard let number = XMLValues.identifier(String(Substring(word))) else {
        add(.xmlReferences, "'\(String(Substring(word)).prefix(60))' is not an identifier.")
        continue
      }
      numbers.append(number)
    }
    lists.append(
      ReferenceList(
        owner: object.key, relationship: relationship, column: property.column, numbers: numbers,
        line: line))
  }
}
