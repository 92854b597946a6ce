import ObjectModel
import Rows
import TextMatching

extension Binder {
  /// Returns the steps of a path from objects of an entity, and the type of the value at its end.
  func steps(
    _ path: [String], from entity: String?, isCollection: Bool, whole: String
  ) throws(QueryError) -> (steps: [PathStep], type: OperandType) {
    var steps: [PathStep] = []
    var type = OperandType.object(entity)
    var isCollection = isCollection
    var index = 0
    while index < path.count {
      let name = path[index]
      if name.first == "@" {
        return try collectionSteps(
          path[index...], steps, type, isCollection: isCollection, whole: whole)
      }
      guard case .object(let owner) = type else {
        throw .notAnObject(path[..<index].joined(separator: "."), type, next: name)
      }
      guard let owner else {
        throw QueryError(
          .notSupported,
          "Can't follow \"\(name)\": the entity of the object before it is unknown.")
      }
      guard let property = model.property(name, of: owner) else {
        let error = unknownProperty(name, of: owner)
        // Other languages have members of collections without the sign.
        guard isCollection, let operation = CollectionOperator(anyName: name) else { throw error }
        throw QueryError(
          .unknownProperty,
          "\"\(owner)\" has no property \"\(name)\". Did you mean \"@\(operation.rawValue)\"?",
          name: name)
      }
      guard !property.isTransient else {
        throw QueryError(
          .notSupported,
          "\"\(owner).\(name)\" is transient: it is not stored, so it can't be queried.", name: name
        )
      }
      index += 1
      switch property {
      case .attribute(let attribute) where attribute.type == .composite:
        (type, index) = try compositeStep(attribute, of: owner, path, index, &steps)
      case .attribute(let attribute):
        steps.append(.attribute(try column(name, of: owner)))
        type = OperandType(attribute.type)
      case .relationship(let relationship) where relationship.isToMany:
        steps.append(.toMany(ToManyRelationship(relationship, of: owner, model, schema)))
        type = .object(relationship.destination)
        isCollection = true
      case .relationship(let relationship):
        steps.append(
          .toOne(try column(name, of: owner), destination: relationship.destination))
        type = .object(relationship.destination)
      case .fetched:
        throw QueryError(
          .notSupported, "\"\(owner).\(name)\" is a fetched property, which can't be queried.",
          name: name)
      }
    }
    return (steps, isCollection ? .collection(type) : type)
  }

  /// Follows a path from a composite attribute to the part that the path names next.
  private func compositeStep(
    _ attribute: Attribute, of owner: String, _ path: [String], _ start: Int,
    _ steps: inout [PathStep]
  ) throws(QueryError) -> (OperandType, Int) {
    var attribute = attribute
    var name = attribute.name
    var index = start
    while attribute.type == .composite {
      let parts = model.composite(of: attribute)?.attributes ?? []
      guard index < path.count else {
        throw QueryError(
          .notSupported,
          "\"\(owner).\(name)\" is a composite attribute: name one of its parts, such as "
            + "\"\(name).\(parts.first?.name ?? "part")\".")
      }
      guard let part = parts.first(where: { $0.name == path[index] }) else {
        throw QueryError(
          .unknownProperty,
          "\"\(owner).\(name)\" has no part \"\(path[index])\"."
            + suggestion(path[index], among: parts.map(\.name)), name: path[index])
      }
      name += "." + part.name
      attribute = part
      index += 1
    }
    steps.append(.attribute(try column(name, of: owner)))
    return (OperandType(attribute.type), index)
  }

  /// Returns the step of a collection operator, which includes the rest of the path.
  private func collectionSteps(
    _ path: ArraySlice<String>, _ before: [PathStep], _ type: OperandType, isCollection: Bool,
    whole: String
  ) throws(QueryError) -> (steps: [PathStep], type: OperandType) {
    let name = String(path.first!.dropFirst())
    guard let operation = CollectionOperator(rawValue: name == "average" ? "avg" : name) else {
      throw QueryError(
        .unknownProperty,
        "The collection operator \"@\(name)\" is unknown."
          + suggestion(name, among: CollectionOperator.allCases.map(\.rawValue)),
        name: "@" + name)
    }
    guard isCollection else {
      throw QueryError(
        .typeMismatch, "\"@\(name)\" in \"\(whole)\" needs a collection before it.")
    }
    var rest: [PathStep] = []
    var element = type
    if path.count > 1 {
      guard operation != .count else {
        throw QueryError(
          .notSupported, "Nothing may follow \"@count\" in \"\(whole)\".")
      }
      guard case .object(let entity) = type else {
        throw .notAnObject(whole, type, next: path[path.startIndex + 1])
      }
      (rest, element) = try steps(
        Array(path.dropFirst()), from: entity, isCollection: false, whole: whole)
    }
    let step = PathStep.collection(operation, rest)
    switch operation {
    case .count: return (before + [step], .number)
    case .sum, .average:
      guard element.element.isComparable(to: .number) else {
        throw QueryError(
          .typeMismatch, "\"@\(name)\" in \"\(whole)\" needs numbers, not \(element.words).")
      }
      return (before + [step], .number)
    case .minimum, .maximum: return (before + [step], element.element)
    default: return (before + [step], .collection(element.element))
    }
  }

  func column(_ name: String, of entity: String) throws(QueryError) -> LayoutColumn {
    if let layout = schema[entity], let index = layout.index(of: name) {
      return layout.columns[index]
    }
    throw QueryError(.notSupported, "\"\(entity).\(name)\" is not stored.")
  }

  func unknownProperty(_ name: String, of entity: String) -> QueryError {
    let names = model.properties(of: entity).map(\.name)
    // A key path without a name in the model stands for itself (`PropertyPaths.name(of:in:)`).
    if name.hasPrefix("\\") {
      return QueryError(
        .unknownProperty,
        "A key path does not end at a property of the entity \"\(entity)\". The values of a computed property are not stored: "
          + "use the properties that it reads. \"\(entity)\" has: \(names.joined(separator: ", "))."
      )
    }
    return QueryError(
      .unknownProperty,
      "\"\(entity)\" has no property \"\(name)\"." + suggestion(name, among: names), name: name)
  }

  func suggestion(_ name: String, among names: [String]) -> String {
    var suggestion = NameSuggestion()
    return suggestion.sentence(for: name, among: names)
  }
}

extension QueryError {
  fileprivate static func notAnObject(
    _ path: String, _ type: OperandType, next: String
  ) -> QueryError {
    var message = "\"\(path)\" is \(type.words), which has no property \"\(next)\"."
    let parts: [QueryExpression.Function] = [
      .year, .quarter, .month, .week, .day, .weekday, .hour, .minute, .second,
    ]
    if type.element == .date, parts.contains(where: { $0.rawValue == next.lowercased() + ":" }) {
      message += " Write \(next.uppercased())(\(path))."
    }
    return QueryError(.unknownProperty, message, name: next)
  }
}
