import ObjectModel

/// Finds names for the members of all classes: different from those they inherit, from one another, and
/// from what managed objects have themselves.
struct MemberPlanner {
  private let model: Model
  private let reserved: Set<String>

  init(_ model: Model, reserved: Set<String>) {
    self.model = model
    self.reserved = reserved.union(ReservedNames.members).union(SwiftNames.impossibleMembers)
      .union(model.entities.flatMap(\.declaredAttributes).flatMap(\.valueClassWords))
  }

  /// What one class hands down to those that inherit from it.
  private struct Inheritance {
    var members: NameScope
    var keys: NameScope
    var superclass: String?
    var keysSuperclass: String?
  }

  /// The plans of all entities, in the order of the model.
  func entities(_ classes: [ClassChoice]) -> [PlannedEntity] {
    var result = [PlannedEntity?](repeating: nil, count: classes.count)
    var positions: [String: Int] = [:]
    for (index, entity) in model.entities.enumerated() { positions[entity.name] = index }
    var waiting: [(Int, Inheritance)] = []
    let start = Inheritance(
      members: NameScope(reserved),
      keys: NameScope(
        SwiftNames.impossibleMembers.union(ReservedNames.keys)))
    for (index, entity) in model.entities.enumerated() where entity.superentity == nil {
      waiting.append((index, start))
    }
    while let (index, above) = waiting.popLast() {
      var below = above
      result[index] = plan(model.entities[index], classes[index], &below)
      for child in model.subentities(of: model.entities[index].name) {
        if let position = positions[child.name] { waiting.append((position, below)) }
      }
    }
    // Inheritance has no cycle, so every entity was reached.
    return result.map { $0! }
  }

  private func plan(
    _ entity: Entity, _ choice: ClassChoice, _ inheritance: inout Inheritance
  ) -> PlannedEntity {
    let above = inheritance
    var (members, endings, keys): ([String: String], [String: String], [String: String]) =
      ([:], [:], [:])
    if choice.kind != .none {
      let names = entity.declaredProperties.map(\.name)
      let wanted = names.map { SwiftNames.identifier($0, otherwise: "property") }
      members = dictionary(names, inheritance.members.names(for: wanted))
      let keyNames = inheritance.keys.names(for: wanted)
      keys = dictionary(names, keyNames)
      for property in entity.declaredProperties {
        guard let ending = methodEnding(of: property, &inheritance.members) else { continue }
        endings[property.name] = ending
      }
      for attribute in entity.declaredAttributes where attribute.type == .composite {
        let wanted = SwiftNames.capitalized(keys[attribute.name]!)
        keys[attribute.name] = inheritance.keys.name(
          for: inheritance.keys.isFree(wanted) ? wanted : wanted + "Parts")
      }
      inheritance.keysSuperclass = choice.name
    }
    let hasClass = choice.kind != .none || choice.isNamed
    if hasClass { inheritance.superclass = choice.name }
    return PlannedEntity(
      entity: entity, kind: choice.kind, className: choice.name, hasClass: hasClass,
      superclass: above.superclass, keysSuperclass: above.keysSuperclass,
      isInherited: !model.subentities(of: entity.name).isEmpty, members: members,
      methodEndings: endings, keys: keys)
  }

  /// What follows the verbs in the names of a property's methods, where it has any.
  private func methodEnding(of property: Property, _ scope: inout NameScope) -> String? {
    let verbs: [String]
    switch property {
    case .relationship(let relationship) where relationship.isToMany:
      verbs =
        ["addTo", "removeFrom"]
        + (relationship.isOrdered ? ["insertInto", "moveIn", "replace"] : [])
    case .attribute(let attribute) where attribute.type == .transformable: verbs = ["set"]
    default: return nil
    }
    var ending = SwiftNames.capitalized(SwiftNames.identifier(property.name, otherwise: "property"))
    while !verbs.allSatisfy({ scope.isFree($0 + ending) }) { ending += "_" }
    for verb in verbs { _ = scope.name(for: verb + ending) }
    return ending
  }

  private func dictionary(_ keys: [String], _ values: [String]) -> [String: String] {
    Dictionary(zip(keys, values)) { first, _ in first }
  }
}

extension Attribute {
  /// The names in the type that a transformer makes, which the code writes as it is.
  var valueClassWords: [String] {
    (valueClassName ?? "").split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
  }
}
