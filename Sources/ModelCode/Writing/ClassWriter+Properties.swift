import ObjectModel

// The properties of a class.
extension ClassWriter {
  /// Writes the members of one property.
  func write(_ property: Property, of entity: PlannedEntity, to lines: inout CodeLines) {
    let name = entity.members[property.name]!
    lines.gap()
    switch property {
    case .attribute(let attribute):
      document(
        attribute.userInfo, PropertyWords.sentence(about: attribute), attribute.name, name,
        to: &lines)
      if let type = attribute.transformedType, let data = entity.dataMembers[attribute.name] {
        writeTransformed(attribute, type, data, name, of: entity, to: &lines)
      } else {
        writeVariable(
          AttributeMarkers(
            attribute, plan, named: name,
            isUnique: entity.kind == .class
              && entity.entity.uniqueAttributes.contains(attribute.name)
          ).lines, name, self.type(of: attribute),
          default: PropertyLiterals.plainDefault(of: attribute), of: entity, to: &lines)
      }
    case .relationship(let relationship):
      document(
        relationship.userInfo, PropertyWords.sentence(about: relationship), relationship.name,
        name, to: &lines)
      let destination = plan.objectType(of: relationship.destination)
      let type =
        relationship.isToMany
        ? "\(plan.types.quire("RelatedObjects"))<\(destination)>" : "\(destination)?"
      let marker = RelationshipMarker(relationship, of: entity, plan, named: name)
      writeVariable(marker.lines, name, type, of: entity, to: &lines)
    case .fetched(let fetched):
      document(
        fetched.userInfo,
        "The fetched property \(CodeText.code(fetched.name)): "
          + PropertyWords.sentence(about: fetched.request) + ".", fetched.name, name, to: &lines)
      writeVariable(
        [FetchedMarker.line(fetched, plan)], name,
        "[\(plan.objectType(of: fetched.request.entity))]", of: entity, to: &lines)
    }
  }

  /// Writes the comment above a property. The comment mentions if the name differs from the model's.
  private func document(
    _ userInfo: [String: String], _ summary: String, _ modelName: String, _ name: String,
    to lines: inout CodeLines
  ) {
    let others =
      name == modelName
      ? []
      : [
        "It has another name here, since Swift or managed objects use \(CodeText.code(modelName)) already."
      ]
    lines.document(PropertyWords.paragraphs(userInfo, otherwise: summary, others))
  }

  /// Returns the type of the values of an attribute, or of a part of a composite attribute.
  func type(of attribute: Attribute) -> String {
    if let name = attribute.compositeName, let structure = plan.composites[name] {
      return structure
    }
    let isOptional = attribute.isOptional || attribute.type == .transformable
    return plan.types.values(attribute.type)! + (isOptional ? "?" : "")
  }

  private func modifiers(of entity: PlannedEntity) -> String {
    // Calls of final members need no dynamic dispatch.
    access + (entity.isInherited && entity.kind == .class ? "final " : "")
  }

  /// Writes a variable with its markers, on one line if they fit there.
  private func writeVariable(
    _ markers: [String], _ name: String, _ type: String, default value: String? = nil,
    of entity: PlannedEntity, to lines: inout CodeLines
  ) {
    // Each accessor in an extension is marked.
    let markers = (entity.kind == .category ? ["@StoredProperty"] : []) + markers
    var declaration = "\(modifiers(of: entity))var \(SwiftNames.declared(name)): \(type)"
    if let value, entity.kind == .class { declaration += " = \(value)" }
    let one = (markers + [declaration]).joined(separator: " ")
    if one.count + 2 <= CodeLines.width {
      lines.line(one)
    } else {
      for marker in markers { lines.line(marker) }
      lines.line(declaration)
    }
  }

  /// Writes the data property of a transformable attribute, and the value that a transformer makes of the data. The
  /// conversion may fail, so a function sets the value.
  private func writeTransformed(
    _ attribute: Attribute, _ type: String, _ data: String, _ name: String,
    of entity: PlannedEntity, to lines: inout CodeLines
  ) {
    let modifiers = modifiers(of: entity)
    lines.open("\(modifiers)var \(SwiftNames.declared(name)): \(type)?")
    lines.line(
      "get throws { try transformed(forKey: \(CodeText.literal(attribute.name)), as: \(type).self) }"
    )
    lines.close()
    lines.gap()
    lines.line("/// Sets \(CodeText.code(attribute.name)) to a value, or to none.")
    let setter = "set\(entity.methodEndings[attribute.name]!)"
    lines.open("\(modifiers)func \(setter)(_ value: \(type)?) throws")
    lines.line("try setTransformed(value, forKey: \(CodeText.literal(attribute.name)))")
    lines.close()
    lines.gap()
    lines.line("/// The bytes of \(CodeText.code(attribute.name)).")
    writeVariable(
      AttributeMarkers(attribute, plan, named: data).lines, data,
      plan.types.foundation("Data") + "?", of: entity, to: &lines)
  }

  /// Writes the uniqueness constraints, indexes and inverses of a class.
  func writeConstraints(of entity: PlannedEntity, to lines: inout CodeLines) {
    guard entity.kind == .class else { return }
    let entityConstraints = entity.entity.uniquenessConstraints
    let shared = entityConstraints.dropFirst(entity.entity.uniqueAttributes.count)
    write("Unique", Array(shared), of: entity, to: &lines)
    let indexes = entity.entity.fetchIndexes.filter(\.isPlain)
    write("Index", indexes.map { $0.elements.map(\.property) }, of: entity, to: &lines)
    writeWords(of: entity, to: &lines)
    for (name, inverse) in entity.ownInverses {
      guard let one = entity.members[name], let other = entity.members[inverse] else { continue }
      lines.gap()
      lines.line(
        "#Inverse<\(entity.className)>(\\.\(SwiftNames.declared(one)), \\.\(SwiftNames.declared(other)))"
      )
    }
  }

  private func writeWords(of entity: PlannedEntity, to lines: inout CodeLines) {
    var texts: [String] = []
    for index in entity.entity.fetchIndexes {
      for text in index.wordedTexts where !texts.contains(text) { texts.append(text) }
    }
    let paths = texts.compactMap { plan.member($0, of: entity) }
      .map { "\\.\(SwiftNames.declared($0))" }
    guard !paths.isEmpty else { return }
    lines.gap()
    lines.line("#Index<\(entity.className)>(words: \(paths.joined(separator: ", ")))")
  }

  private func write(
    _ macro: String, _ sets: [[String]], of entity: PlannedEntity, to lines: inout CodeLines
  ) {
    let items = sets.compactMap { names -> String? in
      let paths = names.map { name in
        plan.member(name, of: entity).map { "\\.\(SwiftNames.declared($0))" }
      }
      guard !paths.isEmpty, !paths.contains(nil) else { return nil }
      return "[\(paths.compactMap(\.self).joined(separator: ", "))]"
    }
    guard !items.isEmpty else { return }
    lines.gap()
    lines.list("#\(macro)<\(entity.className)>(", items, ")")
  }
}

extension Attribute {
  /// The type that a transformable attribute's transformer makes of bytes, if the model names both.
  var transformedType: String? {
    guard type == .transformable, derivation == nil, !(valueTransformerName ?? "").isEmpty
    else { return nil }
    return valueClassName.flatMap(SwiftNames.type)
  }
}

extension Entity {
  /// The attributes with `@Unique`. Constraints over several attributes, and constraints in another order than the
  /// declarations, are left to `#Unique`.
  var uniqueAttributes: [String] {
    var names: [String] = []
    var rest = declaredAttributes.map(\.name)[...]
    for constraint in uniquenessConstraints {
      guard constraint.count == 1, let place = rest.firstIndex(of: constraint[0]) else { break }
      names.append(constraint[0])
      rest = rest[(place + 1)...]
    }
    return names
  }
}

extension PlannedEntity {
  /// The pairs of relationships of the entity that are inverse to one another, each pair once.
  fileprivate var ownInverses: [(name: String, inverse: String)] {
    entity.declaredRelationships.compactMap { relationship in
      guard let inverse = relationship.inverse,
        relationship.inverseEntity ?? relationship.destination == entity.name,
        relationship.name <= inverse
      else { return nil }
      return (relationship.name, inverse)
    }
  }
}

extension FetchIndex {
  /// Whether `#Index` can express the index completely.
  fileprivate var isPlain: Bool {
    partialPredicate == nil
      && elements.allSatisfy { $0.kind == .binary && $0.isAscending && $0.expression == nil }
  }
}
