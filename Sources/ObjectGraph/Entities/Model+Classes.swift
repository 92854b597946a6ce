public import ObjectModel

extension Model {
  /// Makes a model from the entities that classes declare.
  ///
  ///     let model = try Model(classes: [Trip.self, Stop.self])
  ///
  /// A superclass with an entity belongs to the model too. An inverse that one end states applies to both ends.
  ///
  /// - Throws: `ModelError` with all faults of the model; ``ContextError`` if a class declares no entity, an inverse
  ///   that is not a property of the destination, or an option that does not fit the attribute.
  public init(classes: [ManagedObject.Type]) throws {
    var declarations: [EntityDeclaration] = []
    var seen: Set<ObjectIdentifier> = []
    for type in classes {
      var next: ManagedObject.Type? = type
      while let type = next, seen.insert(ObjectIdentifier(type)).inserted {
        guard let declaration = type.entityDeclaration else {
          throw ContextError(
            .unknownEntity,
            "The class \(type) declares no entity. Write @Entity before the class, or name its entity in a model."
          )
        }
        declarations.append(declaration)
        next = declaration.superclass
      }
    }
    let composites = compositeTypes(declarations.flatMap(\.ownProperties))
    let problems =
      declarations.flatMap { declaration in
        declaration.ownProperties.flatMap { property in
          property.problems.map { "\(declaration.entity.name).\(property.property.name) \($0)." }
        }
      }
      + composites.flatMap { type in
        type.compositeParts.flatMap { part in
          part.problems.map { "\(type.compositeName).\(part.attribute.name) \($0)." }
        }
      }
    guard problems.isEmpty else {
      throw ContextError(.wrongType, problems.joined(separator: "\n"))
    }
    var description = Description()
    description.entities = try declarations.map { try $0.entityWithInverses() }
    description.composites = composites.map { type in
      CompositeType(type.compositeName, attributes: type.compositeParts.map(\.attribute))
    }.sorted { $0.name < $1.name }
    description.stateInversesAtBothEnds()
    try self.init(description)
  }
}

/// Returns the composite types of the properties and of their parts.
private func compositeTypes(_ properties: [EntityProperty]) -> [any CompositeValue.Type] {
  var types: [any CompositeValue.Type] = []
  var waiting = properties.compactMap(\.composite)
  var seen: Set<ObjectIdentifier> = []
  while let type = waiting.popLast() {
    guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
    types.append(type)
    waiting += type.compositeParts.compactMap(\.type)
  }
  return types
}

extension EntityDeclaration {
  /// Returns the entity, with the inverses that the class states.
  fileprivate func entityWithInverses() throws -> Entity {
    var entity = entity
    for (index, property) in ownProperties.enumerated() {
      guard let path = property.inverse, let destination = property.destination,
        case .relationship(var relationship) = property.property
      else { continue }
      guard let name = PropertyPaths.names(of: destination)[path] else {
        throw ContextError(
          .unknownProperty,
          "The inverse of \(entity.name).\(relationship.name) is not a property of \(destination): \(path)."
        )
      }
      relationship.inverse = name
      relationship.inverseEntity = PropertyPaths.owner(of: name, in: destination).entityName
      entity.declaredProperties[index] = .relationship(relationship)
    }
    return entity
  }
}

extension Model.Description {
  /// Sets the missing inverse of each relationship that another relationship names as its inverse.
  fileprivate mutating func stateInversesAtBothEnds() {
    for entity in entities {
      for relationship in entity.declaredRelationships {
        guard let inverse = relationship.inverse,
          let owner = relationship.inverseEntity,
          let place = entities.firstIndex(where: { $0.name == owner }),
          let property = entities[place].declaredProperties.firstIndex(where: { $0.name == inverse }
          ),
          case .relationship(var back) = entities[place].declaredProperties[property],
          back.inverse == nil
        else { continue }
        back.inverse = relationship.name
        back.inverseEntity = entity.name
        entities[place].declaredProperties[property] = .relationship(back)
      }
    }
  }
}
