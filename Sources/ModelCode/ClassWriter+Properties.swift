import ObjectModel

// Accessors and methods of properties.

extension ClassWriter {
  /// The members of one property.
  func write(
    _ property: Property, of entity: PlannedEntity, to lines: inout CodeLines
  ) throws(ModelCodeError) {
    // Calls of what no one may override need no look-up of the class.
    let isFinal = entity.isInherited && entity.kind == .class
    let accessor = Accessor(
      name: entity.members[property.name]!, key: "Keys." + keyed(entity.keys[property.name]!),
      modifiers: access + (isFinal ? "final " : ""))
    lines.gap()
    switch property {
    case .attribute(let attribute) where attribute.type == .composite:
      try writeComposite(attribute, accessor, to: &lines)
    case .attribute(let attribute):
      let ending = entity.methodEndings[attribute.name]
      if let ending, let type = attribute.transformedType {
        writeTransformed(attribute, type, "set\(ending)", accessor, to: &lines)
      } else {
        writeAttribute(attribute, accessor, to: &lines)
      }
    case .relationship(let relationship) where relationship.isToMany:
      writeToMany(relationship, entity.methodEndings[relationship.name]!, accessor, to: &lines)
    case .relationship(let relationship):
      document(
        relationship.userInfo, PropertyWords.sentence(about: relationship),
        relationship.name, accessor, to: &lines)
      let type = plan.className(of: relationship.destination) + "?"
      lines.accessors(accessor, type, isReadOnly: false)
    case .fetched(let fetched):
      writeFetched(fetched, accessor, to: &lines)
    }
  }

  private func keyed(_ name: String) -> String { SwiftNames.declared(name) }

  /// The comment above an accessor, which says so where the name is not the model's.
  private func document(
    _ userInfo: [String: String], _ summary: String, _ name: String, _ accessor: Accessor,
    to lines: inout CodeLines
  ) {
    let others =
      accessor.name == name
      ? []
      : [
        "It has another name here, since Swift or managed objects use \(CodeText.code(name)) already."
      ]
    lines.document(PropertyWords.paragraphs(userInfo, otherwise: summary, others))
  }

  private func writeAttribute(
    _ attribute: Attribute, _ accessor: Accessor, to lines: inout CodeLines
  ) {
    document(
      attribute.userInfo, PropertyWords.sentence(about: attribute), attribute.name, accessor,
      to: &lines)
    let isOptional = attribute.isOptional || attribute.type == .transformable
    let type = plan.types.values(attribute.type)! + (isOptional ? "?" : "")
    lines.accessors(accessor, type, isReadOnly: attribute.derivation != nil)
  }

  /// A value that a transformer makes of bytes: it may fail, so there is a method that sets it.
  private func writeTransformed(
    _ attribute: Attribute, _ type: String, _ setter: String, _ accessor: Accessor,
    to lines: inout CodeLines
  ) {
    document(
      attribute.userInfo, PropertyWords.sentence(about: attribute), attribute.name, accessor,
      to: &lines)
    lines.open("\(accessor.declaration): \(type)?")
    lines.line("get throws { try transformed(\(accessor.key), as: \(type).self) }")
    lines.close()
    lines.gap()
    lines.line("/// Sets \(CodeText.code(attribute.name)) to a value, or to none.")
    lines.open("\(accessor.modifiers)func \(setter)(_ value: \(type)?) throws")
    lines.line("try setTransformed(value, \(accessor.key))")
    lines.close()
  }

  private func writeToMany(
    _ relationship: Relationship, _ ending: String, _ accessor: Accessor,
    to lines: inout CodeLines
  ) {
    document(
      relationship.userInfo, PropertyWords.sentence(about: relationship), relationship.name,
      accessor, to: &lines)
    let type = plan.className(of: relationship.destination)
    lines.accessors(
      accessor, "\(plan.types.quire("RelatedObjects"))<\(type)>", isReadOnly: false)

    let sequence = "some \(plan.types.swift("Sequence"))<\(type)>"
    let name = CodeText.code(relationship.name)
    for (verb, method, word, preposition) in [
      ("Adds", "addTo", "add", "to"), ("Takes", "removeFrom", "remove", "from"),
    ] {
      let place = verb == "Adds" ? "to" : "away from"
      lines.gap()
      lines.line("/// \(verb) an object \(place) \(name).")
      lines.open("\(accessor.modifiers)func \(method)\(ending)(_ object: \(type))")
      lines.line("\(word)(object, \(preposition): \(accessor.key))")
      lines.close()
      lines.gap()
      lines.line("/// \(verb) each of the objects \(place) \(name).")
      lines.open("\(accessor.modifiers)func \(method)\(ending)(_ objects: \(sequence))")
      lines.line("for object in objects { \(word)(object, \(preposition): \(accessor.key)) }")
      lines.close()
    }
    if relationship.isOrdered { writePlaces(relationship, ending, accessor, to: &lines) }
  }

  /// What is done at places of an ordered relationship.
  private func writePlaces(
    _ relationship: Relationship, _ ending: String, _ accessor: Accessor,
    to lines: inout CodeLines
  ) {
    let type = plan.className(of: relationship.destination)
    let sequence = "some \(plan.types.swift("Sequence"))<\(type)>"
    let int = plan.types.swift("Int")
    let name = CodeText.code(relationship.name)
    for (sentence, method, call) in [
      (
        "Puts an object at a place of \(name). One that is in it already moves there.",
        "insertInto\(ending)(_ object: \(type), at index: \(int))",
        "insert(object, into: \(accessor.key), at: index)"
      ),
      (
        "Puts objects one behind another at a place of \(name).",
        "insertInto\(ending)(_ objects: \(sequence), at index: \(int))",
        "insert(objects, into: \(accessor.key), at: index)"
      ),
      (
        "Takes the object at a place away from \(name).",
        "removeFrom\(ending)(at index: \(int))",
        "remove(at: index, from: \(accessor.key))"
      ),
      (
        "Moves the object at one place of \(name) to another.",
        "moveIn\(ending)(from index: \(int), to target: \(int))",
        "move(in: \(accessor.key), from: index, to: target)"
      ),
      (
        "Puts an object in the place of the one that is there in \(name).",
        "replace\(ending)(at index: \(int), with object: \(type))",
        "replace(at: index, in: \(accessor.key), with: object)"
      ),
    ] {
      lines.gap()
      lines.document([sentence])
      lines.open("\(accessor.modifiers)func \(method)")
      lines.line(call)
      lines.close()
    }
  }

  private func writeFetched(
    _ fetched: FetchedProperty, _ accessor: Accessor, to lines: inout CodeLines
  ) {
    document(
      fetched.userInfo,
      "The fetched property \(CodeText.code(fetched.name)): "
        + PropertyWords.sentence(about: fetched.request) + ".", fetched.name, accessor, to: &lines)
    lines.open("\(accessor.declaration): [\(plan.className(of: fetched.request.entity))]")
    lines.line("get throws { try fetched(\(accessor.key)) }")
    lines.close()
  }

  /// A composite attribute is a structure in Swift. Setting it sets the parts that are different.
  private func writeComposite(
    _ attribute: Attribute, _ accessor: Accessor, to lines: inout CodeLines
  ) throws(ModelCodeError) {
    guard let name = attribute.compositeName else { return }
    let tree = try CompositeParts(of: attribute, plan)
    document(
      attribute.userInfo, PropertyWords.sentence(about: attribute), attribute.name, accessor,
      to: &lines)
    lines.open("\(accessor.declaration): \(plan.composites[name]!)")
    lines.open("get")
    tree.writeValue(accessor.key, to: &lines)
    lines.close()
    if !tree.leaves.isEmpty {
      lines.open("set")
      // Without `self`, an attribute called `newValue` would be the value that is set.
      lines.line("let old = self.\(SwiftNames.declared(accessor.name))")
      for leaf in tree.leaves {
        let key = "\(accessor.key).\(leaf.key)"
        lines.open("if newValue.\(leaf.path) != old.\(leaf.path)")
        lines.line("self[\(key)] = newValue.\(leaf.path)")
        lines.close()
      }
      lines.close()
    }
    lines.close()
  }
}

/// What the accessor of a property is called, and what it reads.
struct Accessor {
  let name: String
  let key: String
  let modifiers: String

  var declaration: String { "\(modifiers)var \(SwiftNames.declared(name))" }
}

extension CodeLines {
  /// A property that reads, and sets, what the object holds under a key.
  fileprivate mutating func accessors(_ accessor: Accessor, _ type: String, isReadOnly: Bool) {
    open("\(accessor.declaration): \(type)")
    if isReadOnly {
      line("self[\(accessor.key)]")
    } else {
      line("get { self[\(accessor.key)] }")
      line("set { self[\(accessor.key)] = newValue }")
    }
    close()
  }
}

extension Attribute {
  /// The type that a transformable attribute's transformer makes of bytes, where the model names both.
  fileprivate var transformedType: String? {
    guard type == .transformable, derivation == nil,
      !(valueTransformerName ?? "").isEmpty
    else { return nil }
    return valueClassName.flatMap(SwiftNames.type)
  }
}
