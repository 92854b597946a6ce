import ObjectModel

/// Finds names for the members of all classes. The names differ from inherited members, from one another, and from
/// members of managed objects.
struct MemberPlanner {
  private let model: Model
  private let reserved: Set<String>

  init(_ model: Model, reserved: Set<String>) {
    self.model = model
    self.reserved = reserved.union(ReservedNames.members).union(SwiftNames.impossibleMembers)
      .union(model.entities.flatMap(\.declaredAttributes).flatMap(\.valueClassWords))
  }

  /// The names that a class passes to its subclasses.
  private struct Inheritance {
    var members: NameScope
    var superclass: String?
  }

  /// Returns the plans of all entities, in the order of the model.
  func entities(_ classes: [ClassChoice]) -> [PlannedEntity] {
    var result = [PlannedEntity?](repeating: nil, count: classes.count)
    var positions: [String: Int] = [:]
    for (index, entity) in model.entities.enumerated() { positions[entity.name] = index }
    var waiting: [(Int, Inheritance)] = []
    let start = Inheritance(members: NameScope(reserved))
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
    // Inheritance has no cycle, so every entity has a plan.
    return result.map { $0! }
  }

  private func plan(
    _ entity: Entity, _ choice: ClassChoice, _ inheritance: inout Inheritance
  ) -> PlannedEntity {
    let above = inheritance
    var (members, endings, data): ([String: String], [String: String], [String: String]) =
      ([:], [:], [:])
    if choice.kind != .none {
      let names = entity.declaredProperties.map(\.name)
      let wanted = names.map { SwiftNames.identifier($0, otherwise: "property") }
      members = dictionary(names, inheritance.members.names(for: wanted))
      for attribute in entity.declaredAttributes where attribute.transformedType != nil {
        endings[attribute.name] = setterEnding(of: attribute, &inheritance.members)
        data[attribute.name] = inheritance.members.name(for: members[attribute.name]! + "Data")
      }
    }
    let hasClass = choice.kind != .none || choice.isNamed
    if hasClass { inheritance.superclass = choice.name }
    return PlannedEntity(
      entity: entity, kind: choice.kind, className: choice.name, hasClass: hasClass,
      superclass: above.superclass,
      isInherited: !model.subentities(of: entity.name).isEmpty, members: members,
      methodEndings: endings, dataMembers: data)
  }

  /// Returns the ending of the function `set…` of a transformable attribute.
  private func setterEnding(of attribute: Attribute, _ scope: inout NameScope) -> String {
    var ending = SwiftNames.capitalized(
      SwiftNames.identifier(attribute.name, otherwise: "property"))
    while !scope.isFree("set" + ending) { ending += "_" }
    _ = scope.name(for: "set" + ending)
    return ending
  }

  private func dictionary(_ keys: [String], _ values: [String]) -> [String: String] {
    Dictionary(zip(keys, values)) { first, _ in first }
  }
}

extension Attribute {
  /// The identifiers in the type that a transformer makes. Generated code contains the type unchanged.
  var valueClassWords: [String] {
    (valueClassName ?? "").split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
  }
}
