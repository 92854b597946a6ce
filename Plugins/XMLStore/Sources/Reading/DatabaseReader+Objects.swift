// SAFETY: Texts come from a parser that has checked that they are UTF-8, and escapes are replaced by whole characters.

import Foundation
import ObjectModel
import PropertyLists
import Rows
import TextMatching
import XMLEvents

/// The list of a to-many relationship of one object.
struct ReferenceList {
  var entity: Int
  var row: Int
  var property: Int
  /// The range of its numbers within the numbers of all lists.
  var range: Range<Int>
  var line: Int
}

extension DatabaseReader {
  /// The name of the open object in messages.
  private var object: String { "object z\(number) (\(plans[entity].name))" }

  // MARK: - Objects

  mutating func beginObject(_ tag: borrowing XMLStartTag) throws {
    guard hasInfo else { throw fault("An object comes before 'databaseInfo'.") }
    var id = -1
    var type = -1
    for index in 0..<tag.attributeCount {
      switch tag.attributeName(index) {
      case names.id: id = index
      case names.type: type = index
      default: throw unknownAttribute(tag, index, of: "object")
      }
    }
    guard id >= 0, type >= 0 else { throw fault("An object has no 'id' or no 'type'.") }
    guard let number = IdentifierParsing.identifier(tag.attributeValue(id)) else {
      throw fault("'\(tag.attributeString(id).prefix(60))' is not the identifier of an object.")
    }
    guard let entity = entityNames.index(of: tag.attributeValue(type), guess: entity) else {
      throw fault(
        "The model has no entity '\(tag.attributeString(type).prefix(60))'."
          + suggestion(tag.attributeString(type), entityNames.names))
    }
    guard !plans[entity].isAbstract else {
      throw fault("The entity '\(plans[entity].name)' is abstract and has no objects.")
    }
    guard places.insert(number, .init(entity: entity, row: plans[entity].lines.count)) else {
      throw fault("The object z\(number) occurs twice.")
    }
    self.entity = entity
    self.number = number
    let new = plans[entity].append(number, line: line)
    (draft, row) = new
    unsafe lentDraft = Unmanaged.passUnretained(new.draft)
    objectCount += 1
    objectByteCount = 0
    previous = 0
    place = .object
  }

  mutating func endObject() {
    guard !plans[entity].defaulted.isEmpty, let draft else { return }
    for (property, column) in plans[entity].defaulted where givenBy[property] != objectCount {
      draft.setNull(column: column, row: row)
    }
  }

  // MARK: - Properties

  /// Finds the property that an element names.
  @inline(__always)
  private mutating func findProperty(
    _ tag: borrowing XMLStartTag, name: Int, _ kind: String
  ) throws {
    guard name >= 0 else { throw fault("A property of \(object) has no 'name'.") }
    let guess = plans[entity].follows[previous]
    if guess < plans[entity].slots.count,
      plans[entity].names.matches(guess, tag.attributeValue(name))
    {
      property = guess
    } else {
      let found = plans[entity].names.index(of: tag.attributeValue(name), guess: guess)
      guard let found else {
        let spelling = tag.attributeString(name)
        throw fault(
          "\(object): the entity has no property '\(spelling.prefix(60))'."
            + suggestion(spelling, plans[entity].names.names))
      }
      plans[entity].follows[previous] = found
      property = found
    }
    previous = property + 1
    guard givenBy[property] != objectCount else {
      throw fault(
        "\(object) gives '\(plans[entity].properties[property].name)' twice.")
    }
    givenBy[property] = objectCount
  }

  mutating func beginAttribute(_ tag: borrowing XMLStartTag) throws {
    var name = -1
    for index in 0..<tag.attributeCount {
      let key = tag.attributeName(index)
      if key == names.name {
        name = index
      } else if key != names.type {
        throw unknownAttribute(tag, index, of: "attribute")
      }
    }
    try findProperty(tag, name: name, "attribute")
    guard plans[entity].slots[property].role == .attribute else {
      throw fault(
        "\(object): '\(plans[entity].properties[property].name)' is a relationship, not an "
          + "attribute.")
    }
    text.removeAll(keepingCapacity: true)
    place = .attribute
  }

  /// Stores the text of an attribute in its column (spec §5.4).
  mutating func setAttribute() throws {
    guard let draft = unsafe lentDraft else { return }
    // SAFETY: The plan of the entity retains the draft, and does not release it while values are set.
    try unsafe draft._withUnsafeGuaranteedRef { try setAttribute(of: $0) }
  }

  @inline(__always)
  private mutating func setAttribute(of draft: Draft) throws {
    objectByteCount += text.count
    guard objectByteCount <= XMLStoreFormat.greatestObjectByteCount else {
      throw fault(
        "\(object) has more than \(XMLStoreFormat.greatestObjectByteCount) bytes of text.")
    }
    let slot = plans[entity].slots[property]
    let column = slot.column
    switch slot.kind.content {
    case .string, .uri:
      try setText(draft, column)
    case .boolean:
      guard let value = NumberParsing.integer(text.span), value == 0 || value == 1 else {
        throw badValue("a boolean, 0 or 1")
      }
      draft.setBoolean(value == 1, column: column, row: row)
    case .integer:
      guard let value = NumberParsing.integer(text.span) else { throw badValue("a whole number") }
      guard slot.kind.integerRange.contains(value) else {
        throw badValue("a whole number of that size")
      }
      draft.setInteger(value, column: column, row: row)
    case .double, .date:
      guard let value = NumberParsing.double(text.span) else { throw badValue("a number") }
      draft.setDouble(value, column: column, row: row)
    case .float:
      guard let value = NumberParsing.float(text.span) else { throw badValue("a number") }
      draft.set(.float(value), column: column, row: row)
    case .decimal:
      let trimmed = NumberParsing.trimmed(text.span)
      if let parts = DecimalParts(text: trimmed) {
        draft.setDecimal(parts, column: column, row: row)
      } else {
        guard String(decodingBytes: trimmed) == "NaN" else {
          throw badValue("a decimal number of at most 38 digits")
        }
        draft.setDecimal(nil, column: column, row: row)
      }
    case .binary:
      guard let bytes = Base64.bytes(text.span) else { throw badValue("bytes in base 64") }
      draft.setBytes(unsafe bytes.span.bytes, column: column, row: row)
    case .uuid:
      guard let value = IdentifierParsing.uuid(text.span) else { throw badValue("a UUID") }
      draft.set(.uuid(value), column: column, row: row)
    case .object: break
    }
  }

  private mutating func setText(_ draft: Draft, _ column: Int) throws {
    guard text.contains(0x5C) else {
      return draft.setText(unsafe text.span.bytes, column: column, row: row)
    }
    guard let plain = TextEscapes.unescaped(text.span) else {
      throw badValue("a text: an escape is half of a character")
    }
    draft.setText(unsafe plain.span.bytes, column: column, row: row)
  }

  private func badValue(_ expected: String) -> XMLStoreFault {
    let words = String(decoding: text.prefix(60), as: UTF8.self)
    return fault(
      "\(object): '\(plans[entity].properties[property].name)' is '\(words)' instead of \(expected)."
    )
  }

  // MARK: - Relationships

  mutating func beginRelationship(_ tag: borrowing XMLStartTag) throws {
    var name = -1
    var references = -1
    for index in 0..<tag.attributeCount {
      let key = tag.attributeName(index)
      if key == names.name {
        name = index
      } else if key == names.idrefs {
        references = index
      } else if key != names.type, key != names.destination {
        throw unknownAttribute(tag, index, of: "relationship")
      }
    }
    try findProperty(tag, name: name, "relationship")
    let role = plans[entity].slots[property].role
    guard role != .attribute else {
      throw fault(
        "\(object): '\(plans[entity].properties[property].name)' is an attribute, not a "
          + "relationship.")
    }
    place = .relationship
    guard references >= 0 else { return }
    let first = listed.count
    try collectNumbers(tag.attributeValue(references))
    if listed.count == first { return }
    if role == .toMany {
      lists.append(
        ReferenceList(
          entity: entity, row: row(of: draft), property: property, range: first..<listed.count,
          line: line))
      return
    }
    let number = listed[first]
    let count = listed.count - first
    listed.removeLast(count)
    guard count == 1 else {
      throw fault(
        "\(object): '\(plans[entity].properties[property].name)' refers to at most one object, but "
          + "lists \(count).")
    }
    // The object's entity is resolved when all objects are known.
    draft?.setReference(
      ObjectKey(entity: 0, number: number), column: plans[entity].slots[property].column, row: row)
  }

  /// Returns the position of the open object among the objects of its entity.
  private func row(of draft: Draft?) -> Int { plans[entity].lines.count - 1 }

  /// Reads identifiers that are separated by blanks (spec §5.3.5).
  private mutating func collectNumbers(_ value: Span<UInt8>) throws {
    var index = 0
    while index < value.count {
      if value[index] <= 0x20 {
        index += 1
        continue
      }
      let start = index
      while index < value.count, value[index] > 0x20 { index += 1 }
      guard let number = IdentifierParsing.identifier(value.extracting(start..<index)) else {
        throw fault(
          "\(object): '\(String(decodingBytes: value.extracting(start..<min(index, start + 60))))' "
            + "in '\(plans[entity].properties[property].name)' is not the identifier of an object.")
      }
      listed.append(number)
    }
  }

  // MARK: - Messages

  private func unknownAttribute(
    _ tag: borrowing XMLStartTag, _ index: Int, of element: String
  ) -> XMLStoreFault {
    fault(
      "The element '\(element)' can't have the attribute '\(tag.attributeNameString(index).prefix(60))'."
    )
  }

  private func suggestion(_ name: String, _ known: [String]) -> String {
    var suggestion = NameSuggestion()
    return suggestion.sentence(for: name, among: known)
  }
}
