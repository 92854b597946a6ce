public import ObjectModel

extension Model {
  /// Makes a model of the entities that classes declare.
  ///
  ///     let model = try Model(classes: [Trip.self, Stop.self])
  ///
  /// A superclass with an entity belongs to the model too. An inverse that one end states holds for both ends.
  ///
  /// - Throws: `ModelError` with every fault found; ``ContextError`` if a class declares no entity, or an inverse that is
  ///   no property of the destination.
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
    var description = Description()
    description.entities = try declarations.map { try $0.entityWithInverses() }
    description.stateInversesAtBothEnds()
    try self.init(description)
  }
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
          "The inverse of \(entity.name).\(relationship.name) is no property of \(destination): \(path)."
        )
      }
      relationship.inverse = name
      relationship.inverseEntity = PropertyPaths.owner(of: name, in: destination).entityName
      entity.declaredProperties[index] = .relationship(relationship)
    }
    return entity
  }
}
