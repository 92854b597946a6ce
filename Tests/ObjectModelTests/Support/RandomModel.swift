import ObjectModel
import SeededRandom

/// Random models without faults.
enum RandomModel {
  static func description(using random: inout SeededGenerator) -> Model.Description {
    let count = Int.random(in: 1...8, using: &random)
    var entities = (0..<count).map { number in
      Entity(
        "E\(number)", isAbstract: Int.random(in: 0...4, using: &random) == 0,
        superentity: number > 0 && Bool.random(using: &random)
          ? "E\(Int.random(in: 0..<number, using: &random))" : nil,
        versionHashModifier: modifier(using: &random))
    }
    for number in entities.indices {
      for property in 0..<Int.random(in: 0...6, using: &random) {
        let name = "\(["a", "b", "_c", "D"].randomElement(using: &random)!)\(number)_\(property)"
        entities[number].declaredProperties.append(.attribute(attribute(name, using: &random)))
      }
    }
    for pair in 0..<Int.random(in: 0...6, using: &random) {
      let (one, other) = (
        Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random)
      )
      var there = relationship("to\(pair)", to: "E\(other)", using: &random)
      var back = relationship("from\(pair)", to: "E\(one)", using: &random)
      (there.inverse, back.inverse) = (back.name, there.name)
      back.isTransient = there.isTransient
      entities[one].declaredProperties.append(.relationship(there))
      entities[other].declaredProperties.append(.relationship(back))
    }
    for number in entities.indices {
      let columns = entities[number].attributes.filter { !$0.isTransient }.map(\.name)
      if let column = columns.randomElement(using: &random) {
        entities[number].uniquenessConstraints = [[column]]
      }
    }
    return Model.Description(
      entities: entities,
      composites: [
        CompositeType(
          "Pair",
          attributes: ["one", "other"].map { name in
            var attribute = attribute(name, using: &random)
            attribute.derivation = nil
            return attribute
          }),
        CompositeType("Solo", attributes: [Attribute("pair", .composite, compositeName: "Pair")]),
      ])
  }

  private static func modifier(using random: inout SeededGenerator) -> String? {
    Int.random(in: 0...5, using: &random) == 0 ? "m" : nil
  }

  private static func attribute(
    _ name: String, using random: inout SeededGenerator
  ) -> Attribute {
    let types: [AttributeType] = [
      .int16, .int32, .int64, .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid,
      .uri, .transformable,
    ]
    var attribute = Attribute(
      name, types.randomElement(using: &random)!, isOptional: .random(using: &random),
      isTransient: Int.random(in: 0...5, using: &random) == 0,
      versionHashModifier: modifier(using: &random))
    if Bool.random(using: &random) { attribute.options.insert(.allowsExternalStorage) }
    if Bool.random(using: &random) { attribute.options.insert(.preservesValueOnDeletion) }
    if Int.random(in: 0...5, using: &random) == 0 { attribute.derivation = .init("now()") }
    return attribute
  }

  private static func relationship(
    _ name: String, to destination: String, using random: inout SeededGenerator
  ) -> Relationship {
    let isToMany = Bool.random(using: &random)
    return Relationship(
      name, to: destination,
      count: .init(
        minimum: Int.random(in: 0...1, using: &random), maximum: isToMany ? 0 : 1),
      isOrdered: isToMany && Bool.random(using: &random),
      deleteRule: Relationship.DeleteRule.allCases.randomElement(using: &random)!,
      isOptional: .random(using: &random),
      isTransient: Int.random(in: 0...5, using: &random) == 0,
      versionHashModifier: modifier(using: &random))
  }
}

extension Model.Description {
  /// Changes one random part and keeps the description without faults.
  mutating func changeSomething(using random: inout SeededGenerator) {
    let entity = entities.indices.randomElement(using: &random)!
    switch Int.random(in: 0...7, using: &random) {
    case 0: entities[entity].isAbstract.toggle()
    case 1: entities[entity].versionHashModifier = "other"
    case 2: entities[entity].userInfo["note"] = "other"
    case 3: entities[entity].className = "Other"
    case 4: entities[entity].uniquenessConstraints = []
    case 5: entities.append(Entity("New"))
    default:
      guard let place = entities[entity].declaredProperties.indices.randomElement(using: &random)
      else {
        return
      }
      entities[entity].declaredProperties[place].changeSomething(using: &random)
    }
  }
}

extension Property {
  fileprivate mutating func changeSomething(using random: inout SeededGenerator) {
    switch self {
    case .attribute(var attribute):
      switch Int.random(in: 0...5, using: &random) {
      case 0: attribute.isOptional.toggle()
      case 1: attribute.type = attribute.type == .date ? .double : .date
      case 2: attribute.options.formSymmetricDifference(.allowsExternalStorage)
      case 3: attribute.options.formSymmetricDifference(.preservesValueOnDeletion)
      case 4: attribute.derivation = attribute.derivation == nil ? .init("now()") : nil
      default: attribute.options.formSymmetricDifference(.isIndexed)
      }
      self = .attribute(attribute)
    case .relationship(var relationship):
      switch Int.random(in: 0...3, using: &random) {
      case 0: relationship.isOptional.toggle()
      case 1: relationship.count.minimum = 1 - relationship.count.minimum
      case 2: relationship.deleteRule = relationship.deleteRule == .deny ? .cascade : .deny
      default: relationship.versionHashModifier = "other"
      }
      self = .relationship(relationship)
    case .fetched: break
    }
  }
}
