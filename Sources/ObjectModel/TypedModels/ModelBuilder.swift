/// Puts a model together from entity types and other parts.
@resultBuilder
public enum ModelBuilder {
  /// An entity described by a type.
  public static func buildExpression(_ type: any EntityType.Type) -> Model.Description {
    Model.Description(entities: [type.entity])
  }

  /// An entity.
  public static func buildExpression(_ entity: Entity) -> Model.Description {
    Model.Description(entities: [entity])
  }

  /// A composite type.
  public static func buildExpression(_ composite: CompositeType) -> Model.Description {
    Model.Description(composites: [composite])
  }

  /// A configuration.
  public static func buildExpression(_ configuration: Configuration) -> Model.Description {
    Model.Description(configurations: [configuration])
  }

  /// A fetch request template.
  public static func buildExpression(_ template: FetchRequestTemplate) -> Model.Description {
    Model.Description(fetchRequestTemplates: [template])
  }

  /// Several parts.
  public static func buildBlock(_ parts: Model.Description...) -> Model.Description {
    buildArray(parts)
  }

  /// Parts that are there under a condition.
  public static func buildOptional(_ parts: Model.Description?) -> Model.Description {
    parts ?? Model.Description()
  }

  /// The parts of one branch.
  public static func buildEither(first parts: Model.Description) -> Model.Description { parts }

  /// The parts of the other branch.
  public static func buildEither(second parts: Model.Description) -> Model.Description { parts }

  /// Parts made in a loop.
  public static func buildArray(_ parts: [Model.Description]) -> Model.Description {
    parts.reduce(into: Model.Description()) { all, part in
      all.entities += part.entities
      all.composites += part.composites
      all.configurations += part.configurations
      all.fetchRequestTemplates += part.fetchRequestTemplates
    }
  }
}

extension Model {
  /// Makes a model of entity types, and of other parts if there are any.
  ///
  ///     let model = try Model {
  ///       Trip.self
  ///       Stop.self
  ///       Configuration("main", entities: ["Trip", "Stop"])
  ///     }
  ///
  /// - Throws: ``ModelError`` with every fault found.
  public init(
    strict: Bool = false, @ModelBuilder _ parts: () -> Description
  ) throws(ModelError) {
    var description = parts()
    description.stateInversesAtBothEnds()
    try self.init(description, strict: strict)
  }
}

extension Model.Description {
  /// Gives relationships without an inverse the one that names them as its own.
  package mutating func stateInversesAtBothEnds() {
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
